import { LRUCache } from 'lru-cache';
import type { ListingFacts, ListingReads, Store, Written } from './store.ts';

const cachedListings = 5000;

/** A cached read: what was found, or that nothing was. */
interface Read {
  readonly facts: ListingFacts | undefined;
}

function cacheFacts(reads: ListingReads): { facts: ListingReads['facts']; drop: (written: Written) => void } {
  const cache = new LRUCache<string, Read>({ max: cachedListings });
  let epoch = 0;
  return {
    async facts(handle) {
      const cached = cache.get(handle);
      if (cached) return cached.facts;
      const readIn = epoch;
      const facts = await reads.facts(handle);
      // A write that ended while we read may not be in what we read.
      if (facts && readIn === epoch) cache.set(handle, { facts });
      return facts;
    },
    drop(written) {
      epoch += 1;
      if (written === 'all' || written.length > cachedListings / 10) cache.clear();
      else for (const handle of written) cache.delete(handle);
    },
  };
}

/**
 * A store whose listing facts are kept in memory (at most 5,000 listings) until a write touches them, here or in
 * another process. Facts that other listings' imports move (publisher count, last import) follow within one import.
 */
export function createCachedStore(store: Store): Store {
  const { facts, drop } = cacheFacts(store.listings);
  const stop = store.onWritten(drop);
  return {
    ...store,
    listings: { ...store.listings, facts },
    async close() {
      stop();
      await store.close();
    },
  };
}
