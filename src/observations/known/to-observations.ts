import { dayText } from '../../core/text.ts';
import {
  betweenDays,
  day,
  dayOf,
  isEmpty,
  join,
  onDayBefore,
  own,
  say,
  sinceDayOf,
  Words,
} from '../../core/words.ts';
import { outcomeWords } from '../asked/outcome.ts';
import type { CheckedListing, RecordedSubject } from '../asked/run.ts';
import type { Kind } from './kind.ts';
import { endpointAnswers } from './kinds/endpoint.ts';
import { kinds } from './kinds.ts';
import {
  checked_at,
  daysOfChecks,
  lastKnown,
  missedReason,
  type Observation,
  ownReason,
  type StoredObservation,
  sameSince,
} from './observation.ts';

const none = own('');

export interface Observing {
  readonly now: Date;
  readonly interval_s: number;
  /** `now` is the end of a past day. */
  readonly isPast?: boolean;
}

const staleAfter = 3;

const staleAt_ms = (observed_at: string, interval_s: number) =>
  Date.parse(observed_at) + staleAfter * interval_s * 1000;

export const toStaleAt = (observed_at: string, interval_s: number): string =>
  new Date(staleAt_ms(observed_at, interval_s)).toISOString();

/** Ms since 1970; infinity if none will become stale. */
export const nextStale_ms = (stored: readonly StoredObservation[], { now, interval_s }: Observing): number =>
  Math.min(
    ...stored
      .map(({ observed_at }) => staleAt_ms(observed_at, interval_s))
      .filter((at_ms) => at_ms > now.getTime()),
  );

function sinceWhen({ changed_from, outcome }: StoredObservation, { changed }: Kind) {
  if (!changed || changed_from?.outcome !== outcome || changed_from.value === null) return none;
  return say`${changed}. This was first seen on ${day(changed_from.seen_from)}, and the earlier state was last seen ${onDayBefore(changed_from.seen_until, changed_from.seen_from)}.`;
}

function missedText({ missed, observed_at, value }: StoredObservation): Words {
  if (!missed) return none;
  const why = new Words(missed.why ?? []);
  return value === null
    ? say`Checks since ${day(missed.since)} did not see whether that is still so. ${why}`
    : say`Last seen on ${day(observed_at)}; checks ${sinceDayOf(missed.since, observed_at)} did not see it again. ${why}`;
}

const endedText = (one: StoredObservation): Words =>
  one.missed && one.value === null ? say`On ${day(one.observed_at)}: ${outcomeWords(one)}.` : none;

const beyondText = ({ beyond }: StoredObservation, { now }: Observing): Words =>
  beyond ? say`Checks saw it before and after ${day(dayText(now))}.` : none;

const awayText = ({ away: [from, until] = ['', ''], value }: StoredObservation): Words =>
  value !== null && dayText(from) < dayText(until)
    ? say`No check asked about it ${betweenDays(from, until)}.`
    : none;

/** Of a missed fact, `missedText` speaks. */
function staleText(one: StoredObservation): Words {
  const how = one.value === null && !one.why ? say` (${outcomeWords(one)})` : none;
  return say`Last ${one.tally ? own('counted') : own('checked')} on ${day(one.observed_at)}${how}, not since.`;
}

function publish(stored: StoredObservation, kind: Kind, observing: Observing): Observation {
  const { missed, recorded: _, tally, checks: __, one_session_at: ___, beyond, why, ...rest } = stored;
  const { observed_at, first_seen_at, response: _response, last_known: last, away, same, ...fact } = rest;
  const { response } = missed ?? stored;
  const isAsked = stored.outcome !== 'not_asked';
  const isStale =
    isAsked && !beyond && observing.now.getTime() > staleAt_ms(observed_at, observing.interval_s);
  const again = awayText(stored);
  const said = [beyondText(stored, observing), sinceWhen(stored, kind), again, new Words(why ?? [])];
  const later = missedText(stored);
  // A fact without a value has a reason of its own reading, apart from those of later checks.
  const alone = join(stored.value === null ? said : [...said, later], ' ');
  const first = isStale && !missed ? staleText(stored) : endedText(stored);
  const reason = join([first, ...said, later], ' ');
  return {
    ...fact,
    // A fact that was not asked was not seen on any day.
    ...(isAsked && { observed_at, first_seen_at }),
    [checked_at]: missed?.until ?? missed?.since ?? observed_at,
    ...(!isEmpty(reason) && { reason, [ownReason]: isEmpty(alone) ? undefined : alone }),
    question: kind.question,
    ...(kind.unit && { unit: kind.unit }),
    ...(isStale && { is_stale: true as const }),
    ...(response && { response }),
    ...(away && { not_asked_since: away[0] }),
    [sameSince]: same,
    ...(missed && { missed_since: missed.since, [missedReason]: new Words(missed.why ?? []) }),
    ...(missed?.unanswered && { unanswered_since: missed.unanswered }),
    ...(tally && { [daysOfChecks]: tally }),
    ...(last && { [lastKnown]: publish(last, kind, observing) }),
  };
}

