import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { readdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, vi } from 'vitest';
import { createCachedStore } from '../../src/app/cached-store.ts';
import { openSqliteStore } from '../../src/app/sqlite-store.ts';
import type { Facet } from '../../src/search/query.ts';
import { runDossier, startDossier } from '../support/command.ts';
import { opened, openFolder } from '../support/opened.ts';
import { manyEntries } from '../support/registry-entries.ts';
import { makeListing } from './examples.ts';
import { describeStore } from './store-contract.ts';

let made = 0;
const freshFile = () => `file:${join(folder, `store-${made++}`, 'dossier.db')}`;
const folder = openFolder();

const openInMemory = () => openSqliteStore(':memory:');
const openInFile = () => openSqliteStore(freshFile());
const openCached = async () => createCachedStore(await openInFile());
describe('SQLite in memory', describeStore(openInMemory));
describe('SQLite in a file', describeStore(openInFile));
describe('SQLite in a file, cached', describeStore(openCached, true));

it('creates files that only their owner may read', async () => {
  const url = freshFile();
  const store = await opened(openSqliteStore(url));
  await store.write((tx) => tx.listings.putListings([makeListing('a/one', 1)]));
  const names = await readdir(dirname(url.slice('file:'.length)));
  const modes = names.map((name) => statSync(join(dirname(url.slice('file:'.length)), name)).mode & 0o777);
  expect([names.toSorted(), modes]).toEqual([
    ['dossier.db', 'dossier.db-shm', 'dossier.db-wal'],
    [0o600, 0o600, 0o600],
  ]);
});

it('a search finds what another process has written since the last one', async () => {
  const url = freshFile();
  await using here = await openSqliteStore(url);
  await using other = await openSqliteStore(url);
  const put = (description: string, facet: Facet) =>
    other.write((tx) => tx.listings.putListings([makeListing('a/one', 1, { description, facets: [facet] })]));
  const found = async (text: string) => {
    const { hits, counts } = await here.listings.search({ text, facets: [], sort: 'relevance' });
    return [hits.length, counts.facets];
  };
  await put('Draws maps', 'tag:maps');
  await expect.poll(() => found('one')).toEqual([1, { 'tag:maps': 1 }]);
  await put('Reads notes', 'tag:notes');
  await expect.poll(() => found('one')).toEqual([1, { 'tag:notes': 1 }]);
  expect(await found('"draws maps"')).toEqual([0, {}]);
  expect(await found('"reads notes"')).toEqual([1, { 'tag:notes': 1 }]);
});

it('a file that is deleted, moved or replaced while it is open takes no more writes, is not ready, and is read on', async () => {
  const url = freshFile();
  const store = await opened(openSqliteStore(url));
  await store.write((tx) => tx.listings.putListings([makeListing('a/one', 1)]));
  expect(await store.isWell()).toBe(true);
  await rename(url.slice('file:'.length), `${url.slice('file:'.length)}.moved`);
  const refused = await store
    .write((tx) => tx.listings.putListings([makeListing('a/two', 2)]))
    .catch((error: unknown) => error);
  expect(String(refused)).toContain(
    'is no longer the file that was opened: it was deleted, moved or replaced',
  );
  expect([store.failureOf(refused), await store.isWell()]).toEqual(['damaged', false]);
  expect(await store.listings.count()).toBe(1);
  await rename(`${url.slice('file:'.length)}.moved`, url.slice('file:'.length));
});

it('says that a damaged file is damaged', async () => {
  const url = freshFile();
  const path = url.slice('file:'.length);
  const store = await openSqliteStore(url);
  await store.write((tx) =>
    tx.listings.putListings(Array.from({ length: 3000 }, (_, at) => makeListing(`a/n${at}`, at))),
  );
  await store.close();
  const merging = new DatabaseSync(path);
  merging.exec('pragma wal_checkpoint(truncate)');
  merging.close();
  const bytes = readFileSync(path);
  bytes.fill(0xff, Math.floor(bytes.length / 16384) * 4096);
  writeFileSync(path, bytes);
  const damaged = await opened(openSqliteStore(url));
  const refused = await damaged.listings
    .byIds(Array.from({ length: 3000 }, (_, at) => at))
    .catch((error: unknown) => error);
  expect([damaged.failureOf(refused), await damaged.isWell()]).toEqual(['damaged', false]);
});

/** In how many pieces FTS5 keeps each index. */
function countSegments(url: string): unknown[] {
  const database = new DatabaseSync(url.slice('file:'.length));
  const rows = ['listing_search', 'listing_facet'].map((table) =>
    database.prepare(`select count(distinct segid) as segments from ${table}_idx`).get(),
  );
  database.close();
  return rows.map((row) => row?.segments);
}

it('has merged the search index when an import of many listings ends', async () => {
  const url = freshFile();
  const store = await openSqliteStore(url);
  const put = (first: number) =>
    store.write((tx) =>
      tx.listings.putListings(
        Array.from({ length: 10 }, (_, at) => makeListing(`a/map${first + at}`, 1 + first + at)),
      ),
    );
  for (const first of [0, 10, 20]) await put(first);
  await store.close();
  expect(countSegments(url)).toEqual([3, 3]);
  const source = join(folder, 'many.json');
  await writeFile(source, JSON.stringify(manyEntries(30)));
  const { code } = await runDossier(['import', '--from', source], { DATABASE_URL: url });
  expect([code, countSegments(url)]).toEqual([0, [1, 1]]);
});

