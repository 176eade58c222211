import type { ClaimEvent } from '../claims/claim.ts';
import { namespaceIdentity, rootIdentity } from '../core/identity.ts';
import { day_ms } from '../core/text.ts';
import { isProof } from './check-claims.ts';
import type { CountedRating } from './check-ratings.ts';

/** Two ratings within this time in both directions are a pair. */
const pair_ms = 90 * day_ms;

/** Times in ms since 1970; sorted when they are first counted. */
function createTimes() {
  const added: number[] = [];
  let sorted: Float64Array | undefined;
  return {
    add(time_ms: number) {
      added.push(time_ms);
      sorted = undefined;
    },
    countUntil(until_ms: number): number {
      sorted ??= Float64Array.from(added).sort();
      let [from, to] = [0, sorted.length];
      while (from < to) {
        const middle = (from + to) >> 1;
        if ((sorted[middle] ?? Number.NaN) <= until_ms) from = middle + 1;
        else to = middle;
      }
      return from;
    },
  };
}

type Times = Pick<CountedRating, 'first_created_at' | 'praised_at'>;

/** The spans from the first version of a rating to the first that praises. */
function createSpans() {
  const [begins, ends] = [createTimes(), createTimes()];
  return {
    add({ first_created_at, praised_at }: Times) {
      begins.add(Date.parse(first_created_at));
      ends.add(Date.parse(praised_at));
    },
    /** Whether one of them is within 90 days of the span of another rating. */
    hasNear({ first_created_at, praised_at }: Times): boolean {
      const begun = begins.countUntil(Date.parse(praised_at) + pair_ms);
      // Times are in whole milliseconds.
      return begun > ends.countUntil(Date.parse(first_created_at) - pair_ms - 1);
    },
  };
}

/** The ratings by one holder of listings of another one. */
const createDirection = () => ({
  /** Those that are known to stand, of listings that are known to be the other one's. */
  sure: createSpans(),
  possible: createSpans(),
  /** Whether there is one of which it is not known when it was made. */
  hasUndated: false,
});

/** Who holds each listing, by its namespace and its claims. */
function createHolders({ eventsOf, size }: Pick<PairEvidence, 'eventsOf' | 'size'>) {
  const read = (handle: string) => {
    const events = eventsOf(handle);
    const namespace = namespaceIdentity(handle);
    const [sure, possible] = [new Set([namespace]), new Set([namespace])];
    for (const { log_index, root = '' } of (events ?? []).filter(isProof)) {
      possible.add(rootIdentity(root));
      if (log_index < size) sure.add(rootIdentity(root));
    }
    return { sure, possible, isWhole: events !== undefined };
  };
  const known = new Map<string, ReturnType<typeof read>>();
  return (handle: string) => {
    const holders = known.get(handle) ?? read(handle);
    known.set(handle, holders);
    return holders;
  };
}

export interface PairEvidence {
  readonly ratings: readonly CountedRating[];
  /** Ratings that only the log shows, because their listing is withdrawn. */
  readonly unshown: Iterable<Pick<CountedRating, 'subject_handle' | 'source_root'>>;
  /** In the order of the log; undefined if some of them may not be readable. */
  readonly eventsOf: (handle: string) => readonly ClaimEvent[] | undefined;
  /** The entry that withdrew or erased a rating. */
  readonly endedBy: (rating: CountedRating) => number | undefined;
  /** Entries before the audit began; what came later may have been read or not. */
  readonly size: number;
}

/**
 * Whether a rating in the other direction that is not withdrawn was first made within 90 days; undefined if that is not known. Each
 * rating takes a search in sorted times, however many its two sides made. Each rating that is noted is one step.
 */
export function* notePairs({ ratings, unshown, eventsOf, endedBy, size }: PairEvidence) {
  const readHolders = createHolders({ eventsOf, size });
  const directions = new Map<string, ReturnType<typeof createDirection>>();
  const directionsOf = (source_root: string, holders: ReadonlySet<string>) =>
    [...holders].map((holder) => {
      const key = `${rootIdentity(source_root)} ${holder}`;
      const direction = directions.get(key) ?? createDirection();
      directions.set(key, direction);
      return { holder, direction };
    });
  for (const rating of ratings) {
    yield undefined;
    const end = endedBy(rating) ?? (rating.withdrawn_at === undefined ? Infinity : -1);
    if (end < size) continue;
    const isSure = rating.log_index < size && end === Infinity && !rating.isUnknown;
    const { sure, possible } = readHolders(rating.subject_handle);
    for (const { holder, direction } of directionsOf(rating.source_root, possible)) {
      if (rating.isUnknown) direction.hasUndated = true;
      else direction.possible.add(rating);
      if (isSure && sure.has(holder)) direction.sure.add(rating);
    }
  }
  for (const { source_root, subject_handle } of unshown) {
    yield undefined;
    const { possible } = readHolders(subject_handle);
    for (const { direction } of directionsOf(source_root, possible)) direction.hasUndated = true;
  }
  return (rating: CountedRating): boolean | undefined => {
    const source = rootIdentity(rating.source_root);
    const { sure, possible, isWhole } = readHolders(rating.subject_handle);
    const back = [...possible]
      .filter((holder) => holder !== source)
      .map((holder) => ({ isSure: sure.has(holder), direction: directions.get(`${holder} ${source}`) }));
    const isPaired = ({ isSure, direction }: (typeof back)[number]) =>
      isSure && !rating.isUnknown && direction?.sure.hasNear(rating);
    const mayBePaired = ({ direction }: (typeof back)[number]) =>
      direction && (rating.isUnknown || direction.hasUndated || direction.possible.hasNear(rating));
    if (back.some(isPaired)) return true;
    return isWhole && !back.some(mayBePaired) ? false : undefined;
  };
}
