import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startObserving } from '../../src/observations/schedule.ts';
import { onMeasured } from '../../src/telemetry/metrics.ts';
import { startDossier } from '../support/command.ts';
import { type Directory, documentOf, openDirectory } from '../support/directory.ts';
import { type Endpoint, startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { partOf } from '../support/long.ts';
import { getAgent, modern } from '../support/mcp-requests.ts';
import { openedEndpoint } from '../support/opened.ts';

const begun =
  'A check of this listing by Dossier is waiting or running. Read the listing again in 10 seconds.';
const count = <T>(total: number, one: (n: number) => T): T[] =>
  Array.from({ length: total }, (_, n) => one(n));
const patience = { interval: 50 };

let inFlight = 0;
let mostInFlight = 0;

/** Answers at once that there is nothing. */
const empty = await openedEndpoint(async (_, _request, response) => {
  inFlight += 1;
  mostInFlight = Math.max(mostInFlight, inFlight);
  await wait(1);
  inFlight -= 1;
  response.writeHead(404).end();
});
/** Has no robots.txt, and answers nothing else, ever. */
const hanging = await openedEndpoint((_, { url }, response) => {
  if (url === '/robots.txt') response.writeHead(404).end();
});
beforeEach(() => {
  empty.sent.length = 0;
  mostInFlight = 0;
});

interface At {
  readonly name: string;
  /** The host of its endpoint, whose path is the name. */
  readonly host: string;
}

const close: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const one of close.splice(0).reverse()) await one();
});

