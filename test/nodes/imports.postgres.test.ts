import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startImports } from '../../src/app/import-schedule.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Store } from '../../src/store/store.ts';
import { type Started, startDossier } from '../support/command.ts';
import { createSharedDatabase, openDatabase } from '../support/database.ts';
import { editDatabase } from '../support/edit-database.ts';
import { queryDatabase } from '../support/nodes.ts';
import { manyEntries } from '../support/registry-entries.ts';
import { type RegistryServer, startRegistryServer } from '../support/registry-server.ts';

let registry: RegistryServer;
let databaseUrl: string;
let store: Store;
const started: Started[] = [];
beforeEach(async () => {
  registry = await startRegistryServer(manyEntries(500));
  databaseUrl = await createSharedDatabase();
  store = await openDatabase(databaseUrl);
});
afterEach(async () => {
  for (const { child, ended } of started.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  await store.close();
  await registry.stop();
});

async function serve(): Promise<Started> {
  const node = startDossier(['serve'], {
    DATABASE_URL: databaseUrl,
    REGISTRY_URL: registry.url,
    REGISTRY_NAME: 'registry.test',
    PORT: '0',
  });
  started.push(node);
  await node.line(/^listening on/m);
  return node;
}
/** The schedule of one node, on a store of its own; how often it has looked whether an import is due. */
async function schedule(interval: string, signal: AbortSignal) {
  const own = await openDatabase(databaseUrl);
  let looks = 0;
  const imports = {
    ...own.imports,
    last: async () => {
      const found = await own.imports.last();
      looks += 1;
      return found;
    },
  };
  const environment = {
    REGISTRY_URL: registry.url,
    REGISTRY_NAME: 'registry.test',
    IMPORT_INTERVAL: interval,
  };
  const config = readConfig(environment, '0.0.0');
  const log = pino({ level: 'silent' });
  const ended = startImports({ store: { ...own, imports }, config, log, clock: () => new Date() }, signal);
  return { looks: () => looks, ended: ended.then(() => own.close()) };
}
const newestRun = async () => (await store.imports.last()).run;

it('an import goes on within seconds at another node when the node that did it is killed', async () => {
  registry.trouble('silent', { after: 2, times: 1 });
  const first = await serve();
  await expect.poll(() => registry.requests.length).toBe(3);
  const second = await serve();
  // A node beside it looks twice, with a pause between, and sends no request while the first one is alive.
  const stopping = new AbortController();
  const { looks, ended } = await schedule('1h', stopping.signal);
  await expect.poll(looks).toBeGreaterThan(1);
  stopping.abort();
  await ended;
  expect(registry.requests.length).toBe(3);
  first.child.kill('SIGKILL');
  await first.ended;
  await editDatabase(databaseUrl, 'update lease set renewed_at = renewed_at - 10000');
  await expect.poll(() => registry.requests.length).toBeGreaterThan(3);
  await expect.poll(async () => (await newestRun())?.state).toBe('done');
  const run = await newestRun();
  expect(run).toMatchObject({ id: 1, kind: 'full' });
  expect(run?.progress.counts).toMatchObject({ rows_seen: 500, rows_new: 500, rows_unchanged: 0 });
  // Of five pages it reads the last three, and the second if that was not stored yet.
  expect(registry.requests.length - 3).toBeLessThanOrEqual(4);
  second.child.kill('SIGTERM');
  expect((await second.ended).code).toBe(0);
});

describe('several nodes', () => {
  const firstPages = () => registry.requests.filter(({ query }) => !query.has('cursor')).length;

  it('request the registry as often as one node: three that run, and one that starts later', async () => {
    registry.serve(manyEntries(50));
    const stopping = new AbortController();
    const nodes = [1, 2, 3].map(() => schedule('1s', stopping.signal));
    await expect.poll(firstPages).toBeGreaterThanOrEqual(2);
    nodes.push(schedule('1s', stopping.signal));
    await expect.poll(firstPages).toBeGreaterThanOrEqual(4);
    stopping.abort();
    await Promise.all((await Promise.all(nodes)).map(({ ended }) => ended));
    const runs = await queryDatabase(
      databaseUrl,
      'select started_at, finished_at from import_run order by id',
    );
    expect(firstPages()).toBe(runs.length);
    // The interval is a second, and a tenth of it is no matter.
    for (const [at, { started_at }] of runs.entries())
      if (at > 0)
        expect(
          Date.parse(String(started_at)) - Date.parse(String(runs[at - 1]?.finished_at)),
        ).toBeGreaterThan(890);
  });

  it('send no request within the interval after a completed import', async () => {
    registry.serve(manyEntries(50));
    const stopping = new AbortController();
    const first = await schedule('1h', stopping.signal);
    await expect.poll(async () => (await newestRun())?.state).toBe('done');
    const asked = registry.requests.length;
    const others = await Promise.all([1, 2].map(() => schedule('1h', stopping.signal)));
    for (const { looks } of others) await expect.poll(looks).toBeGreaterThan(0);
    expect(registry.requests.length).toBe(asked);
    stopping.abort();
    await Promise.all([first, ...others].map(({ ended }) => ended));
  });
});
