import { openPostgresStore } from '../../src/app/postgres-store.ts';
import { openSqliteStore } from '../../src/app/sqlite-store.ts';
import type { SearchQuery } from '../../src/search/query.ts';
import type { Store } from '../../src/store/store.ts';
import { mediansOf, over, type Reads, type ReadTimes, timeRead } from '../read-times.ts';
import { openBareReads } from '../references/bare-reads.ts';
import { interleave } from '../rounds.ts';
import { toHandles } from '../synthetic.ts';
import { toClasses } from './classes.ts';

const shown = 20;

/** A search as the tool makes it: hits ranked, their facets counted, the first page read. */
async function search({ listings }: Store, query: Pick<SearchQuery, 'text' | 'facets'>): Promise<void> {
  const { hits } = await listings.search({ ...query, sort: 'relevance', most: shown + 1 });
  await listings.byIds(hits.slice(0, shown).map(({ id }) => id));
}

// Usage: node bench/search/reads.ts <database url> <listings> <rounds> <seconds>. Searches of each class,
// uncached, warm, one after the other, beside a row read by its key; prints their times as JSON.
const [url = '', count = '0', rounds = '1', seconds = '1'] = process.argv.slice(2);
const store = await (url.startsWith('postgres') ? openPostgresStore(url) : openSqliteStore(url));
const bare = await openBareReads(url);
const rarest = (await store.listings.facetCounts('tag')).at(-1)?.facet ?? 'has:ratings';
const classes = toClasses(Number(count), rarest);
const reads: Reads = {
  'a row by its key, bare': over(toHandles(Number(count), 1000), bare.row),
  ...Object.fromEntries(
    Object.entries(classes).map(([name, searches]) => [name, over(searches, (one) => search(store, one))]),
  ),
};
const measured = await interleave(Object.keys(reads), Number(rounds), (name) =>
  timeRead(reads[name] ?? (async () => undefined), Number(seconds) * 1000),
);
const times: Record<string, ReadTimes> = Object.fromEntries(
  [...measured].map(([name, rows]) => [name, mediansOf(rows)]),
);
process.stdout.write(JSON.stringify(times));
await bare.close();
await store.close();
