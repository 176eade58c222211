import type { ClaimEvent } from '../claims/claim.ts';
import { isProof } from '../claims/fold.ts';
import { Holder } from '../core/identity.ts';
import { day_ms } from '../core/text.ts';
import { isPraise, isRelated, overlapReason, type RatingFlag, toRelationSides } from '../ratings/groups.ts';
import { newSource_ms } from '../ratings/rules.ts';
import type { CountedRating } from './check-ratings.ts';
import { rowFault } from './fault.ts';
import { notePairs, type PairEvidence } from './pairs.ts';
import type { AuditSteps } from './steps.ts';

const keyOf = (root: string | undefined, generation: number | undefined) => `${root} ${generation}`;

/** The state of one control root as a source, according to the claim events. Times are RFC 3339. */
interface SourceState {
  /** The time at which it first proved a claim here. */
  readonly first_at?: string | undefined;
  /** The time at which its newest claim ended. */
  readonly ended_at?: string | undefined;
  readonly isHeld: boolean;
}

/**
 * Reads the states of each control root from the claim events of a listing, at every moment at which a rating by it may have
 * been read: when the log had `size` entries, and after each later event. One pass serves all roots, since a listing may have
 * had thousands.
 */
function readSourceStates(events: readonly ClaimEvent[], size: number) {
  const states = new Map<string, SourceState[]>();
  /** The states of every root that has proven no claim yet. */
  const others: SourceState[] = [{ isHeld: false }];
  let held: string | undefined;
  const put = (known: SourceState[], state: SourceState, log_index: number) => {
    if (log_index < size) known.pop();
    known.push(state);
  };
  const end = ({ at, log_index }: ClaimEvent) => {
    const of = held === undefined ? undefined : states.get(held);
    held = undefined;
    if (of) put(of, { ...of.at(-1), ended_at: at, isHeld: false }, log_index);
    if (others.at(-1)?.ended_at === undefined) put(others, { ended_at: at, isHeld: false }, log_index);
  };
  for (const event of events) {
    const key = keyOf(event.root, event.root_generation);
    if (event.type === 'suspended' || (isProof(event) && key !== held)) {
      const before = [...others];
      end(event);
      if (event.type === 'suspended') continue;
      const known = states.get(key) ?? before;
      states.set(key, known);
      held = key;
      put(known, { first_at: known.at(-1)?.first_at ?? event.at, isHeld: true }, event.log_index);
    }
  }
  return (root: string, generation: number) => states.get(keyOf(root, generation)) ?? others;
}

/** The identities that claims of a listing proved: those before the audit began, and all of them. */
function readProven(events: readonly ClaimEvent[], size: number) {
  const [before, all] = [new Set<string>(), new Set<string>()];
  for (const { root = '', log_index } of events.filter(isProof))
    for (const value of new Holder(root).proven) {
      all.add(value);
      if (log_index < size) before.add(value);
    }
  return [before, all];
}

/** Caches what `read` makes of the claim events of a listing, because many ratings of it are judged by that. */
function createMemo<T>(
  { eventsOf, size }: Pick<PairEvidence, 'eventsOf' | 'size'>,
  read: (events: readonly ClaimEvent[], size: number) => T,
) {
  const known = new Map<string, T | undefined>();
  return (handle: string): T | undefined => {
    if (!known.has(handle)) {
      const events = eventsOf(handle);
      known.set(handle, events && read(events, size));
    }
    return known.get(handle);
  };
}

interface JudgedRating {
  readonly rating: CountedRating;
  /** The states of its source at each moment at which the rating may have been read; undefined if they are not known. */
  readonly states: readonly SourceState[] | undefined;
  readonly related: boolean | undefined;
  readonly reciprocal: boolean | undefined;
}

/** The single distinct value in a list; undefined if there are several, or none. */
function agreed<T>(values: readonly T[] = []): T | undefined {
  const [first, ...others] = new Set(values);
  return others.length === 0 ? first : undefined;
}

const newUntil_ms = ({ first_at }: SourceState) => Date.parse(first_at ?? '') + newSource_ms;

/** Whether a source was new on the day of a reading; undefined if that depends on the hour. */
function isNew(state: SourceState, { read_on }: CountedRating): boolean | undefined {
  const left_ms = newUntil_ms(state) - Date.parse(read_on);
  const isSoon = Number.isNaN(left_ms) || (left_ms > -day_ms && left_ms < 2 * day_ms);
  return isSoon ? undefined : left_ms > 0;
}

