import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startImports } from '../../src/app/import-schedule.ts';
import { readConfig } from '../../src/config/config.ts';
import { importOnce } from '../../src/imports/import-once.ts';
import type { Store } from '../../src/store/store.ts';
import { startDossier } from '../support/command.ts';
import { createSharedDatabase, openDatabase } from '../support/database.ts';
import { editDatabase } from '../support/edit-database.ts';
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

  /** A run that stopped after its first page. */
  async function interrupt() {
    const stopping = new AbortController();
    await importing.run({ signal: stopping.signal, onProgress: () => stopping.abort() });
  }
  const takeLease = (owner: string) => other.write((tx) => tx.leases.take('import', owner));
  const resumed = { isResumed: true, state: 'done', counts: { rows_seen: 250, rows_new: 250 } };

  it('is left alone while its lease is renewed, whatever is imported, and continued at once when it is released', async () => {
    await interrupt();
    const lease = await other.leases.take('import');
    await expect(importing.run()).rejects.toThrow('an import is already under way');
    await expect(importing.run({ source: 'sample' })).rejects.toThrow('an import is already under way');
    expect(lease?.isOurs()).toBe(true);
    await lease?.release();
    expect(await importing.run()).toMatchObject(resumed);
  });

  it('is taken over when its lease was not renewed for ten seconds, whatever its process or host was called', async () => {
    await interrupt();
    await takeLease('a process that was killed');
    await editDatabase(database, 'update lease set renewed_at = renewed_at - 5000');
    await expect(importing.run()).rejects.toThrow('an import is already under way');
    await editDatabase(database, 'update lease set renewed_at = renewed_at - 5000');
    expect(await importing.run()).toMatchObject(resumed);
    expect(await other.leases.find('import')).toBeUndefined();
  });

  it('is taken over when its lease is dated far ahead: the clock of the database was set back', async () => {
    await interrupt();
    await takeLease('a process that was killed');
    await editDatabase(database, 'update lease set renewed_at = renewed_at + 86400000');
    expect(await importing.run()).toMatchObject(resumed);
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
    await expect.poll(() => outcomes).toEqual(['busy']);
    stopping.abort();
    await ended;
    expect(importing.registry.requests.filter(({ query }) => !query.has('cursor')).length).toBe(1);
  });
});

describe('a lease', () => {
  let database: string;
  let here: Store;
  let there: Store;
  beforeEach(async () => {
    database = await createSharedDatabase();
    [here, there] = [await openDatabase(database), await openDatabase(database)];
  });
  afterEach(async () => {
    await here.close();
    await there.close();
  });
  const patience = { interval: 20 };

  it('is renewed for as long as it is held', async () => {
    const lease = await here.leases.take('work');
    const first = await there.leases.find('work');
    const next = async () => (await there.leases.find('work'))?.renewed_at;
    await expect.poll(next, patience).not.toBe(first?.renewed_at);
    expect(lease?.isOurs()).toBe(true);
    expect(await there.leases.take('work')).toBeUndefined();
  });

  it('that another process took over is no more its first holder’s, who stops and cannot release it', async () => {
    const lost = await here.leases.take('work');
    await editDatabase(database, 'update lease set renewed_at = renewed_at - 60000');
    const taken = await there.leases.take('work');
    expect(taken?.isOurs()).toBe(true);
    await expect.poll(() => lost?.signal.aborted, patience).toBe(true);
    expect(lost?.isOurs()).toBe(false);
    await lost?.release();
    expect((await here.leases.find('work'))?.isHeld).toBe(true);
    expect(await here.leases.take('work')).toBeUndefined();
  });

  it('that cannot be renewed is not used any more before another process can take it', async () => {
    const lease = await here.leases.take('work');
    await editDatabase(database, 'alter table lease rename to away');
    await expect.poll(() => lease?.isOurs(), patience).toBe(false);
    await editDatabase(database, 'alter table away rename to lease');
    expect(await there.leases.take('work')).toBeUndefined();
    await expect.poll(() => lease?.signal.aborted, patience).toBe(true);
    expect(lease?.isOurs()).toBe(false);
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
  let isEnded = false;
  void ended.then(() => {
    isEnded = true;
  });
  await expect.poll(() => lines.join()).toContain('imports stopped; retrying in 30 s');
  expect(isEnded).toBe(false);
  stopping.abort();
  await ended;
});

it('dossier import ends with 69 while another process imports, which loses nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-lease-'));
  const registry = await startRegistryServer(manyEntries(1500));
  registry.answerOnly(2);
  const environment = { DATABASE_URL: await createSharedDatabase(folder), REGISTRY_URL: registry.url };
  const first = startDossier(['import'], environment);
  await expect.poll(() => registry.requests.length).toBeGreaterThan(2);
  const second = await startDossier(['import'], environment).ended;
  registry.answerOnly(Number.POSITIVE_INFINITY);
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
});

it('an import that stood still while another process took it over writes nothing more, and says so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-lease-'));
  const registry = await startRegistryServer(manyEntries(1500));
  registry.answerOnly(3);
  const DATABASE_URL = await createSharedDatabase(folder);
  const stopped = startDossier(['import'], { DATABASE_URL, REGISTRY_URL: registry.url });
  const importing = await openImporting(manyEntries(1500), DATABASE_URL);
  // Between two writes: one that is stopped in the middle of a transaction keeps SQLite locked.
  const readRows = async () => (await importing.store.imports.last()).run?.progress.counts.rows_seen;
  await expect.poll(readRows).toBe(300);
  stopped.child.kill('SIGSTOP');
  registry.answerOnly(Number.POSITIVE_INFINITY);
  await editDatabase(DATABASE_URL, 'update lease set renewed_at = renewed_at - 60000');
  const report = await importing.run({ source: registry.url });
  expect(report).toMatchObject({ isResumed: true, state: 'done', counts: { rows_seen: 1500 } });
  stopped.child.kill('SIGCONT');
  const { code, stderr } = await stopped.ended;
  expect(stderr).toContain('another process has taken this import over');
  expect(code).not.toBe(0);
  expect((await importing.store.imports.last()).run).toMatchObject({ id: 1, state: 'done' });
  await importing.close();
  await registry.stop();
  rmSync(folder, { recursive: true, force: true });
});
