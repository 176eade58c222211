import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { importOnce } from '../../src/registry/import-once.ts';
import { startImports } from '../../src/registry/schedule.ts';
import type { Store } from '../../src/store/store.ts';
import { startDossier } from '../support/command.ts';
import { createSharedDatabase, openDatabase } from '../support/database.ts';
import { type Importing, openImporting } from '../support/importing.ts';
import { manyEntries } from '../support/registry-entries.ts';
import { startRegistryServer } from '../support/registry-server.ts';

const started = '2026-11-01T00:00:00.000Z';

describe('a run of another process', () => {
  let importing: Importing;
  let other: Store;
  let database: string;
  beforeEach(async () => {
    database = await createSharedDatabase();
    importing = await openImporting(manyEntries(250), database);
    other = await openDatabase(database);
  });
  afterEach(async () => {
    await importing.close();
    await other.close();
  });

  /** A run that stopped after its first page, as its row stands while somebody else works on it. */
  async function heldBy(lease_owner: string, source = importing.registry.url) {
    const stopping = new AbortController();
    await importing.run({ source, signal: stopping.signal, onProgress: () => stopping.abort() });
    const id = (await importing.store.imports.last()).run?.id ?? 0;
    await importing.store.write((tx) => tx.imports.saveRun(id, { lease_owner, lease_at: started }));
  }

  it('is left alone while its lease is fresh, and taken over once that is two minutes old', async () => {
    await heldBy(`${other.node}/a`);
    importing.wait(119);
    await expect(importing.run()).rejects.toThrow('an import is already under way');
    await expect(importing.run({ source: 'sample' })).rejects.toThrow('an import is already under way');
    expect((await importing.store.imports.last()).run).toMatchObject({
      lease_owner: `${other.node}/a`,
    });
    importing.wait(2);
    expect(await importing.run()).toMatchObject({
      isResumed: true,
      state: 'done',
      counts: { rows_seen: 250, rows_new: 250 },
    });
    expect((await importing.store.imports.last()).run).toMatchObject({
      lease_owner: undefined,
      lease_at: undefined,
    });
  });

  it('is resumed at once where its node is gone', async () => {
    const leaving = await openDatabase(database);
    await heldBy(`${leaving.node}/a`);
    await expect(importing.run()).rejects.toThrow('an import is already under way');
    await leaving.close();
    await expect.poll(() => importing.store.isPresent(leaving.node)).toBe(false);
    expect(await importing.run()).toMatchObject({ isResumed: true, state: 'done' });
  });

  it('is resumed at once where its process on this host is gone without a word', async () => {
    await heldBy(`${hostname()}/4194305/a/b`);
    expect(await importing.run()).toMatchObject({ isResumed: true, state: 'done' });
  });

  it('is resumed at once where its process had the number that is ours now', async () => {
    await heldBy(`${hostname()}/${process.pid}/a/b`);
    expect(await importing.run()).toMatchObject({ isResumed: true, state: 'done' });
  });

  it('ends our run after another process took it over, and leaves its row alone', async () => {
    let pages = 0;
    const report = await importing.run({
      onProgress: () => {
        pages += 1;
        void importing.store.write((tx) =>
          tx.imports.saveRun(1, { lease_owner: 'elsewhere/7/a', lease_at: started }),
        );
      },
    });
    expect(report).toMatchObject({ state: 'failed', error: 'another process has taken this import over' });
    expect(pages).toBe(1);
    expect((await importing.store.imports.last()).run).toMatchObject({
      state: 'running',
      error: undefined,
      lease_owner: 'elsewhere/7/a',
    });
  });

  it('that ended after an import was due, and before it began, is not repeated', async () => {
    const config = readConfig({ REGISTRY_URL: importing.registry.url }, '0.0.0');
    const stopping = new AbortController();
    const context = { config, log: pino({ level: 'silent' }), clock: () => new Date() };
    const outcomes: string[] = [];
    const ended = startImports({ ...context, store: other }, stopping.signal, async (own, attempt) => {
      await importing.run();
      const outcome = await importOnce(own, attempt);
      outcomes.push(outcome.state);
      return outcome;
    });
    await expect.poll(() => outcomes, { timeout: 20_000 }).toEqual(['busy']);
    stopping.abort();
    await ended;
    expect(importing.registry.requests.filter(({ query }) => !query.has('cursor')).length).toBe(1);
  });

  it('is waited for quietly by the schedule', async () => {
    await heldBy(`${other.node}/a`);
    const asked = importing.registry.requests.length;
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
    const config = readConfig({ REGISTRY_URL: importing.registry.url }, '0.0.0');
    const stopping = new AbortController();
    const clock = () => new Date(started);
    const ended = startImports({ store: importing.store, config, log, clock }, stopping.signal);
    await new Promise((end) => setTimeout(end, 200));
    stopping.abort();
    await ended;
    expect(lines).toEqual([]);
    expect(importing.registry.requests.length).toBe(asked);
  });
});

it('the schedule survives a failing store, and ends on request', async () => {
  const store = await openDatabase(await createSharedDatabase());
  expect(await store.listings.count()).toBe(0);
  await store.close();
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line) => lines.push(line) });
  const config = readConfig({ REGISTRY_URL: 'http://127.0.0.1:9' }, '0.0.0');
  const stopping = new AbortController();
  const ended = startImports({ store, config, log, clock: () => new Date(started) }, stopping.signal);
  const pause = new Promise((end) => setTimeout(() => end('going on'), 300));
  expect(await Promise.race([ended, pause])).toBe('going on');
  expect(lines.join()).toContain('imports stopped; retrying in 30 s');
  stopping.abort();
  await ended;
});

it('dossier import ends with 69 while another process imports, which loses nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-lease-'));
  const registry = await startRegistryServer(manyEntries(1500));
  registry.delay(150);
  const environment = {
    DATABASE_URL: await createSharedDatabase(folder),
    REGISTRY_URL: registry.url,
  };
  const first = startDossier(['import'], environment);
  await expect.poll(() => registry.requests.length, { timeout: 20_000 }).toBeGreaterThan(2);
  // However long the second one takes to start, the first has not ended by then.
  registry.delay(2000);
  const second = await startDossier(['import'], environment).ended;
  registry.delay(0);
  expect(second.code, second.stderr).toBe(69);
  expect(second.stderr.trim().split('\n').at(-1)).toBe(`${registry.url}: an import is already under way`);
  const imported = await first.ended;
  expect(imported.code, imported.stderr).toBe(0);
  const store = await openDatabase(environment.DATABASE_URL);
  const { run } = await store.imports.last();
  expect(run).toMatchObject({ id: 1, state: 'done' });
  expect(run?.progress.counts).toMatchObject({ rows_seen: 1500, rows_new: 1500 });
  await store.close();
  await registry.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);
