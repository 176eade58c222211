import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readImportStatus } from '../../src/imports/import-once.ts';
import type { Store } from '../../src/store/store.ts';
import { type Started, startDossier } from '../support/command.ts';
import { createSharedDatabase, openDatabase } from '../support/database.ts';
import { editDatabase } from '../support/edit-database.ts';
import { manyEntries } from '../support/registry-entries.ts';
import { type RegistryServer, startRegistryServer } from '../support/registry-server.ts';

let folder: string;
let registry: RegistryServer;
let databaseUrl: string;
let store: Store;
const started: Started[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dossier-status-'));
  registry = await startRegistryServer(manyEntries(300));
  databaseUrl = await createSharedDatabase(folder);
  store = await openDatabase(databaseUrl);
});
afterEach(async () => {
  for (const { child, ended } of started.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  await store.close();
  await registry.stop();
  rmSync(folder, { recursive: true, force: true });
});

const start = (args: readonly string[]) => {
  const settings = { REGISTRY_URL: registry.url, REGISTRY_NAME: 'registry.test', PORT: '0' };
  const node = startDossier(args, { DATABASE_URL: databaseUrl, ...settings });
  started.push(node);
  return node;
};
const status = () => readImportStatus({ store });
const eventually = (state: string) => expect.poll(async () => (await status()).state).toBe(state);

it('no import, one that runs, and one that completed', async () => {
  expect(await status()).toEqual({ state: 'none', run: undefined, done: undefined });
  registry.answerOnly(1);
  const { ended } = start(['import']);
  await eventually('running');
  registry.answerOnly(Number.POSITIVE_INFINITY);
  await ended;
  expect(await status()).toMatchObject({ state: 'done', run: { id: 1 }, done: { id: 1 } });
});

it.each([['import'], ['serve']])(
  'a run whose node died is stopped once its lease was not renewed for ten seconds: dossier %s',
  async (command) => {
    registry.trouble('silent', { after: 2, times: 1 });
    const node = start([command]);
    await eventually('running');
    node.child.kill('SIGKILL');
    await node.ended;
    await editDatabase(databaseUrl, 'update lease set renewed_at = renewed_at - 10000');
    const { state, run, lastSeen_at } = await status();
    expect([state, run?.id, run?.state, run?.error]).toEqual(['stopped', 1, 'running', undefined]);
    expect(Date.parse(lastSeen_at ?? '')).toBeGreaterThan(Date.parse(run?.started_at ?? '') - 11_000);
  },
);

it('a service sees that the thread it imports in is alive', async () => {
  registry.trouble('silent', { after: 2, times: 1 });
  const url = await start(['serve']).line(/^listening on (\S+)$/m);
  await eventually('running');
  const page = await (await fetch(url)).text();
  expect(page).toContain('An import has been running since');
});

it('an interrupted run is stopped and names no node', async () => {
  registry.answerOnly(1);
  const node = start(['import']);
  await eventually('running');
  node.child.kill('SIGINT');
  registry.answerOnly(1);
  await node.ended;
  const stopped = await status();
  expect(stopped.state).toBe('stopped');
  expect(stopped).not.toHaveProperty('lastSeen_at');
});

it('a failed run', async () => {
  registry.trouble('html');
  await start(['import']).ended;
  expect(await status()).toMatchObject({
    state: 'failed',
    run: { error: 'the answer is not JSON (another kind of server, or a sign-in page)' },
    done: undefined,
  });
});
