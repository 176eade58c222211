import { LRUCache } from 'lru-cache';
import type { ListingFacts } from '../evidence/listing/listing-facts.ts';
import { memoryReads, timeWrite } from '../observability/events.ts';
import type { ListingReads, SearchCounts } from './contract/listings.ts';
import type { ChangedHandles, Store } from './store.ts';

const cachedFacts_bytes = 12 * 1024 * 1024;
const cachedSearches = 200;
/** A write of more listings forgets them all. */
const manyListings = 500;

/** A cached read: what was found, or that nothing was. */
interface Read {
  readonly facts: ListingFacts | undefined;
}

/** About what a read takes with the document and the text that are made of it: twice its text. */
const sizeOf_bytes = (read: Read) => 2 * JSON.stringify(read).length;

function cacheFacts(reads: ListingReads): {
  facts: ListingReads['facts'];
  drop: (written: ChangedHandles) => void;
} {
  const cache = new LRUCache<string, Read>({ maxSize: cachedFacts_bytes, sizeCalculation: sizeOf_bytes });
  let epoch = 0;
  return {
    async facts(handle) {
      const cached = cache.get(handle);
      memoryReads.publish({ memory: 'facts', isHit: cached !== undefined });
      if (cached) return cached.facts;
      const readIn = epoch;
      const facts = await reads.facts(handle);
      // A write that ended while we read may not be in what we read.
      if (facts && readIn === epoch) cache.set(handle, { facts });
      return facts;
    },
    drop(written) {
      epoch += 1;
      if (written === 'all' || written.length > manyListings) cache.clear();
      else for (const handle of written) cache.delete(handle);
    },
  };
}

/** Counts of a search are the same for each of its pages, and for whoever asks the same until the next write. */
function cacheCounts(reads: ListingReads): { counts: ListingReads['searchCounts']; drop: () => void } {
  const cache = new LRUCache<string, SearchCounts>({ max: cachedSearches });
  let epoch = 0;
  return {
    async counts({ words, facets }) {
      const key = JSON.stringify([words, facets]);
      const cached = cache.get(key);
      memoryReads.publish({ memory: 'counts', isHit: cached !== undefined });
      if (cached) return cached;
      const readIn = epoch;
      const counts = await reads.searchCounts({ words, facets });
      if (readIn === epoch) cache.set(key, counts);
      return counts;
    },
    drop() {
      epoch += 1;
      cache.clear();
    },
  };
}

/**
 * A store whose listing facts are kept in memory (at most 12 MiB) until a write touches them, here or in
 * another process, and the counts of searches (at most 200) until a write touches any listing. Facts that other
 * listings' imports move (publisher count, last import) follow within one import.
 */
export function createCachedStore(store: Store): Store {
  const { facts, drop } = cacheFacts(store.listings);
  const { counts, drop: dropCounts } = cacheCounts(store.listings);
  const stop = store.onChange((written) => {
    drop(written);
    dropCounts();
  });
  return {
    ...store,
    listings: { ...store.listings, facts, searchCounts: counts },
    write: (work) => timeWrite(() => store.write(work)),
    async close() {
      stop();
      await store.close();
    },
  };
}
