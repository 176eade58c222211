import type { Kind } from '../observation/kind.ts';
import type { Subject } from '../observation/look.ts';
import type { Observation, StoredObservation } from '../observation/observation.ts';
import { kinds } from './index.ts';

/** What the age of an observation is judged by. */
export interface Observing {
  readonly now: Date;
  readonly interval_s: number;
}

/** Intervals after which an observation is stale. */
const staleAfter = 3;

const isStale = ({ state, observed_at }: StoredObservation, { now, interval_s }: Observing) =>
  state !== 'not_checked' && now.getTime() - Date.parse(observed_at) > staleAfter * interval_s * 1000;

const day = (time: string) => time.slice(0, 10);

/** Since when a fact is another than before; nothing where what was seen before was no value. */
function sinceWhen({ changed_from, first_seen_at, state }: StoredObservation, { changed }: Kind) {
  if (!changed || changed_from?.state !== state || changed_from.value === null) return undefined;
  return `${changed} since ${day(first_seen_at)}; what was there before was last seen on ${day(changed_from.seen_until)}.`;
}

/** Why what is shown is older than the last check. */
const missedText = ({ missed, observed_at }: StoredObservation) =>
  missed &&
  `Last seen on ${day(observed_at)}; checks since ${day(missed.since)} did not see it again. ${missed.reason}`;

function publish(stored: StoredObservation, kind: Kind, observing: Observing): Observation {
  const { missed, absent_since: _, last: __, form: ___, details, as_seen, ...rest } = stored;
  const { observed_at, first_seen_at, ...fact } = rest;
  const reason = [missedText(stored), sinceWhen(stored, kind), stored.reason].filter(Boolean).join(' ');
  return {
    ...fact,
    // Of what was not looked at there is no day on which it was seen.
    ...(stored.state !== 'not_checked' && { observed_at, first_seen_at }),
    ...(reason && { reason }),
    question: kind.question,
    ...(kind.unit && { unit: kind.unit }),
    ...(details && { details: { ...details } }),
    ...(as_seen && { as_seen: { ...as_seen } }),
    ...(isStale(stored, observing) && {
      state: 'stale',
      reason: `Last ${stored.state.replaceAll('_', ' ')} on ${day(stored.observed_at)}${missed ? `. ${missedText(stored)}` : '; Dossier has not checked since.'}`,
    }),
    ...(missed && { missed_since: missed.since }),
  };
}

const neverLooked = ({ kind, question, unit, method_version }: Kind): Observation => ({
  kind,
  question,
  value: null,
  ...(unit && { unit }),
  state: 'not_checked',
  reason: 'Dossier has not looked at this listing.',
  source: 'Dossier',
  vantage: '',
  method_version,
});

/**
 * The observations of a listing as callers see them, in the order of the kinds: a kind that applies to the listing and
 * was never looked for is `not_checked`; what is older than three intervals is `stale`.
 */
export function toObservations(
  listing: Subject,
  stored: readonly StoredObservation[],
  observing: Observing,
): Observation[] {
  return kinds.flatMap((kind) => {
    const known = stored.filter((one) => one.kind === kind.kind);
    if (known.length > 0) return known.map((one) => publish(one, kind, observing));
    const isExpected = stored.length === 0 && kind.check && (kind.applies?.(listing) ?? true);
    return isExpected ? [neverLooked(kind)] : [];
  });
}
