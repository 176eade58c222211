import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createObserver } from '../../src/observations/observer.ts';
import { observeDue, startObserving } from '../../src/observations/schedule.ts';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { createSharedDatabase } from '../support/database.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { editDatabase } from '../support/edit-database.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { openedEndpoint } from '../support/opened.ts';

const good = await openedEndpoint((_, _request, response) => void response.writeHead(404).end());
/** Has no robots.txt, and answers nothing else, ever. */
const hanging = await openedEndpoint((_, { url }, response) => {
  if (url === '/robots.txt') response.writeHead(404).end();
});

const listed = (name: string, host: string) => registryEntry(name, remotesAt(`https://${host}/${name}`));
const count = <T>(total: number, one: (n: number) => T): T[] =>
  Array.from({ length: total }, (_, n) => one(n));
const goodNames = count(40, (n) => `com.good${n}.app/agent`);
const goodHost = (name: string) => `${name.split('.')[1]}.example`;

const open = (slow: readonly { name: string; host: string }[], environment = {}) =>
  openDirectory({
    entries: [
      ...slow.map(({ name, host }) => listed(name, host)),
      ...goodNames.map((name) => listed(name, goodHost(name))),
    ],
    hosts: {
      ...Object.fromEntries(slow.map(({ host }) => [host, hanging])),
      ...Object.fromEntries(goodNames.map((name) => [goodHost(name), good])),
    },
    environment: { OBSERVE: 'on', ...environment },
  });

/** The listings that are being looked at: each has a lease. */
async function running({ store }: Pick<Directory, 'store'>, names: readonly string[]): Promise<string[]> {
  const leases = await Promise.all(names.map((name) => store.leases.find(`check/${name}`)));
  return names.filter((_, at) => leases[at]?.isHeld);
}

async function observed({ store }: Pick<Directory, 'store'>): Promise<string[]> {
  const looks = await store.observations.lastRuns(-1, 1000);
  return looks.filter(({ observed_at }) => observed_at !== null).map(({ handle }) => handle);
}

const patience = { interval: 100 };

it.each([
  [
    'sixty listings at one host that never answers',
    count(60, (n) => `com.drip${n}.app/agent`).map((name) => ({ name, host: 'drip.example.org' })),
  ],
  [
    'five hundred listings of one namespace at hosts of their own',
    count(500, (n) => `com.example.many/n${n}`).map((name, n) => ({ name, host: `n${n}.many${n}.org` })),
  ],
])('%s take two places and delay no others', async (_, slow) => {
  const directory = await open(slow);
  const stopping = new AbortController();
  const observer = createObserver(directory.context, stopping.signal);
  let most = 0;
  const names = slow.map(({ name }) => name);
  const pass = observeDue(observer, directory.context, { signal: stopping.signal });
  await expect
    .poll(async () => {
      most = Math.max(most, (await running(directory, names)).length);
      return observed(directory);
    }, patience)
    .toEqual(expect.arrayContaining(goodNames));
  expect(most).toBe(2);
  expect((await observed(directory)).toSorted()).toEqual(goodNames.toSorted());
  stopping.abort();
  expect(await pass).toMatchObject({ failed: 0 });
  await observer.close();
  await directory.close();
});

it('looks at a listing that another process looked at as soon as that has ended without a result', async () => {
  const directory = await open([]);
  const [taken = ''] = goodNames;
  const lease = await directory.store.leases.take(`check/${taken}`);
  const pass = directory.observeDue();
  await expect.poll(async () => (await observed(directory)).length, patience).toBe(39);
  expect(await observed(directory)).not.toContain(taken);
  await lease?.release();
  expect(await pass).toEqual({ observed: 40, changed: 40, failed: 0 });
  await directory.close();
});

it('a database that is away when a look is about to begin leaves the listing free for the next one', async () => {
  const directory = await open([]);
  const [name = ''] = goodNames;
  const listing = await directory.store.listings.byHandle(name);
  if (!listing) throw new Error('not listed');
  const observer = createObserver(directory.context);
  const away = () => Promise.reject(new Error('the database is away'));
  await expect(observer.observeIfDue(listing, away)).rejects.toThrow('the database is away');
  expect(await running(directory, [name])).toEqual([]);
  expect(await observer.observeIfDue(listing, async () => true)).toMatchObject({ handle: name });
  await observer.close();
  await directory.close();
});

