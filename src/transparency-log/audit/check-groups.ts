import type { ClaimEvent } from '../../evidence/listing/listing-document.ts';
import { isPraise, type RatingFlag } from '../../evidence/rating/groups.ts';
import { rootIdentity } from '../../evidence/rating/identity.ts';
import { isCurrent, type RatingRecord } from '../../evidence/rating/rating.ts';
import { interestedRelationships, newSource_ms } from '../../evidence/rating/rating-rules.ts';
import { isRelated, toRelationSides } from '../../evidence/rating/relation.ts';
import { claimOf, isProof, longestHistory } from './check-claim.ts';
import type { ShownListing } from './evidence-reader.ts';
import { type AuditFault, rowFault } from './fault.ts';

const day_ms = 86_400_000;

/** A current rating, and what its other versions say of it. */
export interface CountedRating
  extends Pick<
    RatingRecord,
    | 'rating_id'
    | 'subject_handle'
    | 'source_handle'
    | 'source_root'
    | 'source_root_generation'
    | 'group'
    | 'flags'
    | 'outcome'
    | 'score'
  > {
  readonly isDeclared: boolean;
  /** Whether a version that is erased may have declared what no other one does. */
  readonly isUnknown: boolean;
  /** The day on which it was read. */
  readonly read_on: string;
}

/** What the claim events of a listing say of the roots that proved it. */
export interface ClaimFacts {
  /** When each root first proved a claim here, by `root generation`. */
  readonly first: ReadonlyMap<string, string>;
  /** The root whose claim is in force, as `root generation`. */
  readonly held: string | undefined;
  readonly roots: readonly string[];
  /** Whether the history shows every event. */
  readonly isWhole: boolean;
}

const keyOf = (root: string | undefined, generation: number | undefined) => `${root} ${generation}`;

/** The facts of a listing's claim events. */
export function toClaimFacts(events: readonly ClaimEvent[]): ClaimFacts {
  const proofs = events.filter(isProof).toSorted((a, b) => a.log_index - b.log_index);
  const first = new Map<string, string>();
  for (const { root, root_generation, at } of proofs) {
    const key = keyOf(root, root_generation);
    if (!first.has(key)) first.set(key, at);
  }
  const claim = claimOf(events);
  return {
    first,
    held: claim?.state === 'claimed' ? keyOf(claim.root, claim.root_generation) : undefined,
    roots: [...new Set(proofs.flatMap(({ root = [] }) => root))],
    isWhole: events.length < longestHistory,
  };
}

/** The current ratings that a listing shows. */
export function toCounted({ ratings, read_on }: ShownListing): CountedRating[] {
  const byId = new Map(ratings.map((rating) => [rating.rating_id, rating]));
  const versions = Map.groupBy(
    // What is erased has no interaction any more.
    ratings.filter(({ erased_at }) => erased_at === undefined),
    ({ source_handle, interaction_id }) => `${source_handle} ${interaction_id}`,
  );
  return ratings.filter(isCurrent).map((rating) => {
    const same = [...(versions.get(`${rating.source_handle} ${rating.interaction_id}`) ?? [])];
    for (let one = byId.get(rating.supersedes ?? ''); one; one = byId.get(one.supersedes ?? ''))
      same.push(one);
    const isOfSource = ({ source_handle }: RatingRecord) => source_handle === rating.source_handle;
    return {
      ...rating,
      read_on,
      isDeclared: same.some(({ relationship }) => interestedRelationships.includes(relationship)),
      isUnknown: ratings.some((one) => one.erased_at !== undefined && isOfSource(one)),
    };
  });
}

const none: ClaimFacts = { first: new Map(), held: undefined, roots: [], isWhole: true };

/** Whether each flag must be there; undefined if the log does not decide it. */
function toExpected(
  rating: CountedRating,
  claims: ReadonlyMap<string, ClaimFacts>,
): Partial<Record<RatingFlag, boolean | undefined>> {
  const { source_handle, subject_handle, source_root, source_root_generation, isDeclared } = rating;
  const source = claims.get(source_handle) ?? none;
  const subject = claims.get(subject_handle) ?? none;
  const key = keyOf(source_root, source_root_generation);
  const newUntil_ms = Date.parse(source.first.get(key) ?? '') + newSource_ms;
  const left_ms = newUntil_ms - Date.parse(rating.read_on);
  // Within a day of the end, the hour of the reading would decide.
  const isSoon = Number.isNaN(left_ms) || (left_ms > -day_ms && left_ms < 2 * day_ms);
  const proven = subject.roots.map((root) => ({
    ...{ handle: subject_handle, kind: 'proven' as const, value: rootIdentity(root) },
    first_imported_at: '',
  }));
  return {
    ...(subject.isWhole && { related: isRelated(toRelationSides(rating, proven)) }),
    // Whether praise has a pair depends on more than the log keeps.
    ...(!isPraise(rating) && { reciprocal: false }),
    declared_interest: isDeclared || (rating.isUnknown ? undefined : false),
    ...(source.isWhole && {
      source_ended: source.held !== key,
      new_source: isSoon ? undefined : left_ms > 0,
    }),
  };
}

/** Ratings whose group or flags are not those that ratings and claim events, which the log holds, lead to. */
export function* findGroupFaults(
  ratings: readonly CountedRating[],
  claims: ReadonlyMap<string, ClaimFacts>,
): Generator<AuditFault> {
  for (const rating of ratings) {
    const { rating_id, subject_handle, group, flags } = rating;
    const where = `rating ${rating_id} of ${subject_handle}`;
    for (const [flag, expected] of Object.entries(toExpected(rating, claims)))
      if (expected !== undefined && flags.some((one) => one === flag) !== expected)
        yield rowFault(
          where,
          expected
            ? `it is not shown as ${flag}, which ratings and claim events in the log make it`
            : `it is shown as ${flag}, which no rating or claim event in the log makes it`,
        );
    if (group !== (flags[0] ?? 'independent'))
      yield rowFault(
        where,
        `it is shown in the group ${group}, but its flags are ${flags.join(', ') || 'none'}`,
      );
  }
}
