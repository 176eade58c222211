import { afterEach, expect, it } from 'vitest';
import { type Started, startDossier } from '../support/command.ts';
import { createSharedDatabase } from '../support/database.ts';
import { queryDatabase } from '../support/nodes.ts';

const started: Started[] = [];
afterEach(async () => {
  for (const { child, ended } of started.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});

/** A database that nothing of ours was ever in. */
async function createEmptyDatabase(): Promise<string> {
  const databaseUrl = await createSharedDatabase();
  await queryDatabase(databaseUrl, 'drop schema public cascade');
  await queryDatabase(databaseUrl, 'create schema public');
  return databaseUrl;
}

async function serve(databaseUrl: string): Promise<string> {
  const environment = { DATABASE_URL: databaseUrl, REGISTRY_URL: 'off', PORT: '0', LOG_FORMAT: 'json' };
  const node = startDossier(['serve'], environment);
  started.push(node);
  return node.line(/^listening on (\S+)$/m);
}

it('four nodes that start at once on an empty database make it once, and all serve', async () => {
  const databaseUrl = await createEmptyDatabase();
  const urls = await Promise.all([1, 2, 3, 4].map(() => serve(databaseUrl)));
  for (const url of urls) {
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await fetch(`${url}/agents/co.webhook/webhook.json`)).status).toBe(200);
  }
  const [migrations] = await queryDatabase(
    databaseUrl,
    'select count(*)::int as made, count(distinct name)::int as different from kysely_migration',
  );
  expect(migrations?.made).toBe(migrations?.different);
  const runs = await queryDatabase(databaseUrl, 'select state, progress from import_run');
  expect(runs.map(({ state }) => state)).toEqual(runs.map(() => 'done'));
  const added = runs.map(({ progress }) => (JSON.parse(String(progress)) as { rows_new: number }).rows_new);
  const [held] = await queryDatabase(databaseUrl, 'select count(*)::int as versions from listing_version');
  expect(added.reduce((sum, rows) => sum + rows)).toBe(held?.versions);
  const keys = await Promise.all(urls.map(async (url) => (await fetch(`${url}/log/key`)).text()));
  const publicKeys = keys.map((key) => key.trim().split('+').at(-1));
  expect(new Set(publicKeys).size).toBe(1);
});
