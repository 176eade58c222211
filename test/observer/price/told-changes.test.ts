import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { handleAt, type ObservedDirectory, openObserved } from '../../support/endpoints/observed.ts';
import { startFetchServer } from '../../support/endpoints/paid-endpoint.ts';
import { alice, mallory, numbered, offerOf, usdc } from '../../support/offers.ts';

const bob = '0x3333333333333333333333333333333333333333';
const euro = '0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb42';
/** An offer that cannot be read. */
const unread = offerOf({ network: 'lightning', amount: '0.001', asset: 'BTC', payTo: 'lnbc1' });
const many = <One>(length: number, make: (at: number) => One) => Array.from({ length }, (_, at) => make(at));

/** What a host has on one day. Without a quote, its MCP server answers with its tools. */
interface Day {
  readonly quote?: readonly object[];
  readonly resources?: readonly object[];
  /** The offers of each operation in the OpenAPI document. */
  readonly openapi?: Readonly<Record<string, readonly object[]>>;
  /** The `_meta` of each tool. */
  readonly tools?: Readonly<Record<string, Record<string, unknown>>>;
}

const hosts = 'capitals operations currencies spelling tools many nudged crowded ended added named'.split(
  ' ',
);
const days: Record<string, Day> = {};
const documentsOf = ({ resources, openapi }: Day): Readonly<Record<string, object>> => ({
  ...(resources && { '/.well-known/x402': { resources } }),
  ...(openapi && {
    '/openapi.json': {
      openapi: '3.1.0',
      paths: Object.fromEntries(
        Object.entries(openapi).map(([path, offers]) => [path, { post: { 'x-payment-info': { offers } } }]),
      ),
    },
  }),
});

function startHost(name: string) {
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name, version: '1.0.0' });
      for (const [tool, _meta] of Object.entries(days[name]?.tools ?? { help: {} }))
        server.registerTool(tool, { description: tool, inputSchema: z.object({}), _meta }, () => ({
          content: [],
        }));
      return server;
    },
    { legacy: 'reject' },
  );
  return startFetchServer((request) => {
    const { pathname } = new URL(request.url);
    const { quote: accepts, ...day } = days[name] ?? {};
    const document = documentsOf(day)[pathname];
    if (document) return Response.json(document);
    if (pathname !== '/mcp' || request.method !== 'POST') return new Response('', { status: 404 });
    return accepts
      ? Response.json({ x402Version: 2, error: 'pay', resource: { url: 'x' }, accepts }, { status: 402 })
      : handler.fetch(request);
  });
}

let observed: ObservedDirectory;
beforeAll(async () => {
  const servers = await Promise.all(hosts.map(async (name) => [name, await startHost(name)] as const));
  observed = await openObserved(Object.fromEntries(servers), { LIMITS: 'off' });
});
afterAll(() => observed.close());

async function call<Answer>(tool: string, body: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return (await (await observed.directory.app.request(`/api/tools/${tool}`, init)).json()) as Answer;
}

/** The kinds of facts of prices that the stream of changes has of a host. */
async function feedOf(name: string): Promise<readonly string[][]> {
  const text = await (await observed.directory.app.request('/changes?since=0')).text();
  const events = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { handle: string; type: string; data: { kinds?: string[] } });
  return events
    .filter(({ handle, type }) => handle === handleAt(name) && type === 'observation.changed')
    .map(({ data }) => (data.kinds ?? []).filter((kind) => kind.startsWith('price.')));
}

/** Checks a host on the next day: what get_history, get_agent and the stream of changes tell of that day. */
async function nextDay(name: string, day: Day) {
  days[name] = day;
  const before = (await feedOf(name)).length;
  observed.directory.wait(86_400);
  await observed.directory.observe(handleAt(name));
  const since = observed.directory.context.clock().toISOString().slice(0, 10);
  const handle = handleAt(name);
  const { changes } = await call<{ changes: string[] }>('get_history', { handle, since, kind: 'price' });
  const agent = await call<{ stands_out?: string[]; lines: { costs: string } }>('get_agent', { handle });
  return {
    history: changes.join('\n'),
    standsOut: (agent.stands_out ?? []).join('\n'),
    costs: agent.lines.costs,
    feed: (await feedOf(name)).slice(before).flat(),
  };
}

it('the capitals of a network are no change, and a payee on it is compared', async () => {
  await nextDay('capitals', { quote: [offerOf()], resources: [{ url: '/mcp', accepts: [offerOf()] }] });
  for (const network of ['EIP155:8453', 'Base', 'eip155:08453', 'base']) {
    const same = [offerOf({ network })];
    const said = await nextDay('capitals', { quote: same, resources: [{ url: '/mcp', accepts: same }] });
    expect(said).toMatchObject({ history: '', standsOut: '', feed: [] });
  }
  const swapped = [offerOf({ network: 'EIP155:8453', payTo: mallory })];
  const { history, costs } = await nextDay('capitals', {
    quote: swapped,
    resources: [{ url: '/mcp', accepts: swapped }],
  });
  expect(history).toContain(
    `in its x402 document: payee changed from \`${alice}\` to \`${mallory}\` on Base`,
  );
  expect(costs).toContain(`0.01 USDC (10000 of \`${usdc.toLowerCase()}\`) on Base (\`eip155:8453\`)`);
});

const priced = (amount: string, currency = 'usd') => ({ amount, currency });
const openapi = 'price.openapi';
