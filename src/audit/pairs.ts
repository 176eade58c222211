import type { ClaimEvent } from '../claims/claim.ts';
import { isProof } from '../claims/fold.ts';
import { Holder, namespaceIdentity } from '../core/identity.ts';
import { day_ms } from '../core/text.ts';
import type { CountedRating } from './check-ratings.ts';

/** Two ratings in opposite directions are a pair if they were made within this time of each other. */
const pair_ms = 90 * day_ms;

/** Creates a collection of times (ms since 1970) that counts those up to a given one by binary search. */
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

/** Creates a collection of time spans, each from the first version of a rating to the first version that praises. */
function createSpans() {
  const [begins, ends] = [createTimes(), createTimes()];
  return {
    add({ first_created_at, praised_at }: Times) {
      begins.add(Date.parse(first_created_at));
      ends.add(Date.parse(praised_at));
    },
    /** Whether a span in the collection lies within 90 days of the span of this rating. */
    hasNear({ first_created_at, praised_at }: Times): boolean {
      const begun = begins.countUntil(Date.parse(praised_at) + pair_ms);
      // Subtracting 1 makes the bound inclusive, since times are whole milliseconds.
      return begun > ends.countUntil(Date.parse(first_created_at) - pair_ms - 1);
    },
  };
}

/** Creates the ratings that one holder made of the listings of another holder. */
const createDirection = () => ({
  /** Ratings that certainly stand, of listings that certainly belong to the other holder. */
  sure: createSpans(),
  possible: createSpans(),
  /** Whether the time of at least one rating is unknown. */
  hasUndated: false,
});

/**
 * Returns a function that finds the holders of a listing that rated some listing. The holders are its namespace and everybody
 * who proved a claim to it. The others made no rating that could be the other half of a pair, and there may be thousands of them.
 */
function createHolders(
  { eventsOf, size }: Pick<PairEvidence, 'eventsOf' | 'size'>,
  raters: ReadonlySet<string>,
) {
  const read = (handle: string) => {
    const events = eventsOf(handle);
    const namespace = namespaceIdentity(handle);
    const proven = (events ?? []).filter(isProof).map(({ log_index, root = '' }) => {
      return { holder: new Holder(root).id, isSure: log_index < size };
    });
    const held = [{ holder: namespace, isSure: true }, ...proven].filter(({ holder }) => raters.has(holder));
    const possible = new Set(held.map(({ holder }) => holder));
    const sure = new Set(held.flatMap(({ holder, isSure }) => (isSure ? [holder] : [])));
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
 * Collects all ratings in steps. Returns a function that tells whether a rating has a counterpart in the other direction
 * that was first made within 90 days and is not withdrawn; undefined if that is not known. A call costs a binary search,
 * however many ratings the two sides made.
 */
export function* notePairs({ ratings, unshown, isWhole, eventsOf, endedBy, size }: PairEvidence) {
  const raters = new Set<string>();
  for (const listed of [ratings, unshown])
    for (const { source_root } of listed) {
      yield undefined;
      raters.add(new Holder(source_root).id);
    }
  const readHolders = createHolders({ eventsOf, size }, raters);
  const directions = new Map<string, ReturnType<typeof createDirection>>();
  const directionsOf = (source_root: string, holders: ReadonlySet<string>) =>
    [...holders].map((holder) => {
      const key = `${new Holder(source_root).id} ${holder}`;
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
    const source = new Holder(rating.source_root).id;
    const { sure, possible, isWhole: hasAllHolders } = readHolders(rating.subject_handle);
    const back = [...possible]
      .filter((holder) => holder !== source)
      .map((holder) => ({ isSure: sure.has(holder), direction: directions.get(`${holder} ${source}`) }));
    const isPaired = ({ isSure, direction }: (typeof back)[number]) =>
      isSure && !rating.isUnknown && direction?.sure.hasNear(rating);
    const mayBePaired = ({ direction }: (typeof back)[number]) =>
      direction && (rating.isUnknown || direction.hasUndated || direction.possible.hasNear(rating));
    if (back.some(isPaired)) return true;
    return isWhole && hasAllHolders && !back.some(mayBePaired) ? false : undefined;
  };
}
