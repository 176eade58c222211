import type { RequestListener } from 'node:http';
import { expect, it } from 'vitest';
import { createRepositoryReader } from '../../src/net/git.ts';
import { createObserver, type Observer } from '../../src/observations/observer.ts';
import { json, reply } from '../support/endpoints/faults.ts';
import { introduction } from '../support/endpoints/saying.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { readable } from '../support/facts.ts';
import { createGitServer } from '../support/git-server.ts';
import { openedDirectory, openedEndpoint } from '../support/opened.ts';

const names = ['once', 'new', 'a', 'b', 'c', 'd', 'lone', 'other'] as const;
type Name = (typeof names)[number];
const hostOf = (name: Name) => `${name}.${name}-outage.example`;
/** Where nothing can be asked: addresses of private networks, and a name that DNS does not have. */
const unasked = {
  private: 'https://10.0.0.1/mcp',
  lan: 'https://192.168.0.1/mcp',
  nameless: 'https://nothing.invalid/mcp',
};
type Listed = Name | keyof typeof unasked;
const repository = { url: 'https://github.com/example/there', source: 'github' };

const nowhere = 'http://127.255.255.255';

/** What each host does with a request; without an entry it answers. */
const faults = new Map<string, 'breaks off' | 503>();

const answer = (body: string, ...[{ url, headers }, response]: Parameters<RequestListener>) => {
  const [, name = '', path = ''] = /^\/(\w+)(.*)$/.exec(url ?? '') ?? [];
  const fault = faults.get(name);
  if (fault === 'breaks off') return void response.destroy();
  if (fault && path === '/mcp') return void response.writeHead(fault).end();
  if (path !== '/mcp' || body === '') return void response.writeHead(404).end(headers.host);
  json(response, reply(body, { ...introduction, tools: [] }));
};

const server = await openedEndpoint(answer);
const directory = await openedDirectory({
  entries: [...names.map((name) => [name, `https://${hostOf(name)}/mcp`]), ...Object.entries(unasked)].map(
    ([name = '', url = '']) => registryEntry(`com.example.outage/${name}`, { repository, ...remotesAt(url) }),
  ),
  hosts: Object.fromEntries(names.map((name) => [hostOf(name), { url: `${server.url}/${name}` }])),
  environment: {
    LIMITS: 'off',
    REPOSITORY_HOSTS: JSON.stringify({ 'github.com': { git: nowhere, raw: nowhere } }),
  },
});

/** The same service where its network has no way to any endpoint, repository or DNS server. */
function cutOff() {
  const { context } = directory;
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
  expect(answers(await look('once'))).toMatchObject({ outcome: 'seen', value: 200 });
  directory.wait(86_400);
  const second = answers(await look('once'));
  expect(second).toMatchObject({ outcome: 'silent' });
  expect((second?.first_seen_at ?? '').slice(0, 10)).toBe(first_503.slice(0, 10));
});

it('nothing is said of what is seen for the first time during an outage of ours', async () => {
  const states = (await look('new', cutOff())).map(({ kind, outcome }) => [kind, outcome]);
  expect(states.map(([kind]) => kind)).toEqual(
    expect.arrayContaining(['repository.exists', 'repository.head', 'endpoint.answers']),
  );
  expect(states.filter(([, outcome]) => outcome !== 'not_asked')).toEqual([]);
});

/** Each of these is checked in turn by one observer. */
async function lookAtAll(handles: readonly Listed[], observer: Observer) {
  for (const name of handles) {
    const listing = await directory.store.listings.byHandle(`com.example.outage/${name}`);
    if (listing) await observer.observe(listing);
  }
}

/** What is stored of whether an endpoint answers. */
async function stored(name: Name) {
  const { observations = [] } =
    (await directory.store.observations.ofListing(`com.example.outage/${name}`)) ?? {};
  return observations.map(readable).find(({ kind }) => kind === 'endpoint.answers');
}

/** Checks listings on a day when all hosts answer, and on two days when none does but `other`. */
async function lookOnSilentDays(asked: readonly Listed[], context = directory.context) {
  const observer = createObserver(context);
  faults.clear();
  await lookAtAll(asked, observer);
  for (const name of names) if (name !== 'other') faults.set(name, 'breaks off');
  for (let day = 0; day < 2; day += 1) {
    directory.wait(86_400);
    await lookAtAll(asked, observer);
  }
  await observer.close();
}

it.each([
  ['is not taken for that of a fourth host while no host answers', ['a', 'b', 'c', 'd'], 'd', 'seen'],
  ['is that of the host while another one answers', ['lone', 'other'], 'lone', 'silent'],
  [
    'is that of the host if nothing was sent to the others',
    ['private', 'lan', 'nameless', 'lone'],
    'lone',
    'silent',
  ],
] as const)('silence on two days %s', async (_, asked, judged, outcome) => {
  await lookOnSilentDays(asked);
  expect(await stored(judged)).toMatchObject({ outcome });
});

it('silence of four hosts on two days is theirs while the host of repositories answers', async () => {
  const git = await createGitServer();
  git.createRepository('example/there').commit({ 'README.md': 'there' });
  const repositoryHosts = { 'github.com': { git: git.url, raw: `${git.url}/raw` } };
  const { context } = directory;
  const config = { ...context.config, repositoryHosts };
  const repositories = createRepositoryReader(repositoryHosts, 5000);
  await lookOnSilentDays(['a', 'b', 'c', 'd'], { ...context, config, repositories });
  await git.close();
  expect(await stored('d')).toMatchObject({ outcome: 'silent' });
});

it.each([
  [1200, 'A request to `d.d-outage.example` ended with a connection that broke off.'],
  [
    3700,
    '`d.d-outage.example` did not answer, and neither did any other domain that this node of Dossier asked in the hour before, so Dossier’s own network may be at fault.',
  ],
])('four hosts are silent %i seconds after they answered', async (later_s, reason) => {
  faults.clear();
  const observer = createObserver(directory.context);
  await lookAtAll(['a', 'b', 'c', 'd'], observer);
  for (const name of names) faults.set(name, 'breaks off');
  directory.wait(later_s);
  await lookAtAll(['a', 'b', 'c', 'd'], observer);
  await observer.close();
  expect(await stored('d')).toMatchObject({ outcome: 'seen', missed: { reason } });
});
