import { openPostgresStore } from '../src/app/postgres-store.ts';
import { openSqliteStore } from '../src/app/sqlite-store.ts';
import type { ListingReads } from '../src/listings/reads.ts';
import type { Store } from '../src/store/store.ts';
import { type Memory, memoryOf } from './machine.ts';
import { mediansOf, over, type Reads, type ReadTimes, timeRead } from './read-times.ts';
import { type BareReads, openBareReads } from './references/bare-reads.ts';
import { interleave } from './rounds.ts';
import { toSearches } from './search-mix.ts';
import { toHandles } from './synthetic.ts';

/** What a run of this script prints: times by the name of the read, and its memory at the end. */
export interface StoreReads {
  readonly times: Readonly<Record<string, ReadTimes>>;
  readonly memory: Memory;
}

const sampled = 1000;
const tags = ['search', 'databases', 'finance', 'git', 'memory', 'weather', 'npm', 'remote'];

type StoreNouns = Pick<Store, 'listings' | 'documents'>;

function toPlainReads(
  { listings: store, documents }: StoreNouns,
  bare: BareReads,
  handles: readonly string[],
  ids: readonly number[],
): Reads {
  const tagged = (tag: string) => ({
    facets: [`tag:${tag}` as const],
    sort: 'relevance' as const,
    after: undefined,
    limit: 20,
  });
  return {
    'get, bare': over(handles, bare.row),
    'get: the listing': over(handles, store.byHandle),
    'get: everything in get_agent': over(handles, documents.facts),
    'list page, bare': over(ids, bare.page),
    'list page': over(ids, (id) =>
      store.list({ facets: [], sort: 'relevance', after: { id, updated_at: '' }, limit: 20 }),
    ),
    'tag page, bare': over(tags, bare.tag),
    'tag page': over(tags, (tag) => store.list(tagged(tag))),
    'counts of a tag page': over(tags, (tag) => store.listCounts([`tag:${tag}`])),
    'counts of all tags': () => store.facetCounts('tag'),
  };
}

function toSearchReads(store: ListingReads, listings: number): Reads {
  const searches = toSearches(sampled, listings);
  const search = async (words: readonly string[]) => {
    const { hits } = await store.search({ text: words.join(' '), facets: [], sort: 'relevance' });
    return store.byIds(hits.slice(0, 20).map(({ id }) => id));
  };
  const kinds = [...new Set(searches.map(({ kind }) => kind))].toSorted();
  const byKind = kinds.map((kind): [string, () => Promise<unknown>] => [
    `search: ${kind}`,
    over(
      searches.filter((one) => one.kind === kind),
      ({ words }) => search(words),
    ),
  ]);
  return {
    'search with its counts: the mix': over(searches, ({ words }) => search(words)),
    ...Object.fromEntries(byKind),
  };
}

// Usage: node bench/store-reads.ts <database url> <listings> <rounds> <seconds> [read ...]. Warm reads of the
// store, uncached, one after the other, beside the bare ones: the named ones, or all.
const [url = '', listings = '0', rounds = '1', seconds = '1', ...named] = process.argv.slice(2);
const store = await (url.startsWith('postgres') ? openPostgresStore(url) : openSqliteStore(url));
const bare = await openBareReads(url);
const handles = toHandles(Number(listings), sampled);
const known = await store.listings.byHandles(handles);
const reads: Reads = {
  ...toPlainReads(
    store,
    bare,
    handles,
    known.map(({ id }) => id),
  ),
  ...toSearchReads(store.listings, Number(listings)),
};
const names = named.length > 0 ? named : Object.keys(reads);
const measured = await interleave(names, Number(rounds), (name) =>
  timeRead(reads[name] ?? (async () => undefined), Number(seconds) * 1000),
);
const result: StoreReads = {
  times: Object.fromEntries([...measured].map(([name, times]) => [name, mediansOf(times)])),
  memory: memoryOf(process.pid),
};
process.stdout.write(JSON.stringify(result));
await bare.close();
await store.close();
