import { LRUCache } from 'lru-cache';
import type { DocumentReads } from '../document/facts.ts';
import type { ListingFacts } from '../document/record.ts';
import type { ListingReads } from '../listings/table.ts';
import type { Facet } from '../search/facets.ts';
import type { SearchCounts } from '../search/query.ts';
import type { ChangedHandles, Store } from '../store/store.ts';
import { memoryReads, timeWrite } from '../telemetry/events.ts';

const cachedFacts_bytes = 12 * 1024 * 1024;
const cachedLists = 200;
/** A write that changes more listings than this drops all facts. */
const manyListings = 500;

/** An object takes about twice its JSON text. */
const sizeOf_bytes = (facts: ListingFacts) => 2 * JSON.stringify(facts).length;

interface CachedRead<Input extends readonly unknown[], Output> {
  read(...input: Input): Promise<Output>;
  drop(changed: ChangedHandles): void;
}

function cacheFacts(
  reads: DocumentReads,
): CachedRead<Parameters<DocumentReads['facts']>, ListingFacts | undefined> {
  const cache = new LRUCache<string, ListingFacts>({
    maxSize: cachedFacts_bytes,
    sizeCalculation: sizeOf_bytes,
  });
  let epoch = 0;
  return {
    async read(handle, now = new Date().toISOString()) {
      const known = cache.get(handle);
      const cached = known?.changesAt !== undefined && known.changesAt <= now ? undefined : known;
      memoryReads.publish({ memory: 'facts', isHit: cached !== undefined });
      if (cached) return cached;
      const begunIn = epoch;
      const facts = await reads.facts(handle, now);
      // Facts read before a write ended may be older than it.
      if (facts && begunIn === epoch) cache.set(handle, facts);
      return facts;
    },
    drop(changed) {
      epoch += 1;
      if (changed === 'all' || changed.length > manyListings) cache.clear();
      else for (const handle of changed) cache.delete(handle);
    },
  };
}

/** Every page of a list has the same counts. */
function cacheCounts(reads: ListingReads): CachedRead<[readonly Facet[]], SearchCounts> {
  const cache = new LRUCache<string, SearchCounts>({ max: cachedLists });
  let epoch = 0;
  return {
    async read(facets) {
      const key = JSON.stringify(facets);
      const cached = cache.get(key);
      memoryReads.publish({ memory: 'counts', isHit: cached !== undefined });
      if (cached) return cached;
      const begunIn = epoch;
      const counts = await reads.listCounts(facets);
      if (begunIn === epoch) cache.set(key, counts);
      return counts;
    },
    drop() {
      epoch += 1;
      cache.clear();
    },
  };
}

/**
 * A store that caches the facts of listings (12 MiB) until the listing changes, in this process or another, or a source
 * of its ratings stops being new, and the counts of lists (200) until any listing changes. Facts that change with other
 * listings (the publisher's count, the last import) follow within one import.
 */
export function createCachedStore(store: Store): Store {
  const facts = cacheFacts(store.documents);
  const counts = cacheCounts(store.listings);
  const stop = store.onChange((changed) => {
    facts.drop(changed);
    counts.drop(changed);
  });
  return {
    ...store,
    listings: { ...store.listings, listCounts: counts.read },
    documents: { ...store.documents, facts: facts.read },
    write: (work) => timeWrite(() => store.write(work)),
    async close() {
      stop();
      await store.close();
    },
  };
}
