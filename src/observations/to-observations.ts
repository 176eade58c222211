import { day } from '../core/text.ts';
import type { Kind } from './kind.ts';
import { kinds } from './kinds.ts';
import { type Observation, type RecordedSubject, type StoredObservation, stateWords } from './observation.ts';
import type { Subject } from './run.ts';

/** What the age of an observation is judged by. */
export interface Observing {
  readonly now: Date;
  readonly interval_s: number;
}

/** Intervals after which an observation is stale. */
const staleAfter = 3;

const staleAt_ms = (observed_at: string, interval_s: number) =>
  Date.parse(observed_at) + staleAfter * interval_s * 1000;

/** When what was seen at a time becomes stale, RFC 3339. */
export const toStaleAt = (observed_at: string, interval_s: number): string =>
  new Date(staleAt_ms(observed_at, interval_s)).toISOString();

/** When the next of some observations becomes stale, ms since 1970; infinite if none will. */
export const nextStale_ms = (stored: readonly StoredObservation[], { now, interval_s }: Observing): number =>
  Math.min(
    ...stored
      .map(({ observed_at }) => staleAt_ms(observed_at, interval_s))
      .filter((at_ms) => at_ms > now.getTime()),
  );

/** Since when a fact is another than before; nothing where what was seen before was no value. */
function sinceWhen({ changed_from, first_seen_at, state }: StoredObservation, { changed }: Kind) {
  if (!changed || changed_from?.state !== state || changed_from.value === null) return undefined;
  return `${changed} since ${day(first_seen_at)}; what was there before was last seen on ${day(changed_from.seen_until)}.`;
}

/** Why what is shown is older than the last check. */
const missedText = ({ missed, observed_at, state, value }: StoredObservation) =>
  missed &&
  (value === null
    ? `On ${day(observed_at)}: ${stateWords[state]}; checks since ${day(missed.since)} did not see whether that is still so. ${missed.reason}`
    : `Last seen on ${day(observed_at)}; checks since ${day(missed.since)} did not see it again. ${missed.reason}`);

/** When a stale fact was last looked for, and how that ended; checks that missed it say so themselves. */
const staleText = ({ missed, observed_at, state, value, reason }: StoredObservation) => {
  const how = value === null && !reason ? ` (${stateWords[state]})` : '';
  return missed ? '' : `Last checked on ${day(observed_at)}${how}, not since.`;
};

function publish(stored: StoredObservation, kind: Kind, observing: Observing): Observation {
  const { missed, absent_since: _, last: __, form: ___, recorded: ____, tally: _____, ...seen } = stored;
  const { isPartial: ______, isShort: _______, by: ________, open: _________, ...rest } = seen;
  const { observed_at, first_seen_at, ...fact } = rest;
  const reason = [missedText(stored), sinceWhen(stored, kind), stored.reason].filter(Boolean).join(' ');
  return {
    ...fact,
    // What was not checked was seen on no day.
    ...(stored.state !== 'not_checked' && { observed_at, first_seen_at }),
    ...(reason && { reason }),
    question: kind.question,
    ...(kind.unit && { unit: kind.unit }),
    ...(stored.state !== 'not_checked' &&
      observing.now.getTime() > staleAt_ms(observed_at, observing.interval_s) && {
        state: 'stale',
        last_state: stored.state,
        reason: [staleText(stored), reason].filter(Boolean).join(' '),
      }),
    ...(missed && { missed_since: missed.since }),
    ...(missed?.unanswered && { unanswered_since: missed.unanswered }),
  };
}

const unlearned = (
  { kind, question, unit, method_version }: Kind,
  about: Pick<Observation, 'subject' | 'reason'>,
): Observation => ({
  kind,
  question,
  value: null,
  ...(unit && { unit }),
  state: 'not_checked',
  ...about,
  source: 'Dossier',
  vantage: '',
  method_version,
});

/** Recorded subjects of one kind that are reported as not checked, at most: a record may name thousands. */
const mostUnlearned = 10;

const keyOf = ({ recorded, subject }: RecordedSubject) => recorded ?? subject;

/**
 * What was observed of what the listing records now; what it recorded before is history. What was not looked for at all is
 * kept, whatever it would have been about.
 */
export function recordedNow(listing: Subject, stored: readonly StoredObservation[]): StoredObservation[] {
  const keys = new Map(kinds.map(({ kind, about }) => [kind, new Set(about(listing).map(keyOf))]));
  return stored.filter((one) =>
    keyOf(one) === undefined ? one.state === 'not_checked' : keys.get(one.kind)?.has(keyOf(one)),
  );
}

/** What the listing records and nothing is known about. */
function missing(kind: Kind, known: readonly StoredObservation[], listing: Subject) {
  if (kind.isOptional || known.some((one) => keyOf(one) === undefined)) return [];
  const learned = new Set(known.map(keyOf));
  return kind
    .about(listing)
    .filter((one) => !learned.has(keyOf(one)))
    .slice(0, mostUnlearned)
    .map(({ subject }) => ({
      ...(subject !== undefined && { subject }),
      reason: 'Dossier has learned nothing about it since the record names it.',
    }));
}

/**
 * The observations of a listing as callers see them, in the order of the kinds. What the record names and nothing was
 * learned about is `not_checked`; what is older than three intervals is `stale`. `stored` is undefined before the first
 * check, and holds what `recordedNow` leaves after it.
 */
export function toObservations(
  listing: Subject,
  stored: readonly StoredObservation[] | undefined,
  observing: Observing,
): Observation[] {
  return kinds.flatMap((kind) => {
    if (!stored && (kind.isOptional || kind.about(listing).length === 0)) return [];
    if (!stored) return [unlearned(kind, { reason: 'Dossier has made no observation of this listing.' })];
    const known = stored.filter((one) => one.kind === kind.kind);
    return [
      ...known.map((one) => publish(one, kind, observing)),
      ...missing(kind, known, listing).map((about) => unlearned(kind, about)),
    ];
  });
}
