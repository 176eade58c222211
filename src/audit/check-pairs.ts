import type { ClaimEvent } from '../claims/claim.ts';
import { isProof } from '../claims/fold.ts';
import { Holder } from '../core/identity.ts';
import { memoize } from '../core/lazy.ts';
import { toSpan } from '../ratings/fold.ts';
import { createPairs, type PairHalf } from '../ratings/pairs.ts';
import type { CountedRating } from './check-ratings.ts';

export interface GroupEvidence {
  readonly ratings: readonly CountedRating[];
  /** If false, there may be ratings that neither a listing nor an entry shows. */
  readonly isWhole: boolean;
  readonly unshown: readonly Pick<CountedRating, 'subject_handle' | 'source_root'>[];
  /** Returns the events in the order of the log, or undefined if some events may be unread. */
  readonly eventsOf: (handle: string) => readonly ClaimEvent[] | undefined;
  /**
   * Returns the log index of the entry that withdrew or erased a rating, or undefined if there is no such
   * entry.
   */
  readonly endedBy: (rating: CountedRating) => number | undefined;
  /** The size of the log when the audit began. The listings as read may or may not reflect later entries. */
  readonly size: number;
}

/**
 * Returns the holders of a listing: its namespace, and the control roots that proved a claim to it. `sure`
 * has the holders from before the audit began, and `possible` also has the later ones. `isWhole` is false if
 * some claim events may be unread.
 */
export function readHolders(handle: string, { eventsOf, size }: Pick<GroupEvidence, 'eventsOf' | 'size'>) {
  const events = eventsOf(handle);
  const until = (end: number) => {
    const roots = (events ?? []).flatMap((event) =>
      isProof(event) && event.log_index < end ? (event.root ?? '') : [],
    );
    return [Holder.ofNamespace(handle), ...[...new Set(roots)].map((root) => new Holder(root))];
  };
  return { sure: until(size), possible: until(Infinity), isWhole: events !== undefined };
}

/** The span of a rating whose time is unknown. */
const always = { from_ms: -Infinity, until_ms: Infinity };

const toHalf = (rating: CountedRating): PairHalf => {
  const { source_root, subject_handle, isUnknown } = rating;
  return { source_root, subject_handle, ...(isUnknown ? always : toSpan(rating)) };
};

/**
 * Returns a function that tells whether a rating has a counterpart in the other direction. That function
 * returns undefined if this is not known.
 */
export function* notePairs(
  evidence: GroupEvidence,
  holdersOf: (handle: string) => ReturnType<typeof readHolders>,
) {
  const { ratings, unshown, isWhole, endedBy, size } = evidence;
  const raters = new Set<string>();
  for (const listed of [ratings, unshown])
    for (const { source_root } of listed) {
      yield undefined;
      raters.add(new Holder(source_root).id);
    }
  // Control roots that made no rating cannot be the other half of a pair. They are left out, because a
  // listing may have had thousands of control roots.
  const create = (which: 'sure' | 'possible') =>
    createPairs(
      memoize(
        (handle) => new Set(holdersOf(handle)[which].map(({ id }) => id)).intersection(raters),
        Infinity,
      ),
    );
  const sure = create('sure');
  const possible = create('possible');
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
