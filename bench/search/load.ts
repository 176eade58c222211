import { openPostgresStore } from '../../src/app/postgres-store.ts';
import { openSqliteStore } from '../../src/app/sqlite-store.ts';
import { planPage } from '../../src/imports/plan.ts';
import { createSynthetic } from '../synthetic.ts';

const perCommit = 2000;
const origin = 'registry.modelcontextprotocol.io';

// Usage: node bench/search/load.ts <database url> <listings>. Writes made-up listings as an import derives
// them, but not their versions, which searches do not read: many times as fast as importing them.
const [url = '', count = '0'] = process.argv.slice(2);
const listings = Number(count);
const store = await (url.startsWith('postgres') ? openPostgresStore(url) : openSqliteStore(url));
const synthetic = createSynthetic({ listings });
const started = performance.now();
for (let first = 0; first < listings; first += perCommit) {
  const size = Math.min(perCommit, listings - first);
  const entries = Array.from({ length: size }, (_, at) => synthetic.entries(first + at)).flat();
  const { listings: changes } = await planPage(store, entries, {
    origin,
    at: new Date().toISOString(),
    runId: 1,
  });
  await store.write((tx) => tx.listings.putListings(changes.map(({ listing }) => listing)));
  if (first % (perCommit * 25) === 0) process.stderr.write(` ${first}`);
}
const mergePart = (isFirst: boolean) => store.write((tx) => tx.listings.mergeIndex(isFirst));
for (let isMore = await mergePart(true); isMore; ) isMore = await mergePart(false);
process.stdout.write(`loaded in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
await store.close();