/** A node with OBSERVE=asked whose recorded hosts are all one server. */
async function openAsked(
  listings: readonly At[],
  { url }: Pick<Endpoint, 'url'>,
  environment = {},
  timeouts = {},
) {
  const directory = await openDirectory({
    timeouts,
    entries: listings.map(({ name, host }) => registryEntry(name, remotesAt(`https://${host}/${name}`))),
    listening: true,
    isClockStill: true,
    hosts: Object.fromEntries(listings.map(({ host }) => [host, { url: url }])),
    environment: {
      OBSERVE: 'asked',
      TRUSTED_PROXIES: '127.0.0.1',
      LIMIT_OVERRIDES: 'pages=9000/1s,mcp=9000/1s',
      ...environment,
    },
  });
  const stopping = new AbortController();
  const observing = startObserving(directory.context, stopping.signal);
  await expect.poll(() => directory.context.askedChecks.read, patience).toBeTypeOf('function');
  const stop = async () => {
    stopping.abort();
    await observing;
  };
  close.push(directory.close, stop);
  const read = async (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    (
      await fetch(`${directory.url}${path}`, { method, headers: { 'user-agent': 'test', ...headers } })
    ).text();
  /** As a caller of get_agent over plain JSON, whose answers nothing caches. */
  const ask = async (handle: string, headers: Record<string, string> = {}) => {
    const sent = { 'content-type': 'application/json', ...headers };
    const body = JSON.stringify({ handle });
    const answer = await fetch(`${directory.url}/api/tools/get_agent`, {
      method: 'POST',
      headers: sent,
      body,
    });
    return answer.text();
  };
  return { ...directory, read, ask, stop };
}

const from = (network: number) => ({ 'x-forwarded-for': `203.${network % 200}.${network >> 8}.7` });
const observed = async ({ store }: Pick<Directory, 'store'>): Promise<string[]> =>
  (await store.observations.lastRuns(-1, 2000)).flatMap(({ handle, observed_at }) =>
    observed_at === null ? [] : [handle],
  );
/** Paths of endpoints that were asked. */
const askedAt = ({ sent }: Endpoint) =>
  [...new Set(sent.map(({ path }) => path.slice(1)))].filter((path) => path.startsWith('com.')).toSorted();

const forms = [
  ['a page', ''],
  ['JSON', '.json'],
  ['Markdown', '.md'],
] as const;

describe('the first read of a listing', () => {
  const listings = count(5, (n) => ({ name: `com.first${n}.app/agent`, host: `first${n}.example` }));

  it.each(forms)(
    'as %s says that a check is waiting or running, and the next one shows what was seen',
    async (_, end) => {
      const node = await openAsked(listings, empty);
      const path = `/agents/com.first0.app/agent${end}`;
      const first = await node.read(path);
      expect(first).toContain(begun);
      expect(first).toContain('not checked');
      await expect.poll(() => node.read(path), patience).not.toContain(begun);
      expect(await node.read(path)).toContain('404');
      expect(await observed(node)).toEqual(['com.first0.app/agent']);
    },
  );

  it('as an answer of get_agent says it in its text and its JSON, and so does the resource', async () => {
    const tools = await startModernServer(() => [{ name: 'replay', description: 'Replays' }]);
    close.push(tools.close);
    const hosts = { 'mcp.example.org': tools.url, 'other.example.org': hanging.url };
    const node = await openAsked([], tools, { HOST_OVERRIDES: JSON.stringify(hosts) });
    await node.importEntries(
      [
        ['org.example/agent', 'https://mcp.example.org/mcp'],
        ['org.example/other', 'https://other.example.org/mcp'],
      ].map(([name = '', url = '']) => registryEntry(name, remotesAt(url))),
    );
    const ask = async () => {
      const called = modern('tools/call', { ...getAgent, arguments: { handle: 'org.example/agent' } });
      const answer = await fetch(`${node.url}/api/mcp`, { method: 'POST', ...called });
      const { result } = (await answer.json()) as {
        result: {
          content: { text: string }[];
          structuredContent: { notes?: string[]; lines: object; unchecked?: string; next: string };
        };
      };
      return { text: result.content[0]?.text, ...result.structuredContent };
    };
    const first = await ask();
    expect(first.notes).toEqual([begun]);
    expect(first.text).toContain(begun);
    expect(first.unchecked).toMatch(/^price, tools/);
    expect(first.next).toBe('get_agent again in 10 seconds');
    await expect.poll(async () => (await ask()).notes, patience).toBeUndefined();
    expect((await ask()).lines).toMatchObject({ tools: expect.stringContaining('`replay`') as string });
    const resource = modern('resources/read', { uri: 'agent://org.example/other' });
    const answer = await fetch(`${node.url}/api/mcp`, { method: 'POST', ...resource });
    expect(await answer.text()).toContain(begun);
  });

  it('in a comparison says so of each listing, in the answer and on its page', async () => {
    const node = await openAsked(listings, hanging);
    const handles = ['com.first3.app/agent', 'com.first4.app/agent'];
    const answer = await node.app.request('/api/tools/compare_agents', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'test' },
      body: JSON.stringify({ handles }),
    });
    expect(await answer.json()).toMatchObject({
      listings: handles.map((handle) => ({ handle, being_checked: begun })),
    });
    const query = handles.map((handle) => `handle=${encodeURIComponent(handle)}`).join('&');
    const page = await node.read(`/compare?${query}&active=true`);
    for (const handle of handles) expect(page).toContain(`${handle}</a>: ${begun}`);
  });

  it('by 300 readers at once begins one check, and later ones none until it is a day old', async () => {
    const node = await openAsked(listings, empty);
    const path = '/agents/com.first1.app/agent';
    const all = await Promise.all(count(300, (n) => node.read(`${path}${forms[n % 3]?.[1]}`, from(n))));
    expect(all.filter((text) => text.includes(begun)).length).toBeGreaterThan(0);
    await expect.poll(() => observed(node), patience).toEqual(['com.first1.app/agent']);
    const once = empty.sent.length;
    const { observed_at } = (await node.store.observations.ofListing('com.first1.app/agent')) ?? {};
    node.wait(21 * 3600);
    for (const n of count(20, (at) => at))
      expect(await node.ask('com.first1.app/agent', from(n))).not.toContain(begun);
    expect(empty.sent.length).toBe(once);
    node.wait(6 * 3600);
    expect(await node.ask('com.first1.app/agent')).toContain(begun);
    await expect
      .poll(
        async () => (await node.store.observations.ofListing('com.first1.app/agent'))?.observed_at,
        patience,
      )
      .not.toBe(observed_at);
    expect(empty.sent.length).toBeLessThanOrEqual(2 * once);
  });

  it('makes a page that is cached until a check is due again, and for ten seconds while it says that one is waiting or running', async () => {
    const node = await openAsked([...listings, { name: 'com.mute.app/agent', host: 'mute.example' }], empty, {
      HOST_OVERRIDES: JSON.stringify({ 'first1.example': empty.url, 'mute.example': hanging.url }),
      OBSERVE_INTERVAL: '2h',
    });
    const toMidnight_s = 24 * 3600 - (Math.floor(node.context.clock().getTime() / 1000) % (24 * 3600));
    node.wait(toMidnight_s + 3600);
    let made = 0;
    const stop = onMeasured(({ labels: { memory, result } }) => {
      if (memory === 'pages' && result === 'miss') made += 1;
    });
    close.push(async () => stop());
    /** How often a page is made for 50 readers. */
    const readBy50 = async (path: string) => {
      made = 0;
      const texts = await Promise.all(count(50, (n) => node.read(path, from(n))));
      return { made, isBegun: texts.every((text) => text.includes(begun)) };
    };
    const mute = '/agents/com.mute.app/agent';
    const path = '/agents/com.first1.app/agent';
    await node.read(mute);
    expect(await readBy50(mute)).toEqual({ made: 0, isBegun: true });
    node.wait(11);
    expect(await node.read(mute)).toContain(begun);
    expect(await readBy50(mute)).toEqual({ made: 0, isBegun: true });
    expect(made).toBe(0);
    await expect.poll(() => node.read(path), patience).not.toContain(begun);
    node.wait(3600);
    expect(await readBy50(path)).toEqual({ made: 0, isBegun: false });
    node.wait(2 * 3600);
    expect(await node.read(path)).toContain(begun);
  });

  it('by nobody who waits for it begins none: crawlers, prefetches, HEAD, lists, badges, feeds, other pages', async () => {
    const node = await openAsked(listings, empty);
    const handle = 'com.first2.app/agent';
    const path = `/agents/${handle}`;
    for (const agent of [
      'Googlebot/2.1',
      'Mozilla/5.0 (compatible; bingbot/2.0)',
      'Bytespider',
      'ia_archiver',
    ])
      expect(await node.read(`${path}.json`, { 'user-agent': agent })).not.toContain(begun);
    for (const [name, value] of [
      ['sec-purpose', 'prefetch;prerender'],
      ['purpose', 'prefetch'],
      ['x-moz', 'prefetch'],
    ] as const)
      expect(await node.read(`${path}.md`, { [name]: value })).not.toContain(begun);
    await node.read(path, {}, 'HEAD');
    for (const other of [
      `/badge/${handle}`,
      `/badge/${handle}.json`,
      `${path}/feed.atom`,
      `${path}/history`,
      `${path}/tools`,
      `${path}/ratings`,
      `${path}/versions`,
      `${path}/claim`,
      '/agents?q=first2',
      '/',
      '/sitemap.xml',
      '/v0.1/servers',
      `${path}/card.png`,
    ])
      await node.read(other);
    await node.read('/agents/com.first4.app/agent');
    await expect.poll(() => observed(node), patience).toEqual(['com.first4.app/agent']);
    expect(askedAt(empty)).toEqual(['com.first4.app/agent']);
  });

  it('that is withdrawn or whose texts are hidden begins none, and a record that changed is checked again', async () => {
    const node = await openAsked(listings, empty);
    await node.act('withdraw', 'com.first0.app/agent', 'malicious');
    await node.act('hide', 'com.first1.app/agent', 'advertising');
    for (const n of [0, 1, 2])
      for (const [, end] of forms) await node.read(`/agents/com.first${n}.app/agent${end}`);
    await expect.poll(() => observed(node), patience).toEqual(['com.first2.app/agent']);
    expect(askedAt(empty)).toEqual(['com.first2.app/agent']);
    const moved = { type: 'streamable-http', url: 'https://first2.example/com.moved' };
    await node.importEntries([registryEntry('com.first2.app/agent', { version: '9.9.9', remotes: [moved] })]);
    node.wait(601);
    await node.read('/agents/com.first2.app/agent');
    await expect.poll(() => askedAt(empty), patience).toContain('com.moved');
  });
});

