import { expect, it } from 'vitest';
import { runDossier } from '../support/command.ts';
import { createSharedDatabase } from '../support/database.ts';
import { openDirectory } from '../support/directory.ts';
import { editDatabase } from '../support/edit-database.ts';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const handle = 'com.example.audited/a';
let tools = [{ name: 'send', description: 'Sends a message' }];

/** Two looks, between which the tools changed: entries 0 and 1 of the log. */
const DATABASE_URL = await createSharedDatabase();
const endpoint = await opened(startModernServer(() => tools));
const directory = await openedDirectory({
  entries: [registryEntry(handle, remotesAt('https://audited.example.com/mcp'))],
  environment: { DATABASE_URL, HOST_OVERRIDES: JSON.stringify({ 'audited.example.com': endpoint.url }) },
});
await directory.observe(handle);
tools = [...tools, { name: 'erase', description: 'Erases a message' }];
directory.wait(86_400);
await directory.observe(handle);

interface Report {
  readonly entries: number;
  readonly listings: number;
  readonly faults: readonly { readonly where: string; readonly message: string }[];
}

async function audit(place = DATABASE_URL) {
  const { code, stdout } = await runDossier(['audit', place, '--json'], {});
  const { faults, entries, listings } = JSON.parse(stdout) as Report;
  return { code, entries, listings, faults: faults.map(({ where, message }) => `${where}: ${message}`) };
}

/** The same database behind another process, read as a stranger would. */
async function auditService(environment: Record<string, string> = {}) {
  const service = await openDirectory({
    entries: [],
    listening: true,
    environment: { DATABASE_URL, LIMITS: 'off', ...environment },
  });
  try {
    return await audit(`http://127.0.0.1:${service.context.config.port}`);
  } finally {
    await service.close();
  }
}

it('agrees after two looks, counts the listing, and holds where they are stale', async () => {
  const holds = { code: 0, entries: 2, listings: 1, faults: [] };
  expect(await audit()).toEqual(holds);
  expect(await auditService()).toEqual(holds);
  expect(await auditService({ OBSERVE_INTERVAL: '1s' })).toMatchObject({ code: 0, faults: [] });
});

const setIn = (table: string, column: string, from: string, to: string) =>
  `update ${table} set ${column} = replace(${column}, '${from}', '${to}')`;

/** What is done, a fault that both audits find, and one that only the audit of the database finds. */
const edits: Record<string, { sql: string; said?: string; unseen?: string }> = {
  'a change that was edited': {
    sql: `${setIn('observation_change', 'changes', '"value":2,', '"value":1,')} where log_index = 1`,
    said: `changes is [{"kind"`,
  },
  'the date of a change that was edited': {
    sql: "update observation_change set at = '2020-01-01T00:00:00.000Z' where log_index = 0",
    said: `changes of ${handle} at 2020-01-01T00:00:00.000Z: at is "2020-01-01T00:00:00.000Z", but log entry 0 says "`,
  },
  'a change that was deleted': {
    sql: 'delete from observation_change where log_index = 0',
    said: `entry 0: it records changes that Dossier saw at ${handle}, but no listing shows that`,
  },
  'changes that were all deleted': {
    sql: 'delete from observation_change',
    said: `tools.count of ${handle}: it is shown as 2 (seen), but no change of it is stored`,
  },
  'a change that no entry records': {
    sql: 'insert into observation_change select 9, handle, at, vantage, changes from observation_change where log_index = 1',
    said: 'it is shown and names entry 9, but no record of that entry is stored',
  },
  'a fact that is not as its newest change says': {
    sql: setIn('observation', 'observations', '"value":2,', '"value":3,'),
    said: `tools.count of ${handle}: it is shown as 3 (seen), but its newest change, log entry 1, says 2 (seen)`,
    unseen: `tools.count of ${handle}: its readings changed to 3 (seen) at 2`,
  },
  'a past reading that was edited': {
    sql: setIn('observation', 'observations', '"value":1,', '"value":7,'),
    unseen: `tools.count of ${handle}: log entry 0 says that it changed to 1 (seen), which its readings do not show`,
  },
};

it.each(Object.entries(edits))('finds %s', async (_, { sql, said, unseen }) => {
  const tables = ['observation', 'observation_change'];
  for (const table of tables)
    await editDatabase(DATABASE_URL, `create table kept_${table} as select * from ${table}`);
  await editDatabase(DATABASE_URL, sql);
  const own = await audit();
  const served = await auditService();
  for (const table of tables) {
    await editDatabase(DATABASE_URL, `delete from ${table}`);
    await editDatabase(DATABASE_URL, `insert into ${table} select * from kept_${table}`);
    await editDatabase(DATABASE_URL, `drop table kept_${table}`);
  }
  for (const one of [said, unseen]) if (one) expect(own.faults.join('\n')).toContain(one);
  expect(served.faults.join('\n')).toContain(said ?? '');
  expect([own.code, served.code]).toEqual([1, said ? 1 : 0]);
});
