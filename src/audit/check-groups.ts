import { afterEvent, type ClaimEvent, isProof, type LoggedClaim, rootKey } from '../claims/claim.ts';
import { Holder } from '../core/identity.ts';
import { memoize } from '../core/lazy.ts';
import { day_ms, dayText } from '../core/text.ts';
import { isPraise, isRelated, overlapReason, type RatingFlag } from '../ratings/groups.ts';
import { createPairs, type PairHalf } from '../ratings/pairs.ts';
import { toNewUntil, toSpan } from '../ratings/rules.ts';
import type { CountedRating } from './check-listing.ts';
import { type AuditSteps, rowFault } from './fault.ts';

interface GroupEvidence {
  readonly ratings: readonly CountedRating[];
  /** Only the log shows these. */
  readonly unshown: readonly Pick<CountedRating, 'subject_handle' | 'source_root'>[];
  /** False if there may be ratings that neither a listing nor an entry shows. */
  readonly isWhole: boolean;
  /** In the order of the log; undefined if some may be unread. */
  readonly eventsOf: (handle: string) => readonly ClaimEvent[] | undefined;
}

type SourceState = Readonly<Partial<Record<'first_proved_at' | 'ended_at', string>>>;

/** In one pass, because a listing may have had thousands of control roots. */
function readSourceStates(events: readonly ClaimEvent[]): ReadonlyMap<string, SourceState> {
  const known = new Map<string, SourceState>();
  let claim: LoggedClaim | undefined;
  for (const event of events) {
    const before = claim;
    claim = afterEvent(before, event);
    const held = claim?.state === 'claimed' ? rootKey(claim) : undefined;
    if (before?.state === 'claimed' && rootKey(before) !== held)
      known.set(rootKey(before), { first_proved_at: before.first_proved_at, ended_at: event.at });
    if (claim && held) known.set(held, { first_proved_at: claim.first_proved_at });
  }
  return known;
}

const newUntilOf = ({ first_proved_at = '' }: SourceState): string | undefined =>
  Number.isNaN(Date.parse(first_proved_at)) ? undefined : toNewUntil(first_proved_at);

/** Undefined if it is not known when the source stops being new, or if the hour of the reading decides. */
function isNew(state: SourceState, { read_on }: CountedRating): boolean | undefined {
  const left_ms = Date.parse(newUntilOf(state) ?? '') - Date.parse(read_on);
  const isSoon = Number.isNaN(left_ms) || (left_ms > -day_ms && left_ms < 2 * day_ms);
  return isSoon ? undefined : left_ms > 0;
}

function readHolders(handle: string, events: readonly ClaimEvent[] | undefined) {
  const roots = new Set(events?.flatMap((event) => (isProof(event) ? (event.root ?? '') : [])));
  const proven = [Holder.ofNamespace(handle), ...[...roots].map((root) => new Holder(root))];
  return { proven, isWhole: events !== undefined };
}
type ProvenHolders = ReturnType<typeof readHolders>;

const isRelatedTo = (rating: CountedRating, { proven }: ProvenHolders): boolean => {
  const source = [Holder.ofNamespace(rating.source_handle), new Holder(rating.source_root)];
  return isRelated({ source: { proven: source }, subject: { proven } }, isPraise(rating));
};

/** For an unknown time. */
const always = { from_ms: -Infinity, until_ms: Infinity };

const toHalf = (rating: CountedRating): PairHalf => {
  const { source_root, subject_handle, isUnknown } = rating;
  return { source_root, subject_handle, ...(isUnknown ? always : toSpan(rating)) };
};

/** The returned function gives undefined if it is not known whether a rating has a counterpart. */
function* notePairs(
  { ratings, unshown, isWhole }: GroupEvidence,
  holdersOf: (handle: string) => ProvenHolders,
) {
  const raters = new Set<string>();
  for (const { source_root } of [...ratings, ...unshown]) {
    yield undefined;
    raters.add(new Holder(source_root).id);
  }
  // Those that made no rating cannot be half of a pair, and a listing may have had thousands.
  const ratersOf = memoize(
    (handle) => new Set(holdersOf(handle).proven.map(({ id }) => id)).intersection(raters),
    Infinity,
  );
  const sure = createPairs(ratersOf);
  const possible = createPairs(ratersOf);
  for (const rating of ratings) {
    yield undefined;
    if (rating.withdrawn_at === undefined) (rating.isUnknown ? possible : sure).add(toHalf(rating));
  }
  for (const half of unshown) possible.add({ ...half, ...always });
  return (rating: CountedRating): boolean | undefined => {
    const half = toHalf(rating);
    const isSure = sure.has(half);
    if (isSure && !rating.isUnknown) return true;
    const isKnown = isWhole && holdersOf(rating.subject_handle).isWhole && !isSure && !possible.has(half);
    return isKnown ? false : undefined;
  };
}

interface JudgedRating {
  readonly rating: CountedRating;
  /** Undefined if claim events of the source may be unread. */
  readonly state: SourceState | undefined;
  readonly related: boolean | undefined;
  readonly reciprocal: boolean | undefined;
}

const toExpected = ({
  rating,
  state,
  related,
  reciprocal,
}: JudgedRating): Partial<Record<RatingFlag, boolean | undefined>> => ({
  related,
  declared_interest: rating.declared_interest || (rating.isUnknown ? undefined : false),
  reciprocal,
  source_ended: state && (state.first_proved_at === undefined || state.ended_at !== undefined),
  new_source: state && isNew(state, rating),
});

const dayIn = (reason: string) => /\d{4}-\d\d-\d\d/.exec(reason)?.[0];

/**
 * The record of the source may set criticism apart; that of the source or subject, praise. It must have been
 * read by the day of the first version or, for praise, of the first that praises.
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

/** If its column is not shown, a date is read from the reason of the group. */
function* findDateFaults({ rating, state = {} }: JudgedRating): Generator<string> {
  for (const [column, group, toDate] of dates) {
    const shown = rating[column] ?? (rating.group === group ? dayIn(rating.group_reason) : undefined);
    const said = toDate(state);
    if (shown && said && !said.startsWith(shown))
      yield `its date of ${group} is ${shown}, but claim events in the log lead to ${said}`;
  }
}

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

/** Returns how many ratings each flag cannot be computed for. */
export function* findGroupFaults(evidence: GroupEvidence): AuditSteps<ReadonlyMap<string, number>> {
  const unknown = new Map<string, number>();
  const { eventsOf } = evidence;
  const holdersOf = memoize((handle) => readHolders(handle, eventsOf(handle)), Infinity);
  const statesOf = memoize((handle) => {
    const events = eventsOf(handle);
    return { known: events && readSourceStates(events) };
  }, Infinity);
  const isPaired = yield* notePairs(evidence, holdersOf);
  for (const rating of evidence.ratings) {
    yield undefined;
    if (!rating.isCurrent) continue;
    const { rating_id, source_handle, subject_handle } = rating;
    const source = rootKey({ root: rating.source_root, root_generation: rating.source_root_generation });
    const { known } = statesOf(source_handle);
    const holders = holdersOf(subject_handle);
    const judged: JudgedRating = {
      rating,
      state: known && (known.get(source) ?? {}),
      related: holders.isWhole ? isRelatedTo(rating, holders) : undefined,
      reciprocal: isPraise(rating) && isPaired(rating),
    };
    for (const message of findFaultsOf(judged, unknown))
      yield rowFault(`rating ${rating_id} of ${subject_handle}`, message, subject_handle);
  }
  return unknown;
}