describe('who would make this node ask much', () => {
  /** As many at once as by default; a slow machine gets no more meanwhile. */
  const slowly = { LIMIT_OVERRIDES: 'pages=9000/1s,mcp=9000/1s,read_check=60/50h,read_check_domain=60/50h' };

  const many = partOf(250, 1000);
  it(`${many} listings read by one network: 60 are checked, and 60 more once the time of the limit is over`, async () => {
    const listings = count(many, (n) => ({ name: `com.many${n}.app/agent`, host: `many${n}.example` }));
    const node = await openAsked(listings, empty, slowly);
    for (const { name } of listings) await node.read(`/agents/${name}.json`);
    const readMore = async () => {
      const checked = await observed(node);
      const others = listings.filter(({ name }) => !checked.includes(name)).slice(0, 20);
      const answers = await Promise.all(others.map(({ name }) => node.ask(name)));
      const isAnyBegun = answers.some((answer) => answer.includes(begun));
      return { checked: checked.length, isAnyBegun };
    };
    await expect.poll(readMore, patience).toEqual({ checked: 60, isAnyBegun: false });
    expect(askedAt(empty)).toHaveLength(60);
    expect(empty.sent.length).toBeLessThan(60 * 15);
    node.wait(50 * 3600);
    await expect.poll(readMore, patience).toEqual({ checked: 120, isAnyBegun: false });
    expect(askedAt(empty)).toHaveLength(120);
  });

  const networks = partOf(150, 500);
  it(`${networks} listings at one host read by as many networks: 60 are checked, by one request at a time`, async () => {
    const listings = count(networks, (n) => ({ name: `com.site${n}.app/agent`, host: 'one.example' }));
    const node = await openAsked(listings, empty, slowly);
    const readAll = async () => {
      const answers = [];
      for (const [n, { name }] of listings.entries()) answers.push(await node.ask(name, from(n)));
      const isAnyBegun = answers.some((answer) => answer.includes(begun));
      return { checked: (await observed(node)).length, isAnyBegun };
    };
    await expect.poll(readAll, patience).toEqual({ checked: 60, isAnyBegun: false });
    expect(askedAt(empty)).toHaveLength(60);
    expect(mostInFlight).toBe(1);
  });

  it('one /48 has a share of all checks, and another network goes on', async () => {
    const listings = count(4, (n) => ({ name: `com.wide${n}.app/agent`, host: `wide${n}.example` }));
    const node = await openAsked(listings, empty, {
      LIMIT_OVERRIDES: 'read_check=2/50h,read_check_site=2/50h',
    });
    const subnet = (n: number) => ({ 'x-forwarded-for': `2001:db8:48:${n}::7` });
    const isBegun = [];
    for (const [n, { name }] of listings.slice(0, 3).entries())
      isBegun.push((await node.ask(name, subnet(n + 1))).includes(begun));
    isBegun.push((await node.ask('com.wide3.app/agent', from(1))).includes(begun));
    expect(isBegun).toEqual([true, true, false, true]);
  });

  it('hosts that never answer keep no reader waiting, and eight places at most', async () => {
    const listings = count(60, (n) => ({ name: `com.drip${n}.app/agent`, host: `drip${n}.example` }));
    const node = await openAsked(listings, hanging);
    const taken = async () => {
      const leases = await Promise.all(listings.map(({ name }) => node.store.leases.find(`check/${name}`)));
      return leases.filter((lease) => lease?.isHeld).length;
    };
    for (const { name } of listings.slice(0, 20)) await node.read(`/agents/${name}`);
    await expect.poll(taken, patience).toBe(2);
    for (const [n, { name }] of listings.entries()) await node.read(`/agents/${name}.json`, from(n));
    await expect.poll(taken, patience).toBe(8);
    expect(await observed(node)).toEqual([]);
    await node.stop();
    expect(await taken()).toBe(0);
    expect(await node.read('/agents/com.drip50.app/agent.md', from(99))).not.toContain(begun);
  });

  it('hosts that are slow keep no reader waiting for long, and twice an hour at most', async () => {
    const slow = count(48, (n) => ({ name: `com.slow${n}.app/agent`, host: `a${n}.slow${n >> 2}.example` }));
    const honest = count(3, (n) => ({ name: `com.quick${n}.app/agent`, host: `quick${n}.example` }));
    const overrides = [...slow, ...honest].map(({ host }, n) => [host, n < 48 ? hanging.url : empty.url]);
    const hosts = { HOST_OVERRIDES: JSON.stringify(Object.fromEntries(overrides)) };
    const node = await openAsked([...slow, ...honest], hanging, hosts, { observerSlow_ms: 500 });
    const taken = async () => {
      const leases = await Promise.all(slow.map(({ name }) => node.store.leases.find(`check/${name}`)));
      return leases.filter((lease) => lease?.isHeld).length;
    };
    const read = async ({ name }: At, n: number) => node.ask(name, from(n));
    for (const [n, one] of slow.slice(0, 16).entries()) if (n % 4 < 3) await read(one, n);
    await expect.poll(taken, patience).toBe(8);
    await read(honest[0] as At, 100);
    await expect.poll(() => observed(node), patience).toEqual(['com.quick0.app/agent']);
    // Its domain and its reader may begin no third slow check within the hour.
    expect(await read(slow[3] as At, 120)).not.toContain(begun);
    expect(await read(slow[40] as At, 121)).toContain(begun);
  });

  it('a queue that is full of reads from a few networks has room for a reader from another', async () => {
    const listings = count(90, (n) => ({ name: `com.full${n}.app/agent`, host: `full${n}.example` }));
    const node = await openAsked(listings, hanging);
    const isBegun = async (n: number, network: number) =>
      (await node.ask(`com.full${n}.app/agent`, from(network))).includes(begun);
    for (let n = 0; n < 80; n += 1) await isBegun(n, n >> 3);
    expect(await isBegun(80, 3)).toBe(false);
    expect(await isBegun(81, 50)).toBe(true);
    expect(await isBegun(82, 51)).toBe(true);
  });

  it('recorded addresses that are not public are not asked', async () => {
    const { port } = new URL(empty.url);
    const urls = [
      `http://127.0.0.1:${port}/a`,
      `http://localhost:${port}/b`,
      `http://[::1]:${port}/c`,
      `http://[::ffff:127.0.0.1]:${port}/d`,
      `http://0.0.0.0:${port}/e`,
      `http://2130706433:${port}/f`,
    ];
    const node = await openAsked([], empty, { DNS_SERVERS: '127.0.0.1:9' });
    await node.importEntries(
      urls.map((url, n) => registryEntry(`com.private${n}.app/agent`, remotesAt(url))),
    );
    const handles = await node.store.listings.page('', 100);
    expect(handles.length).toBeGreaterThan(0);
    for (const { handle } of handles) {
      expect(JSON.stringify(await documentOf(node, handle))).toContain(begun);
      await expect.poll(() => observed(node), patience).toContain(handle);
    }
    expect(empty.sent).toEqual([]);
  });
});

