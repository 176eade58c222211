import { describe, expect, it } from 'vitest';
import { type App, createApp } from '../../src/http/app.ts';
import { tools } from '../../src/tools/index.ts';
import type { Directory } from '../support/directory.ts';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { type RegistryEntry, registryEntry } from '../support/entries.ts';
import { heavyShapes } from '../support/heavy-records.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const handles = upTo(20).map((at) => `com.heavy/n${at}`);
const [handle = ''] = handles;

const plain = () => ({ remotes: [{ type: 'streamable-http', url: 'https://mcp.a.io/mcp' }] });
const atEndpoint = (size: number) => ({
  remotes: upTo(size / 10).map((at) => ({ type: 'streamable-http', url: `https://tools.example/mcp/${at}` })),
});

/** Every version names other hosts than the version before it. */
const versioned = (size: number, version: number) =>
  JSON.parse(
    JSON.stringify(heavyShapes.arguments?.(size)).replaceAll(
      '.io',
      ['.io', '.com', '.net'][version % 3] ?? '',
    ),
  ) as object;

interface Shape {
  readonly record: (size: number, version: number) => object;
  readonly versions?: number;
  readonly isObserved?: true;
}
const shapes: Readonly<Record<string, Shape>> = {
  ...Object.fromEntries(Object.entries(heavyShapes).map(([name, record]) => [name, { record }])),
  versions: { record: versioned, versions: 30 },
  tools: { record: atEndpoint, isObserved: true },
};

/** An app that keeps neither answers nor facts in memory. */
async function open({ record, versions = 1, isObserved }: Shape, size: number, listings = 2) {
  const entries = handles.slice(0, listings).flatMap((name) =>
    upTo(versions).map((at): RegistryEntry => {
      const published = { publishedAt: new Date(Date.UTC(2026, 9, 1, at)).toISOString() };
      const official = { ...published, updatedAt: published.publishedAt, isLatest: at === versions - 1 };
      return registryEntry(name, { ...record(size, at), version: `1.0.${at}` }, official);
    }),
  );
  for (const entry of entries) expect(JSON.stringify(entry).length).toBeLessThan(65_536);
  const directory = await openedDirectory({
    entries,
    environment: { LIMITS: 'off', HOST_OVERRIDES: JSON.stringify({ 'tools.example': endpoint.url }) },
  });
  if (isObserved) await directory.observe(handle);
  const { context } = directory;
  const { documents } = context.store;
  const facts = async (name: string, now = new Date().toISOString()) =>
    (await documents.factsOfAll([name], now))[0];
  const store = { ...context.store, documents: { ...documents, facts } };
  return { directory, app: createApp({ ...context, store }, { answerCache_bytes: 0 }) };
}
type Opened = Awaited<ReturnType<typeof open>>;

type Reader = (service: { readonly directory: Directory; readonly app: App }) => Promise<number>;

const get =
  (path: string): Reader =>
  async ({ app }) =>
    (await (await app.request(path, { headers: { accept: 'text/html, */*' } })).text()).length;
const call =
  (tool: string, input: object): Reader =>
  async ({ app }) => {
    const headers = { 'content-type': 'application/json' };
    const sent = { method: 'POST', headers, body: JSON.stringify(input) };
    return (await (await app.request(`/api/tools/${tool}`, sent)).text()).length;
  };

/** What a route has in place of each parameter. A route with another parameter fails. */
const values: Readonly<Record<string, string>> = {
  namespace: 'com.heavy',
  name: 'n0',
  handle: 'com.heavy%2Fn0',
  identifier: 'urn:air:heavy.com:n0',
  version: 'latest',
  view: 'none',
  tag: 'sms',
  payee: 'none',
  id: '0',
  index: '0',
  log: '1',
  level: '0',
  from: '0',
  to: '0',
  file: 'none',
};
const queries =
  '?q=plain&search=heavy&limit=100&shown=200&handle=com.heavy/n0&handle=com.heavy/n1&detail=full';

const inputs: Readonly<Record<string, unknown>> = {
  handles: handles.slice(0, 2),
  similar_to: handle,
  offer: { payTo: 'nobody', amount: '1' },
  tools: upTo(400).map((at) => ({ name: `other_${at}` })),
};
const inputOf = ({ input, example }: (typeof tools)[number]): object => ({
  ...example,
  ...('handle' in input.shape && { handle }),
  ...('handles' in input.shape && { handles: inputs.handles }),
  ...('offer' in input.shape && { offer: inputs.offer }),
  ...('digests' in input.shape && { tools: inputs.tools, digests: undefined }),
});

const uses: Readonly<Record<string, Reader>> = {
  'get_agent in full': call('get_agent', { handle, detail: 'full' }),
  'similar listings': call('search_agents', { similar_to: handle }),
  'the audit': async ({ directory }) => (await directory.audit()).length,
};