describe('two processes on one SQLite file', () => {
  it('make a new file at the same time, and all succeed', async () => {
    const settings = { DATABASE_URL: freshFile(), REGISTRY_URL: 'off', PORT: '0', LOG_LEVEL: 'error' };
    const services = Array.from({ length: 3 }, () => startDossier(['serve'], settings));
    await Promise.all(services.map((service) => service.line(/^listening on /m)));
    for (const { child } of services) child.kill('SIGTERM');
    const ended = await Promise.all(services.map((service) => service.ended));
    expect(ended.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual(Array(3).fill('0 '));
  });
  it('does not block readers while the other one writes', async () => {
    const url = freshFile();
    const store = await opened(openSqliteStore(url));
    const other = new DatabaseSync(url.slice('file:'.length));
    other.exec('begin immediate');
    const done: string[] = [];
    const written = store.write((tx) => tx.listings.putListings([makeListing('a/one', 1)]));
    void written.then(() => done.push('written'));
    await store.listings.byHandle('a/one');
    done.push('read');
    other.exec('commit');
    await written;
    expect(done).toEqual(['read', 'written']);
    other.close();
  });
  it('publishes which listings the other one changed, or that all may be where they are many', async () => {
    const url = freshFile();
    const store = await opened(openSqliteStore(url));
    const other = await opened(openSqliteStore(url));
    const told: unknown[] = [];
    store.onChange((written) => told.push(written));
    await other.write((tx) => tx.listings.putListings([makeListing('a/one', 1), makeListing('a/two', 2)]));
    await expect.poll(() => told).toEqual([['a/one', 'a/two']]);
    await store.write((tx) => tx.listings.putListings([makeListing('a/mine', 3)]));
    await other.write((tx) => tx.listings.putListings([makeListing('a/two', 2, { description: 'new' })]));
    await expect.poll(() => told.slice(1)).toEqual([['a/mine'], ['a/two']]);
    const many = Array.from({ length: 2001 }, (_, at) => makeListing(`b/n${at}`, 100 + at));
    await other.write((tx) => tx.listings.putListings(many));
    await expect.poll(() => told.slice(3)).toEqual(['all']);
    // A gap in the sequence: commits in between were purged before they were read.
    const file = new DatabaseSync(url.slice('file:'.length));
    file.exec(`insert into changed_handles values (1000, 'other', '["a/one"]')`);
    file.close();
    await expect.poll(() => told.slice(4)).toEqual(['all']);
  });
  it('shows the other one’s writes, through the cache too', async () => {
    const url = freshFile();
    const serving = createCachedStore(await openSqliteStore(url));
    const importing = await openSqliteStore(url);
    const description = async () => (await serving.documents.facts('a/one'))?.listing.description;
    await importing.write((tx) =>
      tx.listings.putListings([makeListing('a/one', 1, { description: 'before' })]),
    );
    expect(await description()).toBe('before');
    await importing.write((tx) =>
      tx.listings.putListings([makeListing('a/one', 1, { description: 'after' })]),
    );
    await expect.poll(description).toBe('after');
    await Promise.all([serving.close(), importing.close()]);
  });
  it('counts a list once for all its pages, and again after a write', async () => {
    const store = await openSqliteStore(':memory:');
    const counted = vi.spyOn(store.listings, 'listCounts');
    const cached = createCachedStore(store);
    const total = async () => (await cached.listings.listCounts(['state:imported'])).total;
    await cached.write((tx) => tx.listings.putListings([makeListing('a/one', 1)]));
    expect([await total(), await total()]).toEqual([1, 1]);
    expect(counted).toHaveBeenCalledTimes(1);
    await cached.write((tx) => tx.listings.putListings([makeListing('b/one', 2)]));
    expect(await total()).toBe(2);
    await cached.close();
  });
  it('reads and writes while a backup is being read', async () => {
    const store = await opened(openSqliteStore(freshFile()));
    await store.write((tx) => tx.listings.putListings([makeListing('a/one', 1)]));
    const seen = await store.dump(async ({ counts }) => {
      await store.write((tx) => tx.listings.putListings([makeListing('a/two', 2)]));
      return [counts.listing, (await store.listings.byHandle('a/two'))?.handle];
    });
    expect(seen).toEqual([1, 'a/two']);
  });
  it('does not block reads while a transaction is open', async () => {
    const store = await opened(openSqliteStore(freshFile()));
    await store.write((tx) => tx.listings.putListings([makeListing('a/one', 1)]));
    const seen = await store.write(async (tx) => {
      await tx.listings.putListings([makeListing('a/two', 2)]);
      return [await store.listings.byHandle('a/two'), (await store.listings.byHandle('a/one'))?.handle];
    });
    expect(seen).toEqual([undefined, 'a/one']);
  });
});
