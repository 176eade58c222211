import { LRUCache } from 'lru-cache';
import type { ChangedHandles, Store } from '../../store/store.ts';

/** How a finished answer is kept. */
export interface Keeping {
  readonly key: string;
  /** The listings it was made of; 'all' where any of them may be in it. */
  readonly cacheTags: ChangedHandles;
  readonly bytes: number;
  /** Longest time it is kept, for what changes without a write of a listing. */
  readonly maxAge_ms?: number;
}

/** Finished answers in memory, the least used of them dropped where they would pass the budget. */
export interface KeptBytes<T extends object> {
  get(key: string): T | undefined;
  /** Called before the first read for an answer; what it answers keeps the answer, unless a write came between. */
  reading(): (finished: T, keeping: Keeping) => void;
  /** Bytes kept at this moment, keys and bookkeeping counted in. */
  readonly bytes: number;
  /** Forgets everything and listens to no more writes. */
  close(): void;
}

interface Kept<T> extends Keeping {
  readonly finished: T;
}

/** Stands for whatever is about all listings; no handle has this form. */
const everyListing = '*';
const bookkeeping_bytes = 400;
const subjectsOf = (cacheTags: ChangedHandles) => (cacheTags === 'all' ? [everyListing] : cacheTags);

/** Keeps finished answers, at most `budget_bytes` of them, until a write touches what they are about. */
export function createKeptBytes<T extends object>(
  store: Pick<Store, 'onChange'>,
  budget_bytes: number,
): KeptBytes<T> {
  const keysOf = new Map<string, Set<string>>();
  const forget = (subject: string, key: string) => {
    const keys = keysOf.get(subject);
    if (keys?.delete(key) && keys.size === 0) keysOf.delete(subject);
  };
  const cache = new LRUCache<string, Kept<T>>({
    maxSize: budget_bytes,
    sizeCalculation: ({ bytes }, key) => bytes + 2 * key.length + bookkeeping_bytes,
    dispose: ({ cacheTags }, key, reason) => {
      if (reason !== 'set') for (const subject of subjectsOf(cacheTags)) forget(subject, key);
    },
  });
  let epoch = 0;
  const stop = store.onChange((written) => {
    epoch += 1;
    if (written === 'all') cache.clear();
    else
      for (const subject of [everyListing, ...written])
        for (const key of keysOf.get(subject) ?? []) cache.delete(key);
  });
  const keep = (kept: Kept<T>) => {
    cache.delete(kept.key);
    cache.set(kept.key, kept, kept.maxAge_ms === undefined ? {} : { ttl: kept.maxAge_ms });
    if (!cache.has(kept.key)) return;
    for (const subject of subjectsOf(kept.cacheTags))
      keysOf.set(subject, (keysOf.get(subject) ?? new Set()).add(kept.key));
  };
  return {
    get: (key) => cache.get(key)?.finished,
    reading() {
      const readIn = epoch;
      // A write that ended while the answer was made may not be in it.
      return (finished, keeping) => {
        if (readIn === epoch) keep({ ...keeping, finished });
      };
    },
    get bytes() {
      return cache.calculatedSize;
    },
    close() {
      stop();
      cache.clear();
    },
  };
}