const unlearned = (
  { kind, question, unit, method_version }: Kind,
  { subject, why }: { readonly subject?: string; readonly why: Words },
): Observation => ({
  kind,
  question,
  value: null,
  ...(unit && { unit }),
  outcome: 'not_asked',
  ...(subject !== undefined && { subject }),
  reason: why,
  source: 'Dossier',
  vantage: '',
  method_version,
});

/** What checks learned by the day may no longer be stored. */
const nothingKept = own('Dossier keeps nothing about it that a check had learned by that day.');

/** A record may name thousands of subjects. */
const mostUnlearned = 10;

const keyOfObservation = ({ recorded, subject }: RecordedSubject) => recorded ?? subject;

/** Without a subject, only `not_asked` is kept. Those of a document have no `recorded`. */
export function recordedNow<One extends RecordedSubject & Pick<Observation, 'kind' | 'outcome'>>(
  listing: CheckedListing,
  stored: readonly One[],
): One[] {
  const keysOf = (one: RecordedSubject) => [keyOfObservation(one), one.subject];
  const keys = new Map<string, ReadonlySet<string | undefined>>(
    kinds.map(({ kind, about }) => [kind, new Set(about(listing).flatMap(keysOf))]),
  );
  return stored.filter((one) =>
    keyOfObservation(one) === undefined
      ? one.outcome === 'not_asked'
      : keys.get(one.kind)?.has(keyOfObservation(one)),
  );
}

/** What the record named when it was last checked, if that is not checked which it names now. */
export interface CheckedBefore {
  readonly of: 'endpoints' | 'all';
  readonly places: readonly string[];
  readonly until: string;
}

export function toCheckedNow(listing: CheckedListing, stored: readonly StoredObservation[]) {
  const observations = recordedNow(listing, stored);
  const isAsked = ({ outcome }: StoredObservation) => outcome !== 'not_asked';
  const isOfEndpoint = ({ kind }: StoredObservation) => kind === endpointAnswers.kind;
  const asked = stored.filter(isAsked);
  const askedNow = observations.filter(isAsked);
  const atEndpoints = asked.filter(isOfEndpoint);
  const isMoved = atEndpoints.length > 0 && listing.remotes.length > 0 && !askedNow.some(isOfEndpoint);
  const left = isMoved ? atEndpoints : askedNow.length > 0 ? [] : asked;
  const places = new Set(left.flatMap((one) => keyOfObservation(one) ?? []));
  if (places.size === 0) return { observations };
  const days = left.map(({ missed, observed_at }) => missed?.until ?? missed?.since ?? observed_at);
  const of = askedNow.length > 0 ? ('endpoints' as const) : ('all' as const);
  return { observations, before: { of, places: [...places], until: days.sort().at(-1) ?? '' } };
}

export const beforeWords = ({ of, until }: CheckedBefore): Words =>
  say`Since the record changed, Dossier has not checked ${own(of === 'all' ? 'what' : 'the endpoints that')} it names; what it saw until ${dayOf(until)} is of what the record named before: see get_history.`;

function missing(
  kind: Kind,
  known: readonly StoredObservation[],
  { listing, isPast }: { readonly listing: CheckedListing; readonly isPast: boolean },
) {
  if (kind.isOptional || known.some((one) => keyOfObservation(one) === undefined)) return [];
  const learned = new Set(known.map(keyOfObservation));
  return kind
    .about(listing)
    .filter((one) => !learned.has(keyOfObservation(one)))
    .slice(0, mostUnlearned)
    .map(({ subject }) => ({
      ...(subject !== undefined && { subject }),
      why: isPast ? nothingKept : own('No check that reads it has learned anything about it yet.'),
    }));
}

/** `stored`: undefined before the first check, then of `recordedNow`. */
export function toObservations(
  listing: CheckedListing,
  stored: readonly StoredObservation[] | undefined,
  observing: Observing,
): Observation[] {
  const { isPast = false } = observing;
  return kinds.flatMap((kind) => {
    if (!stored && (kind.isOptional || kind.about(listing).length === 0)) return [];
    if (!stored)
      return [
        unlearned(kind, {
          why: isPast ? nothingKept : own('Dossier has made no observation of this listing.'),
        }),
      ];
    const known = stored.filter((one) => one.kind === kind.kind);
    return [
      ...known.map((one) => publish(one, kind, observing)),
      ...missing(kind, known, { listing, isPast }).map((about) => unlearned(kind, about)),
    ];
  });
}
