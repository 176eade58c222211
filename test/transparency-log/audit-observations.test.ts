import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runDossier } from '../support/command.ts';
import { createSharedDatabase } from '../support/database.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { editDatabase } from '../support/edit-database.ts';
import { type Endpoint, startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry } from '../support/entries.ts';

const handle = 'com.example.audited/a';
let tools = [{ name: 'send', description: 'Sends a message' }];
let endpoint: Endpoint;
let directory: Directory;
let DATABASE_URL: string;

/** Two looks, between which the tools changed: entries 0 and 1 of the log. */
beforeEach(async () => {
  DATABASE_URL = await createSharedDatabase();
  tools = [{ name: 'send', description: 'Sends a message' }];
  endpoint = await startModernServer(() => tools);
  directory = await openDirectory({
    entries: [
      registryEntry(handle, {
        remotes: [{ type: 'streamable-http', url: 'https://audited.example.com/mcp' }],
      }),
    ],
    environment: { DATABASE_URL, HOST_OVERRIDES: JSON.stringify({ 'audited.example.com': endpoint.url }) },
  });
  await directory.observe(handle);
  tools = [...tools, { name: 'erase', description: 'Erases a message' }];
  directory.wait(86_400);
  await directory.observe(handle);
});
afterEach(async () => {
  await directory.close();
  await endpoint.close();
});

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

it('agrees after two looks, and counts the listing', async () => {
  expect(await audit()).toEqual({ code: 0, entries: 2, listings: 1, faults: [] });
});

it('finds a change that was edited, in its facts, its date or its listing', async () => {
  await editDatabase(
    DATABASE_URL,
    `update observation_change set changes = replace(changes, '"value":2,', '"value":1,') where log_index = 1`,
  );
  await editDatabase(
    DATABASE_URL,
    "update observation_change set at = '2020-01-01T00:00:00.000Z' where log_index = 0",
  );
  const { code, faults } = await audit();
  expect(code).toBe(1);
  expect(faults.filter((fault) => fault.startsWith('changes of'))).toEqual([
    expect.stringMatching(
      /^changes of com\.example\.audited\/a at 2026-.*: changes is \[\{.*, but log entry 1 says \[\{/,
    ),
    expect.stringMatching(
      /^changes of com\.example\.audited\/a at 2020-.*: at is "2020-01-01T00:00:00.000Z", but log entry 0 says "/,
    ),
  ]);
});

it('finds a change that was deleted', async () => {
  await editDatabase(DATABASE_URL, 'delete from observation_change where log_index = 0');
  const { faults } = await audit();
  expect(faults).toContain(
    'entry 0: it records changes that Dossier saw at com.example.audited/a, which are shown nowhere',
  );
});

it('finds a change that no entry records', async () => {
  await editDatabase(
    DATABASE_URL,
    'insert into observation_change select 9, handle, at, vantage, changes from observation_change where log_index = 1',
  );
  const { faults } = await audit();
  expect(faults).toEqual([
    expect.stringMatching(
      /^changes of com\.example\.audited\/a at .*: it is shown and names entry 9, but no record of that entry is stored$/,
    ),
  ]);
});

it('finds a current fact that is not as its newest change says', async () => {
  await editDatabase(
    DATABASE_URL,
    `update observation set observations = replace(observations, '"value":2,', '"value":3,')`,
  );
  const { faults } = await audit();
  expect(faults).toEqual([
    'tools.count of com.example.audited/a: it is shown as 3 (seen), but its newest change, log entry 1, says 2 (seen)',
  ]);
});

it('finds a current fact that no change led to', async () => {
  await editDatabase(DATABASE_URL, 'delete from observation_change');
  const { faults } = await audit();
  expect(faults).toContain(
    'tools.count of com.example.audited/a: it is shown as 2 (seen), but no change of it is stored',
  );
});

describe('over HTTP', () => {
  it('agrees after two looks, and where they are stale', async () => {
    expect(await auditService()).toEqual({ code: 0, entries: 2, listings: 1, faults: [] });
    expect(await auditService({ OBSERVE_INTERVAL: '1s' })).toMatchObject({ code: 0, faults: [] });
  });

  it('finds a change that was edited', async () => {
    await editDatabase(
      DATABASE_URL,
      `update observation_change set changes = replace(changes, '"value":2,', '"value":1,') where log_index = 1`,
    );
    const { code, faults } = await auditService();
    expect(code).toBe(1);
    expect(faults[0]).toMatch(
      /^changes of com\.example\.audited\/a at .*: changes is \[\{.*, but log entry 1 says \[\{/,
    );
  });

  it('finds a change that was deleted', async () => {
    await editDatabase(DATABASE_URL, 'delete from observation_change where log_index = 0');
    const { faults } = await auditService();
    expect(faults).toContain(
      'entry 0: it records changes that Dossier saw at com.example.audited/a, which are shown nowhere',
    );
  });

  it('finds a current fact that is not as its newest change says', async () => {
    await editDatabase(
      DATABASE_URL,
      `update observation set observations = replace(observations, '"value":2,', '"value":3,')`,
    );
    const { faults } = await auditService();
    expect(faults).toEqual([
      'tools.count of com.example.audited/a: it is shown as 3 (seen), but its newest change, log entry 1, says 2 (seen)',
    ]);
  });
});
