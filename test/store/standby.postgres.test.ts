import { Client } from 'pg';
import { afterAll, expect, it } from 'vitest';
import { createCachedStore } from '../../src/app/cached-store.ts';
import { openPostgresStore } from '../../src/app/postgres-store.ts';
import { openDirectory } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { opened, openedDirectory } from '../support/opened.ts';
import { startPostgres, startStandby } from '../support/postgres-server.ts';
import { makeListing } from './examples.ts';

const primary = await opened(startPostgres());
await (await openPostgresStore(`${primary.url}/postgres`)).close();
const standby = await startStandby(primary);
const replay = new Client(`${standby.url}/postgres`);
await replay.connect();
const store = createCachedStore(
  await openPostgresStore(`${primary.url}/postgres`, `${standby.url}/postgres`),
);
afterAll(async () => {
  await store.close();
});

const put = (description: string) =>
  store.write((tx) => tx.listings.putListings([makeListing('a/one', 1, { description })]));
const found = async () => {
  const { hits, counts } = await store.listings.search({ text: 'one', facets: [], sort: 'relevance' });
  const rows = await store.listings.byIds(hits.map(({ id }) => id));
  return [counts.total, ...rows.map(({ description }) => description)];
};
const shown = async () => (await store.documents.facts('a/one'))?.listing.description;

it('reads searches from a replica that may lag, single listings from the primary, and caches nothing stale', async () => {
  await put('first');
  await expect.poll(found).toEqual([1, 'first']);
  await replay.query('select pg_wal_replay_pause()');
  const second = makeListing('b/one', 2, { description: 'another' });
  await store.write((tx) =>
    tx.listings.putListings([makeListing('a/one', 1, { description: 'second' }), second]),
  );
  expect(await shown()).toBe('second');
  // What is found lags, what is shown of it does not: a text that was hidden meanwhile is gone.
  expect(await found()).toEqual([1, 'second']);
  await store.write((tx) =>
    tx.listings.putListings([makeListing('a/one', 1, { description: 'third', withdrawn: 'optout' })]),
  );
  const newest = await store.listings.list({ facets: [], sort: 'updated', after: undefined, limit: 5 });
  expect(newest.map(({ handle, description }) => [handle, description])).toEqual([['a/one', '']]);
  await put('second');
  await replay.query('select pg_wal_replay_resume()');
  await expect.poll(found).toEqual([2, 'second', 'another']);
});

it('without its replica a node stays ready, and answers about one listing without the lists', async () => {
  const admin = new Client(`${primary.url}/postgres`);
  await admin.connect();
  await admin.query('create database whole');
  await admin.end();
  await (await openDirectory({ environment: { DATABASE_URL: `${primary.url}/whole` } })).close();
  const isReplayed = async () => {
    const copy = new Client(`${standby.url}/whole`);
    copy.on('error', () => undefined);
    try {
      await copy.connect();
      return (await copy.query("select 1 from facet_count where facet = '*'")).rowCount;
    } catch {
      return 0;
    } finally {
      await copy.end();
    }
  };
  await expect.poll(isReplayed).toBe(1);
  const directory = await openedDirectory({
    entries: [],
    environment: {
      DATABASE_URL: `${primary.url}/whole`,
      DATABASE_READ_URL: `${standby.url}/whole`,
    },
  });
  // A dump is of the primary alone: what its stream position covers is in its files, however far the replica
  // lags.
  await replay.query('select pg_wal_replay_pause()');
  await directory.importEntries([registryEntry('com.example/late')]);
  const manifest = await (await directory.app.request('/export/manifest.json')).json();
  const stream = (await (await directory.app.request('/changes')).text()).trim().split('\n');
  expect(manifest).toMatchObject({
    since: (JSON.parse(stream.at(-1) ?? '') as { id: string }).id,
    files: [{ rows: 3 }, { rows: 3 }],
  });
  await replay.query('select pg_wal_replay_resume()');
  await replay.end();
  await standby.close();
  const statusOf = async (path: string) => (await directory.app.request(path)).status;
  expect(await statusOf('/readyz')).toBe(200);
  expect(await statusOf('/agents/co.webhook/webhook')).toBe(200);
  expect(await statusOf('/agents/co.webhook/unknown')).toBe(404);
  expect(await statusOf('/agents?q=webhook')).toBe(503);
  expect(await statusOf('/sitemap.xml')).toBe(503);
});
