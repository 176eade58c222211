import { mkdtempSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runDossier, startDossier } from '../support/command.ts';
import { createSharedDatabase, openDatabase } from '../support/database.ts';
import { editDatabase } from '../support/edit-database.ts';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { readable } from '../support/facts.ts';
import { opened, openedEndpoint, openFolder } from '../support/opened.ts';

const folder = openFolder();

const names = Array.from({ length: 16 }, (_, n) => `com.example.many/n${n}`);

const endpoint = await opened(
  startModernServer(() => [{ name: 'replay', description: 'Replays a webhook' }]),
);
const slow = await openedEndpoint((_, _request, response) => {
  setTimeout(() => response.writeHead(404).end(), 40);
});
const databaseUrl = await createSharedDatabase(folder);
const registry = join(folder, 'registry.json');
writeFileSync(
  registry,
  JSON.stringify([
    registryEntry('com.example.one/replay', remotesAt('https://one.example.com/mcp')),
    ...names.map((name, n) => registryEntry(name, remotesAt(`https://slow.example.com/${n}`))),
  ]),
);
const environment = {
  DATABASE_URL: databaseUrl,
  REGISTRY_URL: `file:${registry}`,
  PORT: '0',
  HOST_OVERRIDES: JSON.stringify({ 'one.example.com': endpoint.url, 'slow.example.com': slow.url }),
};
expect((await runDossier(['import'], environment)).code).toBe(0);

it('dossier observe HANDLE prints what it found as a table, or one fact a line as JSON', async () => {
  const table = await runDossier(['observe', 'com.example.one/replay'], environment);
  expect([table.code, table.stderr]).toEqual([0, '']);
  expect(table.stdout).toMatch(/^com\.example\.one\/replay\nkind +outcome +value +reason\n/);
  expect(table.stdout).toMatch(/^tools\.count +seen +1$/m);
  const { stdout } = await runDossier(['observe', '--once', '--json', 'com.example.one/replay'], environment);
  const facts = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(facts.find(({ kind }) => kind === 'tools.count')).toMatchObject({
    handle: 'com.example.one/replay',
    value: 1,
    outcome: 'seen',
  });
});

it('looks at an endpoint that is not listed, and stores nothing', async () => {
  const { code, stdout } = await runDossier(['observe', 'https://one.example.com/mcp'], environment);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^https:\/\/one\.example\.com\/mcp\nkind +outcome/),
  ]);
  expect(stdout).toMatch(/^tools\.count +seen +1$/m);
  const store = await openDatabase(databaseUrl);
  expect(await store.observations.ofListing('https://one.example.com/mcp')).toBeUndefined();
  await store.close();
});

it('ends with 64 and a sentence for a handle that is not listed', async () => {
  const { code, stderr } = await runDossier(['observe', 'com.example.one/repaly'], environment);
  expect([code, stderr]).toEqual([
    64,
    'no listing has the handle com.example.one/repaly; did you mean com.example.one/replay?\n',
  ]);
});

it('dossier observe HANDLE says that another process observes the listing, and looks when that has ended', async () => {
  const store = await openDatabase(databaseUrl);
  const lease = await store.leases.take('check/com.example.one/replay');
  const { child, ended } = startDossier(['observe', 'com.example.one/replay'], environment);
  const said = await new Promise<string>((resolve) => child.stderr?.once('data', resolve));
  expect(said).toBe('another process observes com.example.one/replay; waiting until it has ended\n');
  await lease?.release();
  expect(await ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^tools\.count +seen/m) });
  await store.close();
});

const refusing = (table: string) =>
  `create trigger away before insert on ${table} begin select raise(abort, 'away'); end`;

it('ends with 74 if no look could be stored', async () => {
  await editDatabase(databaseUrl, refusing('log_record'));
  const { code, stderr } = await runDossier(['observe'], environment);
  await editDatabase(databaseUrl, 'drop trigger away');
  await editDatabase(databaseUrl, 'delete from observation');
  expect(code).toBe(74);
  expect(stderr).toMatch(/^every check failed on our side; the log says why$/m);
});