it('a database that is away when a request is about to begin leaves the host free for the next one', async () => {
  const databaseUrl = await createSharedDatabase();
  const directory = await open([], { DATABASE_URL: databaseUrl });
  const [name = ''] = goodNames;
  await editDatabase(databaseUrl, 'alter table observed_pause rename to away');
  const { observations } = await directory.observe(name);
  expect(observations.filter(({ kind }) => kind === 'endpoint.answers')).toMatchObject([
    { outcome: 'not_asked' },
  ]);
  await editDatabase(databaseUrl, 'alter table away rename to observed_pause');
  const look = () => directory.observe(name).then(({ handle }) => handle, String);
  await expect.poll(look).toBe(name);
  await directory.close();
});

it('looks at the listings of a host that asked to wait when the pause has ended', async () => {
  const directory = await open([]);
  const [paused = ''] = goodNames;
  const until = new Date(directory.context.clock().getTime() + 300_000).toISOString();
  const host = goodHost(paused);
  await directory.store.write((tx) => tx.observations.putPauses(host, new Map([[host, until]])));
  const pass = directory.observeDue();
  await expect.poll(async () => (await observed(directory)).length, patience).toBe(39);
  expect(await observed(directory)).not.toContain(paused);
  directory.wait(301);
  expect(await pass).toEqual({ observed: 40, changed: 40, failed: 0 });
  await directory.close();
});

it('a database that fails for a while ends no look, and begins none beside the 32 that may run', async () => {
  const slow = count(31, (n) => ({ name: `com.slow${n}.app/agent`, host: `slow${n}.example${n}.net` }));
  const names = slow.map(({ name }) => name);
  const databaseUrl = await createSharedDatabase();
  const directory = await open(slow, { DATABASE_URL: databaseUrl });
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const stopping = new AbortController();
  const observing = startObserving({ ...directory.context, log }, stopping.signal);
  await expect.poll(async () => (await observed(directory)).length, patience).toBe(40);
  await editDatabase(databaseUrl, 'alter table observation rename to away');
  await expect.poll(() => lines.join(''), patience).toContain('a round of the schedule failed');
  await editDatabase(databaseUrl, 'alter table away rename to observation');
  directory.wait(2 * 86_400);
  const now = directory.context.clock().toISOString();
  const isAgain = async () =>
    (await directory.store.observations.lastRuns(-1, 1000)).filter(
      ({ observed_at }) => (observed_at ?? '') > now,
    );
  await expect.poll(async () => (await isAgain()).length, patience).toBe(40);
  expect(await running(directory, names)).toEqual(names);
  stopping.abort();
  await observing;
  await directory.close();
});

const own = count(10, (n) => `io.github.acme${n}/agent`);

it('looks that maintainers ask for go first, within the same places, two of one control root, and some wait', async () => {
  const service: ClaimedDirectory = await openClaimedDirectory({
    entries: own.map((name, n) =>
      registryEntry(name, {
        ...remotesAt(`https://own${n}.own${n}.org/mcp`),
        repository: { url: `https://github.com/acme/agent${n}`, source: 'github' },
      }),
    ),
    hosts: Object.fromEntries(own.map((_, n) => [`own${n}.own${n}.org`, hanging])),
    environment: { LIMITS: 'on', OBSERVE: 'on', OBSERVE_INTERVAL: '30d' },
  });
  const capabilities: string[] = [];
  for (const [n, name] of own.entries()) capabilities.push(await service.claim(name, `acme/agent${n}`));
  const now = service.context.clock().toISOString();
  await service.store.write(async (tx) => {
    for (const handle of own) await tx.observations.put({ handle, observed_at: now, timelines: [] });
  });
  const stopping = new AbortController();
  const observing = startObserving(service.context, stopping.signal);
  const ask = (n: number) => service.post('/api/capability/check', {}, capabilities[n]);
  const statuses = [];
  for (const n of own.keys()) statuses.push((await ask(n)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 429, 429]);
  const refused = await ask(9);
  expect(refused.headers.get('retry-after')).toBe('60');
  expect(await refused.json()).toMatchObject({
    code: 'rate_limited',
    detail: expect.stringContaining('too many requested checks are waiting already') as string,
  });
  await expect.poll(() => running(service, own), patience).toEqual(own.slice(0, 2));
  stopping.abort();
  await observing;
  await service.close();
});
