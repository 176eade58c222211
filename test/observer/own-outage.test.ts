import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRepositoryReader } from '../../src/net/repositories.ts';
import { createObserver } from '../../src/observations/observer.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { type Endpoint, startEndpoint } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry } from '../support/entries.ts';

const names = ['once', 'new', 'a', 'b', 'c', 'd', 'lone', 'other'] as const;
type Name = (typeof names)[number];
const hostOf = (name: Name) => `${name}.${name}-outage.example`;
const repository = { url: 'https://github.com/example/there', source: 'github' };

/** What each host does with a request; without an entry it answers. */
const faults = new Map<string, 'hangs' | 503>();
let server: Endpoint;
let directory: Directory;

const answer = (body: string, ...[{ url, headers }, response]: Parameters<RequestListener>) => {
  const [, name = '', path = ''] = /^\/(\w+)(.*)$/.exec(url ?? '') ?? [];
  const fault = faults.get(name);
  if (fault === 'hangs') return;
  if (fault) return void response.writeHead(fault).end();
  if (path !== '/mcp' || body === '') return void response.writeHead(404).end(headers.host);
  const { id } = JSON.parse(body) as { id?: number };
  const result = { supportedVersions: ['2026-07-28'], capabilities: {}, tools: [] };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
};

beforeAll(async () => {
  server = await startEndpoint(answer);
  directory = await openDirectory({
    entries: names.map((name) =>
      registryEntry(`com.example.outage/${name}`, {
        repository,
        remotes: [{ type: 'streamable-http', url: `https://${hostOf(name)}/mcp` }],
      }),
    ),
    environment: {
      LIMITS: 'off',
      HOST_OVERRIDES: JSON.stringify(
        Object.fromEntries(names.map((name) => [hostOf(name), `${server.url}/${name}`])),
      ),
    },
    timeouts: { observerFirstTry_ms: 200, observerSecondTry_ms: 200, observerExchange_ms: 200 },
  });
});
afterAll(async () => {
  await directory.close();
  await server.close();
});

/** The same service where its network has no way to any endpoint, repository or DNS server. */
function cutOff() {
  const { context } = directory;
  const nowhere = 'http://127.255.255.255';
  const hostOverrides = Object.fromEntries(names.map((name) => [hostOf(name), nowhere]));
  const repositoryHosts = { 'github.com': { git: nowhere, raw: nowhere } };
  const config = { ...context.config, hostOverrides, repositoryHosts, dnsServers: ['255.255.255.255:53'] };
  return { ...context, config, repositories: createRepositoryReader(repositoryHosts, 500) };
}

async function look(name: Name, context = directory.context) {
  const listing = await directory.store.listings.byHandle(`com.example.outage/${name}`);
  if (!listing) throw new Error('not listed');
  const observer = createObserver(context);
  const { observations } = await observer.observe(listing);
  await observer.close();
  return observations;
}

const answers = (found: Awaited<ReturnType<typeof look>>) =>
  found.find(({ kind }) => kind === 'endpoint.answers');

it('an outage of ours is no day without an answer of theirs', async () => {
  await look('once');
  directory.wait(86_400);
  await look('once', cutOff());
  faults.set('once', 503);
  directory.wait(86_400);
  const first_503 = directory.context.clock().toISOString();
  expect(answers(await look('once'))).toMatchObject({ state: 'observed', value: 200 });
  directory.wait(86_400);
  const second = answers(await look('once'));
  expect(second).toMatchObject({ state: 'unreachable' });
  expect((second?.first_seen_at ?? '').slice(0, 10)).toBe(first_503.slice(0, 10));
});

it('nothing is said of what is seen for the first time during an outage of ours', async () => {
  const states = (await look('new', cutOff())).map(({ kind, state }) => [kind, state]);
  expect(states.map(([kind]) => kind)).toEqual(
    expect.arrayContaining(['repository.exists', 'repository.head', 'endpoint.dns', 'endpoint.answers']),
  );
  expect(states.filter(([, state]) => state !== 'not_checked')).toEqual([]);
});

/** Each of these is checked in turn by one process. */
async function lookAtAll(handles: readonly Name[]) {
  const observer = createObserver(directory.context);
  for (const name of handles) {
    const listing = await directory.store.listings.byHandle(`com.example.outage/${name}`);
    if (listing) await observer.observe(listing);
  }
  await observer.close();
}

it.each([
  ['is not taken for that of a fourth host while no host answers', ['a', 'b', 'c', 'd'], 'd', 'observed'],
  ['is that of the host while another one answers', ['lone', 'other'], 'lone', 'unreachable'],
] as const)(
  'silence on two days %s',
  async (_, asked, judged, state) => {
    faults.clear();
    await lookAtAll(asked);
    for (const name of asked) if (name !== 'other') faults.set(name, 'hangs');
    for (let day = 0; day < 2; day += 1) {
      directory.wait(86_400);
      await lookAtAll(asked);
    }
    const stored = await directory.store.observations.ofListing(`com.example.outage/${judged}`);
    expect(stored?.observations.find(({ kind }) => kind === 'endpoint.answers')).toMatchObject({ state });
  },
  60_000,
);