it('goes on with the listings behind one whose check cannot be stored, which says so of every fact, and ends with 74', async () => {
  const names = ['com.example.one/replay', 'com.example.many/n0'];
  expect((await runDossier(['observe', ...names], environment)).code).toBe(0);
  // Storing a new set of tools fails.
  await editDatabase(databaseUrl, `delete from observed_value; ${refusing('observed_value')}`);
  const { code, stdout, stderr } = await runDossier(['observe', ...names], environment);
  await editDatabase(databaseUrl, 'drop trigger away');
  expect(code).toBe(74);
  expect(stderr).toMatch(/^the check of com\.example\.one\/replay failed on our side; the log says why$/m);
  expect(stdout).toMatch(/^com\.example\.many\/n0$/m);
  const store = await openDatabase(databaseUrl);
  const { observations = [] } = (await store.observations.ofListing('com.example.one/replay')) ?? {};
  const looked = observations.map(readable).filter(({ outcome, tally }) => outcome !== 'not_asked' && !tally);
  expect(looked.length).toBeGreaterThan(3);
  for (const { missed } of looked)
    expect(missed?.reason).toBe(
      'The check failed on our side, and nothing of it was stored; the failure was logged.',
    );
  await store.close();
  await editDatabase(databaseUrl, 'delete from observation');
});

it('a pass that is killed loses nothing: the next one goes on with what is still due', async () => {
  const { child, ended } = startDossier(['observe'], environment);
  const store = await openDatabase(databaseUrl);
  const looked = async () => {
    const looks = await store.observations.lastRuns(-1, 100);
    return looks.filter(({ observed_at }) => observed_at !== null).length;
  };
  await expect.poll(looked).toBeGreaterThan(5);
  child.kill('SIGKILL');
  await ended;
  const before = await looked();
  expect(before).toBeLessThan(17);
  await editDatabase(databaseUrl, 'update lease set renewed_at = renewed_at - 10000');
  const { code, stdout } = await runDossier(['observe'], environment);
  expect([code, stdout]).toEqual([
    0,
    `observed ${17 - before} listings that were due, ${17 - before} changed, 0 failed on our side\n`,
  ]);
  expect(await looked()).toBe(17);
  await store.close();
});

it.each([
  ['a pass', []],
  ['a look at one listing', ['com.example.one/replay']],
])(
  'SIGTERM ends %s at a host that never ends its TLS handshake, leaves no lease and stores nothing',
  async (_, handles) => {
    const sockets: Socket[] = [];
    const mute = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const { port } = mute.address() as AddressInfo;
    await editDatabase(databaseUrl, 'delete from observation');
    const { child, ended } = startDossier(['observe', ...handles], {
      ...environment,
      HOST_OVERRIDES: JSON.stringify({
        'one.example.com': `https://127.0.0.1:${port}`,
        'slow.example.com': slow.url,
      }),
    });
    await expect.poll(() => sockets.length).toBeGreaterThan(0);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(handles.length > 0 ? 130 : 0);
    const store = await openDatabase(databaseUrl);
    expect(await store.leases.find('check/com.example.one/replay')).toBeUndefined();
    expect(await store.leases.find('host/one.example.com')).toBeUndefined();
    const looks = await store.observations.lastRuns(-1, 100);
    const { observed_at } = looks.find((look) => look.handle === 'com.example.one/replay') ?? {};
    expect(observed_at).toBeNull();
    await store.close();
    for (const socket of sockets) socket.destroy();
    mute.close();
  },
);

it('OBSERVE=on makes the service look by itself and show what it found', async () => {
  const started = startDossier(['serve'], {
    ...environment,
    DATABASE_URL: await createSharedDatabase(mkdtempSync(join(folder, 'on-'))),
    OBSERVE: 'on',
    OBSERVE_VANTAGE: 'our kitchen',
  });
  const url = await started.line(/^listening on (\S+)/m);
  const read = async () => {
    const answer = await fetch(`${url}/agents/com.example.one/replay.json`);
    const { observations = [] } = (await answer.json()) as { observations?: Record<string, unknown>[] };
    return observations.find(({ kind }) => kind === 'tools.count');
  };
  await expect.poll(read).toMatchObject({ value: 1, vantage: 'our kitchen' });
  started.child.kill('SIGTERM');
  expect((await started.ended).code).toBe(0);
});
