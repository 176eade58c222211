import { LRUCache } from 'lru-cache';
import { createEpoch } from '../core/epoch.ts';
import type { ListingFacts } from '../document/record.ts';
import type { SearchCounts } from '../search/query.ts';
import type { Store } from '../store/store.ts';
import { countRead, timeWrite } from '../telemetry/metrics.ts';

const cachedFacts_bytes = 8 * 1024 * 1024;
const cachedLists = 200;
/** A larger write drops all facts. */
const manyListings = 500;

function createMemory<Value extends object>(memory: 'facts' | 'counts', cache: LRUCache<string, Value>) {
  const { begin, change } = createEpoch({
    drop(keys) {
      for (const key of keys) cache.delete(key);
    },
    clear: () => cache.clear(),
    most: manyListings,
  });
  return {
    async read<Found extends Value | undefined>(
      key: string,
      readNow: () => Promise<Found>,
      isCurrent = (_: Value) => true,
    ) {
      const cached = cache.get(key);
      const isHit = cached !== undefined && isCurrent(cached);
      countRead(memory, isHit);
      if (isHit) return cached;
      const mayStore = begin();
      const value = await readNow();
      if (value && mayStore()) cache.set(key, value);
      return value;
    },
    change,
  };
}

/**
 * Dropped when the listing changes, in any process, or a source of its ratings stops being new. What follows
 * from other listings may be stale until the next import.
 */
export function createCachedStore(store: Store): Store {
  const facts = createMemory(
    'facts',
    new LRUCache<string, ListingFacts>({
      maxSize: cachedFacts_bytes,
      sizeCalculation: (one) => JSON.stringify(one).length,
    }),
  );
  const counts = createMemory('counts', new LRUCache<string, SearchCounts>({ max: cachedLists }));
  const stop = store.onChange((changed) => {
    facts.change(changed);
    counts.change('all');
  });
  return {
    ...store,
    listings: {
      ...store.listings,
      listCounts: (facets) => counts.read(JSON.stringify(facets), () => store.listings.listCounts(facets)),
    },
    documents: {
      ...store.documents,
      facts: (handle, now = new Date().toISOString()) =>
        facts.read(
          handle,
          () => store.documents.facts(handle, now),
          ({ changesAt }) => changesAt === undefined || changesAt > now,
        ),
    },
    write: (work) => timeWrite(() => store.write(work)),
    async close() {
      stop();
      await store.close();
    },
  };
}
