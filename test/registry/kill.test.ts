import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startDossier } from '../support/command.ts';
import { createSharedDatabase, openDatabase } from '../support/database.ts';
import { editDatabase } from '../support/edit-database.ts';
import { openImporting, readWritten } from '../support/importing.ts';
import { opened } from '../support/opened.ts';
import { manyEntries } from '../support/registry-entries.ts';
import { type RegistryServer, startRegistryServer } from '../support/registry-server.ts';

let folder: string;
let registry: RegistryServer;
const entries = manyEntries(2500);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dossier-kill-'));
  registry = await startRegistryServer(entries);
});
afterEach(async () => {
  await registry.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** `dossier import`, killed without a word once the registry was asked for this many pages. */
async function importUntilKilled(environment: Record<string, string>, pages: number): Promise<void> {
  const before = registry.requests.length;
  registry.answerOnly(0);
  const { child, ended } = startDossier(['import'], environment);
  await expect.poll(() => registry.requests.length).toBe(before + 1);
  registry.answerOnly(pages - 1);
  await expect.poll(() => registry.requests.length).toBe(before + pages);
  child.kill('SIGKILL');
  await ended;
  expect(child.signalCode).toBe('SIGKILL');
  await editDatabase(environment.DATABASE_URL ?? '', 'update lease set renewed_at = renewed_at - 10000');
}

it('loses and repeats nothing when killed in the middle, twice', async () => {
  const databaseUrl = await createSharedDatabase(folder);
  const environment = { DATABASE_URL: databaseUrl, REGISTRY_URL: registry.url };
  await importUntilKilled(environment, 6);
  await importUntilKilled(environment, 8);
  registry.answerOnly(Number.POSITIVE_INFINITY);
  const { code, stderr } = await startDossier(['import'], environment).ended;
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });

  const store = await openDatabase(databaseUrl);
  const { run } = await store.imports.last();
  const killed = await readWritten(store);
  await store.close();
  expect(run).toMatchObject({ id: 1, kind: 'full', state: 'done', cursor: undefined });
  expect(run?.progress.counts).toMatchObject({
    rows_seen: entries.length,
    rows_new: entries.length,
    rows_changed: 0,
    rows_unchanged: 0,
    rows_quarantined: 0,
  });

  const untouched = await opened(openImporting(entries));
  await untouched.run({ source: registry.url });
  expect(killed).toEqual(await untouched.written());
});