/** Every route that is read, tool that only reads, and resource. A new one is among them by itself. */
async function readersOf({ app }: Opened): Promise<ReadonlyMap<string, Reader>> {
  const routes = app.routes.filter(
    ({ method, path }) => method === 'GET' && !/\/assets\/|card\.png/.test(path),
  );
  const paths = routes.map(({ path }) =>
    path
      .replaceAll(/:(\w+)(?:\{[^}]*\})?/g, (_, name: string) => {
        if (!(name in values)) throw new Error(`which ${name} does ${path} read?`);
        return values[name] ?? '';
      })
      .replaceAll('*', '0'),
  );
  const ends = ['.json', '.md', '.intoto.json'].map((end) => `/agents/${handle}${end}`);
  const reading = tools.filter(({ effects }) => effects.readOnlyHint);
  const client = await opened(connect('v2', { app }));
  const uris = [...(await client.templates()), ...(await client.resources())].map((uri) =>
    uri.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? ''),
  );
  const read =
    (uri: string): Reader =>
    async (service) => {
      const body = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } };
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const sent = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await (await service.app.request('/api/mcp', sent)).text()).length;
    };
  return new Map([
    ...[...new Set([...paths, ...ends])].map((path) => [path, get(`${path}${queries}`)] as const),
    ...reading.map((tool) => [tool.name, call(tool.name, inputOf(tool))] as const),
    ...uris.map((uri) => [uri, read(uri)] as const),
    ...Object.entries(uses),
  ]);
}

/** Processor time of this thread in ms, which others do not use up, measured over at least so many ms. */
async function timeOf(read: Reader, service: Opened, shortest_ms: number) {
  const length = await read(service);
  const before = process.threadCpuUsage();
  for (let calls = 1; ; calls += 1) {
    await read(service);
    const { user, system } = process.threadCpuUsage(before);
    const spent_ms = (user + system) / 1000;
    if (spent_ms >= shortest_ms) return { length, time_ms: spent_ms / calls };
  }
}

/** The least of several measurements, as long as it is above the bound. */
async function leastOf(read: Reader, service: Opened, isTooMuch: (time_ms: number) => boolean) {
  let least_ms = (await timeOf(read, service, 5)).time_ms;
  for (let again = 0; again < 5 && isTooMuch(least_ms); again += 1)
    least_ms = Math.min(least_ms, (await timeOf(read, service, 100)).time_ms);
  return least_ms;
}

interface Reference {
  readonly read: Reader;
  readonly length: number;
  readonly time_ms: number;
}
const offered = upTo(400).map((at) => ({ name: `tool_${at}`, description: `Does ${at} `.repeat(20) }));
const endpoint = await opened(startModernServer(() => offered));
const service = await open({ record: plain }, 1);
const readers = new Map<string, Reference>();
for (const [name, read] of await readersOf(service)) {
  await timeOf(read, service, 60);
  readers.set(name, { read, ...(await timeOf(read, service, 60)) });
}
/** A page of a plain listing: shorter answers may cost ten times as much as it too. */
const page_ms = readers.get('/agents/com.heavy/n0')?.time_ms ?? 0;

describe('the heaviest records that an import accepts', () => {
  it('are read by every route, tool and resource', () => {
    expect(readers.size).toBeGreaterThan(90);
    expect(page_ms).toBeGreaterThan(0);
  });

  it.each(Object.entries(shapes))(
    'cost with many %s at most ten plain ones, or as much more as is said',
    async (_, shape) => {
      const whole = await open(shape, 100);
      const quarter = await open(shape, 25);
      const tooMuch: string[] = [];
      for (const [name, plainOne] of readers) {
        const { read } = plainOne;
        const longer = (await read(whole)) / Math.max(1000, plainOne.length);
        const most_ms = Math.max(page_ms, plainOne.time_ms) * Math.max(10, longer);
        const time_ms = await leastOf(read, whole, (one) => one > most_ms);
        if (time_ms > most_ms) tooMuch.push(`${name}: ${time_ms} ms of ${most_ms}`);
        if (time_ms < page_ms * 3) continue;
        const quarter_ms = await leastOf(read, quarter, (one) => time_ms > 8 * one);
        const again_ms = await leastOf(read, whole, (one) => one > 8 * quarter_ms);
        if (again_ms > 8 * quarter_ms)
          tooMuch.push(`${name}: ${again_ms} ms, but ${quarter_ms} of a quarter of the record`);
      }
      expect(tooMuch).toEqual([]);
    },
  );

  it('are read one in a turn of the event loop where a list is answered, in time that grows with the list', async () => {
    const shape = shapes.remotes as Shape;
    const service = await open(shape, 100, 20);
    const lists: Readonly<Record<string, (count: number) => Reader>> = {
      resolve_agents: (count) => call('resolve_agents', { handles: handles.slice(0, count) }),
      'the registry': (count) => get(`/v0.1/servers?limit=${count}`),
    };
    for (const [name, of] of Object.entries(lists)) {
      const turnsOf = async (count: number) => {
        let turns = 0;
        let isOver = false;
        const turn = () => {
          turns += 1;
          if (!isOver) setImmediate(turn);
        };
        setImmediate(turn);
        await of(count)(service);
        isOver = true;
        return turns;
      };
      expect(await turnsOf(20), name).toBeGreaterThanOrEqual(20);
      const five_ms = await leastOf(of(5), service, () => false);
      const twenty_ms = await leastOf(of(20), service, (one) => one > 8 * five_ms);
      expect(twenty_ms, name).toBeLessThan(8 * five_ms);
    }
    const order: string[] = [];
    const readFrom = async (remoteAddress: string) => {
      const peer = { incoming: { socket: { remoteAddress } } };
      await (await service.app.request('/v0.1/servers?limit=20', {}, peer)).text();
      order.push(remoteAddress);
    };
    await Promise.all([...upTo(8).map((at) => readFrom(`192.0.2.${at}`)), readFrom('198.51.100.1')]);
    expect(order[0], 'a network that reads one list beside one that reads eight').toBe('198.51.100.1');
  });
});
