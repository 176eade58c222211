import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { handleAt, type ObservedDirectory, openObserved } from '../../support/endpoints/observed.ts';
import { startFetchServer } from '../../support/endpoints/paid-endpoint.ts';
import { alice, mallory, numbered, offerOf, usdc } from '../../support/offers.ts';

const bob = '0x3333333333333333333333333333333333333333';
const euro = '0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb43';
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

const hosts =
  'capitals operations currencies spelling tools many nudged crowded ended added named taken throng payees'.split(
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
const openapi = 'price.offers';

it('an amount that can no longer be read is a change, and hides no later change of its operation', async () => {
  await nextDay('operations', { openapi: { '/a': [priced('1000')], '/b': [priced('2000')] } });
  const raised = await nextDay('operations', { openapi: { '/a': [priced('1100')], '/b': [priced('0.02')] } });
  const both =
    '“POST /a”: Price raised from 1000 of `usd` to 1100 of `usd`; “POST /b”: Price changed from 2000 of `usd` to an amount that Dossier cannot read of `usd` (';
  expect(raised.history).toContain(`in its OpenAPI document: ${both}`);
  expect(raised.standsOut).toContain(`In its OpenAPI document: ${both}`);
  const other = await nextDay('operations', { openapi: { '/a': [priced('1100')], '/b': [priced('0.03')] } });
  expect(other.history).toContain('“POST /b”: What Dossier cannot read of an offer changed');
  const later = await nextDay('operations', {
    openapi: { '/a': [priced('1100')], '/b': [priced('900000')] },
  });
  const now = '“POST /b”: Price changed from an amount that Dossier cannot read of `usd` to 900000 of `usd`';
  expect(later.history).toContain(now);
  expect(later.standsOut).toContain(now);
  expect(later.feed).toEqual([openapi]);
});

it('beside an amount that cannot be read, every other offer of its operation is compared', async () => {
  const unread = priced('0.5');
  await nextDay('currencies', { openapi: { '/a': [priced('1000'), unread] } });
  const other = await nextDay('currencies', { openapi: { '/a': [priced('5', 'eur'), unread] } });
  expect(other.standsOut).toContain('“POST /a”: Price changed from 1000 of `usd` to 5 of `eur` (');
  const whole = await nextDay('currencies', { openapi: { '/a': [priced('9000'), priced('5', 'eur')] } });
  expect(whole.history).toContain('an amount that Dossier cannot read of `usd` to 9000 of `usd`');
});

it('another spelling of a currency, of an amount in dollars or the order of offers is no change', async () => {
  const ofTwo = [priced('1000', usdc), priced('5')];
  const tools = (...prices: readonly unknown[]) =>
    Object.fromEntries(prices.map((price, at) => [`tool${at}`, { 'agents-x402/priceUSD': price }]));
  await nextDay('spelling', { openapi: { '/a': ofTwo }, tools: tools(0.05, 1, '0.10', 'dynamic') });
  const other = [priced('5'), priced('1000', usdc.toLowerCase()), priced('5')];
  const same = { openapi: { '/a': other }, tools: tools('$0.050', '1.0', '0.1', 'dynamic') };
  expect(await nextDay('spelling', same)).toMatchObject({ history: '', standsOut: '', feed: [] });
});

const ofDollars = (prices: Readonly<Record<string, unknown>>) => ({
  tools: Object.fromEntries(
    Object.entries(prices).map(([name, price]) => [name, { 'agents-x402/priceUSD': price }]),
  ),
});

it('get_agent and get_history say which tools have another price', async () => {
  await nextDay('tools', ofDollars({ find: 0.01, send: 0.02, tidy: 'two' }));
  const raised = await nextDay('tools', ofDollars({ find: '$0.05', send: 0.02, tidy: 'two' }));
  expect(raised.history).toContain(
    'in its list of tools: `find`: Price raised from 0.01 dollars to 0.05 dollars (',
  );
  expect(raised.standsOut).toContain(
    'In its list of tools: `find`: Price raised from 0.01 dollars to 0.05 dollars (',
  );
  expect(raised.feed).toEqual(['price.offers']);
  const other = await nextDay('tools', ofDollars({ find: '$0.051', send: 'dynamic', make: 7 }));
  expect(other.history).toContain(
    '`find`: Price raised from 0.05 dollars to 0.051 dollars; `send`: Price changed from 0.02 dollars to a price that depends on the call; a new price for `make`; no longer a price for `tidy` (',
  );
  expect(other.standsOut).toContain('from 0.01 dollars to 0.05 dollars');
});

it('a change of one of many tools is told by its name', async () => {
  const sixty = (last: number) =>
    ofDollars(Object.fromEntries(many(60, (at) => [`tool${10 + at}`, at === 59 ? last : 0.01])));
  await nextDay('many', sixty(0.01));
  const { standsOut } = await nextDay('many', sixty(5));
  expect(standsOut).toContain(
    'In its list of tools: `tool69`: Price raised from 0.01 dollars to 5 dollars (',
  );
});

it('payees that change places beside an offer that cannot be read are a change', async () => {
  const dear = offerOf({ payTo: bob, amount: '900000' });
  await nextDay('nudged', { quote: [offerOf(), dear, unread] });
  const { history, standsOut, feed } = await nextDay('nudged', {
    quote: [offerOf({ payTo: bob }), offerOf({ amount: '900000' }), unread],
  });
  const moved = `\`${alice}\` and \`${bob}\` are paid for other offers on Base than before`;
  expect(history).toContain(moved);
  expect(standsOut).toContain(moved);
  expect(feed).toEqual(['price.offers']);
});

it.each([
  ['crowded', 10],
  ['throng', 45],
])(
  'of the quote %s with %i offers, one that takes the place of another is named, and so is its payee',
  async (name, length) => {
    const all = many(length, (at) => offerOf({ asset: numbered(5000 + at), payTo: at < 5 ? alice : bob }));
    await nextDay(name, { quote: all });
    const other = await nextDay(name, { quote: [...all.slice(0, -1), unread] });
    expect(other.standsOut).toContain(
      `payee changed from \`${bob}\` to \`lnbc1\` on \`lightning\`. Price changed from 10000 of \`${all.at(-1)?.asset}\` on Base to an amount that Dossier cannot read of \`BTC\` on \`lightning\` (`,
    );
    const back = await nextDay(name, { quote: [...all.slice(0, -1), { ...all.at(-1), payTo: alice }] });
    expect(back.history).toContain(`payee changed from \`lnbc1\` to \`${alice}\` on Base`);
    expect(back.feed).toEqual(['price.offers']);
  },
);

it('of thirty payees, the one that is swapped is named', async () => {
  const all = many(30, (at) => offerOf({ payTo: numbered(7000 + at) }));
  await nextDay('payees', { quote: all });
  const { history, feed } = await nextDay('payees', { quote: [...all.slice(0, 29), offerOf()] });
  expect(history).toContain(`payee changed from \`${numbered(7029)}\` to \`${alice}\` on Base (`);
  expect(feed).toEqual(['price.offers']);
});

it('a price that comes back beside an offer that cannot be read, after there was none, is a change', async () => {
  await nextDay('ended', { quote: [offerOf(), offerOf({ asset: euro })] });
  await nextDay('ended', {});
  const { history, standsOut, feed } = await nextDay('ended', { quote: [offerOf(), unread] });
  expect(history).toContain('looked for, none stated until');
  expect(standsOut).toContain('It began to quote');
  expect(feed).toEqual(['price.offers']);
});

it('a payee who took the place of another one is still said to have done so beside an offer that cannot be read', async () => {
  await nextDay('taken', { quote: [offerOf()] });
  const instead = `In the quoted price: payee changed from \`${alice}\` to \`${mallory}\` on Base (between `;
  const swapped = offerOf({ payTo: mallory });
  expect((await nextDay('taken', { quote: [swapped] })).standsOut).toContain(instead);
  const part = await nextDay('taken', { quote: [swapped, unread] });
  expect(part.history).toContain('also quoted: an amount that Dossier cannot read of `BTC` on `lightning`');
  expect(part.standsOut).toContain(instead);
  expect((await nextDay('taken', { quote: [swapped] })).standsOut).toContain(instead);
});

it('an offer behind many others is new by its name, although a last offer cannot be read', async () => {
  const twenty = many(20, (at) => offerOf({ asset: numbered(5000 + at) }));
  await nextDay('added', { quote: twenty });
  const { history, standsOut, feed } = await nextDay('added', {
    quote: [...twenty, offerOf({ amount: '9000000' }), unread],
  });
  for (const said of [history, standsOut]) {
    expect(said).toContain('lso quoted: an amount that Dossier cannot read of `BTC` on `lightning`');
    expect(said).toContain('9 USDC on Base');
  }
  expect(feed).toEqual(['price.offers']);
});

it('a tool that moves behind ten thousand other entries of an x402 document has not ended', async () => {
  const entry = (tool: string) => ({ url: '/mcp', tool });
  const others = many(10_000, (at) => ({ url: `/other${at}` }));
  await nextDay('named', { resources: [entry('find'), entry('send')] });
  const moved = { resources: [...others, entry('find'), entry('send')] };
  expect(await nextDay('named', moved)).toMatchObject({ history: '', feed: [] });
  const { history } = await nextDay('named', { resources: [entry('find'), entry('seek')] });
  expect(history).toContain('a new price for `seek`; no longer a price for `send` (');
  expect(await observed.directory.audit()).toEqual([]);
});
