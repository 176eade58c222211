import type { ClaimEvent } from '../claims/claim.ts';
import { afterEvent, type LoggedClaim, rootKey } from '../claims/fold.ts';
import { Holder } from '../core/identity.ts';
import { memoize } from '../core/lazy.ts';
import { day_ms, dayText } from '../core/text.ts';
import { toNewUntil } from '../ratings/fold.ts';
import { isPraise, isRelated, overlapReason, type RatingFlag } from '../ratings/groups.ts';
import { type GroupEvidence, notePairs, readHolders } from './check-pairs.ts';
import type { CountedRating } from './check-ratings.ts';
import { rowFault } from './fault.ts';
import type { AuditSteps } from './steps.ts';

/** The state of one control root of a source, according to the claim events. */
interface SourceState {
  readonly first_proved_at?: string;
  readonly ended_at?: string | undefined;
  readonly isHeld: boolean;
}

/**
 * Returns a function that gives the states of a control root of a source: at `size` entries, and after each
 * later change. A rating by this root may have been read at any of these moments. The states are undefined if
 * some events may be unread. All roots of a listing are read in one pass, because a listing may have had
 * thousands.
 */
function readSourceStates(events: readonly ClaimEvent[] | undefined, size: number) {
  const states = new Map<string, SourceState[]>();
  let claim: LoggedClaim | undefined;
  for (const event of events ?? []) {
    const before = claim;
    claim = afterEvent(before, event);
    for (const one of new Set([before, claim])) {
      if (!one) continue;
      const known = states.get(rootKey(one)) ?? [];
      states.set(rootKey(one), known);
      const last = known.at(-1);
      const isHeld = claim?.state === 'claimed' && rootKey(claim) === rootKey(one);
      if (last?.isHeld === isHeld) continue;
      if (event.log_index < size) known.pop();
      const { first_proved_at } = one;
      known.push(isHeld ? { first_proved_at, isHeld } : { first_proved_at, isHeld, ended_at: event.at });
    }
  }
  return (source: Parameters<typeof rootKey>[0]) =>
    events && (states.get(rootKey(source)) ?? [{ isHeld: false }]);
}

interface JudgedRating {
  readonly rating: CountedRating;
  readonly states: readonly SourceState[] | undefined;
  readonly related: boolean | undefined;
  readonly reciprocal: boolean | undefined;
}

function agreed<T>(values: readonly T[] = []): T | undefined {
  const [first, ...others] = new Set(values);
  return others.length === 0 ? first : undefined;
}

const newUntilOf = ({ first_proved_at = '' }: SourceState): string | undefined =>
  Number.isNaN(Date.parse(first_proved_at)) ? undefined : toNewUntil(first_proved_at);

/**
 * Returns undefined if it is not known when the source stops being new, or if that is so close to the day of
 * the reading that the hour decides.
 */
function isNew(state: SourceState, { read_on }: CountedRating): boolean | undefined {
  const left_ms = Date.parse(newUntilOf(state) ?? '') - Date.parse(read_on);
  const isSoon = Number.isNaN(left_ms) || (left_ms > -day_ms && left_ms < 2 * day_ms);
  return isSoon ? undefined : left_ms > 0;
}

const isRelatedTo = (rating: CountedRating, proven: readonly Holder[]): boolean => {
  const source = [Holder.ofNamespace(rating.source_handle), new Holder(rating.source_root)];
  return isRelated({ source: { proven: source }, subject: { proven } }, isPraise(rating));
};

const toExpected = ({
  rating,
  states,
  related,
  reciprocal,
}: JudgedRating): Partial<Record<RatingFlag, boolean | undefined>> => ({
  related,
  declared_interest: rating.declared_interest || (rating.isUnknown ? undefined : false),
  reciprocal,
  source_ended: agreed(states?.map(({ isHeld }) => !isHeld)),
  new_source: agreed(states?.map((state) => isNew(state, rating))),
});

const dayIn = (reason: string) => /\d{4}-\d\d-\d\d/.exec(reason)?.[0];

