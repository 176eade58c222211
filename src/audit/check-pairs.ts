import type { ClaimEvent } from '../claims/claim.ts';
import { isProof } from '../claims/fold.ts';
import { Holder, namespaceIdentity } from '../core/identity.ts';
import { toSpan } from '../ratings/fold.ts';
import { createPairs, type PairHalf } from '../ratings/pairs.ts';
import type { CountedRating } from './check-ratings.ts';

/** What a listing and the log tell of the sources of ratings. */
export interface GroupEvidence {
  readonly ratings: readonly CountedRating[];
  /** Whether every entry was read: else there may be ratings that neither a listing nor an entry shows. */
  readonly isWhole: boolean;
  /** Ratings that only the log shows, because their listing is withdrawn. */
  readonly unshown: readonly Pick<CountedRating, 'subject_handle' | 'source_root'>[];
  /** Claim events of a listing in the order of the log; undefined if some of them may not be readable. */
  readonly eventsOf: (handle: string) => readonly ClaimEvent[] | undefined;
  /** The log index of the entry that withdrew or erased a rating. */
  readonly endedBy: (rating: CountedRating) => number | undefined;
  /** The size of the log when the audit began; whether later entries are reflected in what was read is unknown. */
  readonly size: number;
}

/**
 * Returns a function that finds the holders of a listing that rated some listing: its namespace and everybody who proved a claim to it,
 * `sure` before the audit began. The others made no rating that could be the other half of a pair, and there may be thousands of them.
 */
function createHolders({ eventsOf, size }: GroupEvidence, raters: ReadonlySet<string>) {
  const read = (handle: string) => {
    const events = eventsOf(handle);
    const [sure, possible] = [new Set([namespaceIdentity(handle)]), new Set([namespaceIdentity(handle)])];
    for (const { log_index, root = '' } of (events ?? []).filter(isProof)) {
      const { id } = new Holder(root);
      possible.add(id);
      if (log_index < size) sure.add(id);
    }
    const [ofSure, ofPossible] = [sure.intersection(raters), possible.intersection(raters)];
    return { sure: ofSure, possible: ofPossible, isWhole: events !== undefined };
  };
  const known = new Map<string, ReturnType<typeof read>>();
  return (handle: string) => {
    const holders = known.get(handle) ?? read(handle);
    known.set(handle, holders);
    return holders;
  };
}

/** A rating whose time is unknown may have been made at any time. */
const always = { from_ms: -Infinity, until_ms: Infinity };

const toHalf = (rating: CountedRating): PairHalf => {
  const { source_root, subject_handle, isUnknown } = rating;
  return { source_root, subject_handle, ...(isUnknown ? always : toSpan(rating)) };
};

/**
 * Collects all ratings in steps. Returns a function that tells whether a rating has a counterpart in the other direction; undefined
 * if that is not known: the ratings that certainly stand have none, and those that may stand have one.
 */
export function* notePairs(evidence: GroupEvidence) {
  const { ratings, unshown, isWhole, endedBy, size } = evidence;
  const raters = new Set<string>();
  for (const listed of [ratings, unshown])
    for (const { source_root } of listed) {
      yield undefined;
      raters.add(new Holder(source_root).id);
    }
  const holdersOf = createHolders(evidence, raters);
  const sure = createPairs((handle) => holdersOf(handle).sure);
  const possible = createPairs((handle) => holdersOf(handle).possible);
  for (const rating of ratings) {
    yield undefined;
    const end = endedBy(rating) ?? (rating.withdrawn_at === undefined ? Infinity : -1);
    if (end < size) continue;
    possible.add(toHalf(rating));
    if (rating.log_index < size && end === Infinity && !rating.isUnknown) sure.add(toHalf(rating));
  }
  for (const half of unshown) {
    yield undefined;
    possible.add({ ...half, ...always });
  }
  return (rating: CountedRating): boolean | undefined => {
    const half = toHalf(rating);
    if (!rating.isUnknown && sure.has(half)) return true;
    return isWhole && holdersOf(rating.subject_handle).isWhole && !possible.has(half) ? false : undefined;
  };
}