function isProvenRelated(rating: CountedRating, proven: Iterable<string>): boolean {
  const identities = [...proven].map((value) => ({
    ...{ handle: rating.subject_handle, kind: 'proven' as const, value },
    first_imported_at: '',
  }));
  return isRelated(toRelationSides(rating, identities), isPraise(rating));
}

/** The expected value of each flag of a rating; undefined if it is not known. */
const toExpected = ({
  rating,
  states,
  related,
  reciprocal,
}: JudgedRating): Partial<Record<RatingFlag, boolean | undefined>> => ({
  related,
  declared_interest: rating.isDeclared || (rating.isUnknown ? undefined : false),
  reciprocal,
  source_ended: agreed(states?.map(({ isHeld }) => !isHeld)),
  new_source: agreed(states?.map((state) => isNew(state, rating))),
});

/**
 * Whether a record may set this rating apart. Only the record of the source may do so for criticism, and only a record read
 * before the first version of the rating (for praise: before the first version that praises).
 */
function isAllowedOverlap(rating: CountedRating, at: string): boolean {
  const { source_handle: source, subject_handle: subject, group_reason } = rating;
  if (at > (isPraise(rating) ? rating.praised_at : rating.first_created_at).slice(0, 10)) return false;
  const bySource = overlapReason({ by: source, of: subject, at });
  return (
    group_reason === bySource ||
    (isPraise(rating) && group_reason === overlapReason({ by: subject, of: source, at }))
  );
}

/** The date that the published reason of a group names, taken from a state of the source. */
const datesOf: Partial<
  Record<NonNullable<CountedRating['group']>, (state: SourceState) => string | undefined>
> = {
  source_ended: ({ ended_at }) => ended_at,
  new_source: (state) => state.first_at && new Date(newUntil_ms(state)).toISOString(),
};

/** The fault of the published reason: a date that is not in the log, or a record that cannot set the rating apart. */
function findReasonFault({ rating, states = [] }: JudgedRating): string | undefined {
  const { group, group_reason } = rating;
  const shown = /\d{4}-\d\d-\d\d/.exec(group_reason)?.[0] ?? '';
  if (group === 'stated_overlap')
    return isAllowedOverlap(rating, shown)
      ? undefined
      : `it is shown as stated_overlap by a record that cannot set it apart: ${group_reason}`;
  const said = states.flatMap((state) => (group && datesOf[group]?.(state))?.slice(0, 10) ?? []);
  if (said.length === 0 || said.includes(shown)) return undefined;
  return `it is shown as ${group} with the date ${shown}, but claim events in the log lead to ${said[0]}`;
}

/** Yields the faults in the group and flags of one rating, and adds its unknown flags to `unknown`. */
function* findFaultsOf(judged: JudgedRating, unknown: Map<string, number>): Generator<string> {
  const { group, flags } = judged.rating;
  for (const [flag, expected] of Object.entries(toExpected(judged)))
    if (expected === undefined) unknown.set(flag, (unknown.get(flag) ?? 0) + 1);
    else if (flags.some((one) => one === flag) !== expected)
      yield expected
        ? `it is not shown as ${flag}, which ratings and claim events in the log make it`
        : `it is shown as ${flag}, which no rating or claim event in the log makes it`;
  if (group !== (flags[0] ?? 'independent'))
    yield `it is shown in ${group ? `the group ${group}` : 'no group'}, but its flags are ${flags.join(', ') || 'none'}`;
  const reason = findReasonFault(judged);
  if (reason) yield reason;
}

/**
 * Finds ratings whose group or flags do not follow from the ratings and claim events in the log. Returns, for each flag, the
 * number of ratings for which it is not known.
 */
export function* findGroupFaults(evidence: PairEvidence): AuditSteps<ReadonlyMap<string, number>> {
  const unknown = new Map<string, number>();
  const isPaired = yield* notePairs(evidence);
  const statesOf = createMemo(evidence, readSourceStates);
  const provenOf = createMemo(evidence, readProven);
  for (const rating of evidence.ratings) {
    yield undefined;
    if (!rating.isCurrent) continue;
    const { rating_id, source_handle, source_root, source_root_generation, subject_handle } = rating;
    const judged: JudgedRating = {
      rating,
      states: statesOf(source_handle)?.(source_root, source_root_generation),
      related: agreed(provenOf(subject_handle)?.map((proven) => isProvenRelated(rating, proven))),
      reciprocal: isPraise(rating) && isPaired(rating),
    };
    for (const message of findFaultsOf(judged, unknown))
      yield rowFault(`rating ${rating_id} of ${subject_handle}`, message);
  }
  return unknown;
}