/**
 * Criticism may be set apart by the record of the source alone. Praise may be set apart by the record of the
 * source or of the subject. The record must have been read on or before the day of the first version or, for
 * praise, the first version that praises.
 */
function isAllowedOverlap(rating: CountedRating): boolean {
  const { source_handle: source, subject_handle: subject, group_reason } = rating;
  const at = dayIn(group_reason) ?? '';
  const { first_created_at, praised_at = first_created_at } = rating;
  if (at > dayText(isPraise(rating) ? praised_at : first_created_at)) return false;
  const bySource = overlapReason({ by: source, of: subject, at });
  return (
    group_reason === bySource ||
    (isPraise(rating) && group_reason === overlapReason({ by: subject, of: source, at }))
  );
}

const dates = [
  ['new_until', 'new_source', newUntilOf],
  ['source_ended_at', 'source_ended', ({ ended_at }: SourceState) => ended_at],
] as const;

/** A date is read from its column or, if the column is not shown, from the reason of the group. */
function* findDateFaults({ rating, states = [] }: JudgedRating): Generator<string> {
  for (const [column, group, toDate] of dates) {
    const inReason = rating.group === group ? dayIn(rating.group_reason) : undefined;
    const shown = rating[column] ?? inReason;
    const said = states.flatMap((state) => toDate(state) ?? []);
    if (shown && said.length > 0 && !said.some((date) => date.startsWith(shown)))
      yield `its date of ${group} is ${shown}, but claim events in the log lead to ${said[0]}`;
  }
}

/** Adds one to the count in `unknown` of each flag that cannot be computed. */
function* findFaultsOf(judged: JudgedRating, unknown: Map<string, number>): Generator<string> {
  const { group, flags } = judged.rating;
  for (const [flag, expected] of Object.entries(toExpected(judged)))
    if (expected === undefined) unknown.set(flag, (unknown.get(flag) ?? 0) + 1);
    else if (flags.some((one) => one === flag) !== expected)
      yield expected
        ? `it is not shown as ${flag}, but the ratings and claim events in the log make it ${flag}`
        : `it is shown as ${flag}, but no rating or claim event in the log makes it ${flag}`;
  if (group !== (flags[0] ?? 'independent'))
    yield `it is shown in ${group ? `the group ${group}` : 'no group'}, but its flags are ${flags.join(', ') || 'none'}`;
  if (group === 'stated_overlap' && !isAllowedOverlap(judged.rating))
    yield `it is shown as stated_overlap because of a record that cannot set it apart: ${judged.rating.group_reason}`;
  yield* findDateFaults(judged);
}

/**
 * Finds ratings whose group or flags do not follow from the ratings and claim events in the log. Returns for
 * each flag the number of ratings for which it cannot be computed.
 */
export function* findGroupFaults(evidence: GroupEvidence): AuditSteps<ReadonlyMap<string, number>> {
  const unknown = new Map<string, number>();
  const { eventsOf, size } = evidence;
  const holdersOf = memoize((handle) => readHolders(handle, evidence), Infinity);
  const statesOf = memoize((handle) => readSourceStates(eventsOf(handle), size), Infinity);
  const isPaired = yield* notePairs(evidence, holdersOf);
  for (const rating of evidence.ratings) {
    yield undefined;
    if (!rating.isCurrent) continue;
    const { rating_id, source_handle, subject_handle } = rating;
    const source = { root: rating.source_root, root_generation: rating.source_root_generation };
    const { sure, possible, isWhole } = holdersOf(subject_handle);
    const judged: JudgedRating = {
      rating,
      states: statesOf(source_handle)(source),
      related: isWhole ? agreed([sure, possible].map((proven) => isRelatedTo(rating, proven))) : undefined,
      reciprocal: isPraise(rating) && isPaired(rating),
    };
    for (const message of findFaultsOf(judged, unknown))
      yield rowFault(`rating ${rating_id} of ${subject_handle}`, message);
  }
  return unknown;
}