describe('a fresh dossier serve without a setting of OBSERVE', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-read-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const serve = async (environment: Record<string, string>) => {
    // Empty is as if it were not set.
    const service = startDossier(['serve'], {
      DATABASE_URL: ':memory:',
      PORT: '0',
      OBSERVE: '',
      PACKAGE_REGISTRIES: '{}',
      REPOSITORY_HOSTS: JSON.stringify({ 'github.com': { git: empty.url, raw: empty.url } }),
      ...environment,
    });
    close.push(async () => {
      service.child.kill('SIGTERM');
      expect((await service.ended).code).toBe(0);
    });
    const url = await service.line(/^listening on (\S+)/m);
    return async (handle: string) => {
      const answer = await fetch(`${url}/api/tools/get_agent`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ handle }),
      });
      return (await answer.json()) as { notes?: string[]; lines?: { tools?: string } };
    };
  };

  it('has evidence for the first listing that is read', async () => {
    const tools = await startModernServer(() => [{ name: 'replay', description: 'Replays' }]);
    close.push(tools.close);
    const registry = join(folder, 'registry.json');
    const remotes = [{ type: 'streamable-http', url: 'https://mcp.example.org/mcp' }];
    writeFileSync(registry, JSON.stringify([registryEntry('org.example/agent', { remotes })]));
    const get = await serve({
      REGISTRY_URL: `file:${registry}`,
      HOST_OVERRIDES: JSON.stringify({ 'mcp.example.org': tools.url }),
    });
    const first = () => get('org.example/agent');
    await expect
      .poll(first, patience)
      .toMatchObject({ notes: [begun], unchecked: expect.stringMatching(/^price, tools/) as string });
    await expect
      .poll(async () => (await get('org.example/agent')).lines?.tools, patience)
      .toContain('`replay`');
    expect((await get('org.example/agent')).notes).toBeUndefined();
  });
});
