import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { startEndpoint } from '../../support/endpoints/mcp-endpoint.ts';
import { handleAt, openObserved } from '../../support/endpoints/observed.ts';
import { startFetchServer } from '../../support/endpoints/paid-endpoint.ts';
import { changesOfNextCheck } from '../../support/next-check.ts';
import { alice, mallory, numbered, offerOf, unknownToken, usdc } from '../../support/offers.ts';

const bob = `0x${'3'.repeat(40)}`;
const euro = '0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb43';
const polygon = { network: 'eip155:137', asset: '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359' };
const many = <One>(length: number, make: (at: number) => One) => Array.from({ length }, (_, at) => make(at));

/** What a host has on one day. Without a quote or a status, its MCP server answers with its tools. */
interface Day {
  readonly status?: number;
  readonly quote?: readonly object[];
  readonly x402?: readonly object[];
  /** The offers of each operation of the OpenAPI document. */
  readonly openapi?: Readonly<Record<string, readonly object[]>>;
  /** The price in dollars of each tool. */
  readonly tools?: Readonly<Record<string, unknown>>;
  /** The items of a catalogue at the endpoint. */
  readonly catalog?: readonly object[];
}
const quote = (...offers: readonly object[]): Day => ({ quote: offers });
const list = (...entries: readonly object[]): Day => ({ x402: entries });
const catalog = (...items: readonly object[]): Day => ({ catalog: items });
const openapi = (...operations: readonly (readonly object[])[]): Day => ({
  openapi: Object.fromEntries(operations.map((offers, at) => [`/${'ab'[at]}`, offers])),
});
const dollars = (tools: Readonly<Record<string, unknown>>): Day => ({ tools });

const to = (payTo: string, changed: object = {}) => offerOf({ payTo, ...changed });
const entry = (tool: string, ...accepts: readonly object[]) => ({ url: '/mcp', tool, accepts });
const alone = (tool: string, ...accepts: readonly object[]) => ({ resource: `mcp://tool/${tool}`, accepts });
const item = (toolName: string, ...accepts: readonly object[]) => ({ toolName, accepts });
const of = (amount: string, currency = 'usd') => ({ amount, currency });
/** An offer that cannot be read, and how it is said. */
const unread = offerOf({ network: 'lightning', amount: '0.001', asset: 'BTC', payTo: 'lnbc1' });
const unreadSaid = 'an amount that Dossier cannot read of `BTC` on `lightning`';
const paid = (was: string, is: string, network = 'Base') =>
  `payee changed from \`${was}\` to \`${is}\` on ${network}`;
const crossed = (one: string, two: string) =>
  `\`${one}\` and \`${two}\` are paid for other offers on Base than before`;

const dear = { amount: '900000' };
const checksummed = '0xAbCdEf0000000000000000000000000000000001';
const others = many(10_000, (at) => ({ url: `/other${at}` }));
const priced = (at: number) =>
  to(numbered(1000 + at), { amount: `${1000 + at}`, asset: numbered(5000 + at) });
const twenty = many(20, priced);
const wide = many(25, (at) => offerOf({ amount: `${1000 + at}` }));
const crowd = many(45, (at) => to(at < 5 ? alice : bob, { asset: numbered(5000 + at) }));
const itself = { url: '/mcp', accepts: [offerOf()] };
const locked = [itself, alone('find', offerOf({ amount: '20000' }))];
const longList = (...payees: readonly string[]) =>
  list(...payees.map((payTo, at) => entry(`tool${10 + at}`, to(payTo))));
const inCatalog = many(50, (at) => item(`tool${10 + at}`, offerOf()));
const capitals = (network: string, payTo = alice): Day => {
  const same = [offerOf({ network, payTo })];
  return { quote: same, x402: [{ url: '/mcp', accepts: same }] };
};

/** What is said of a check, after the first one: nothing, or one change with all these words. */
type Said = readonly string[];
interface Options {
  /** A part of the subject, if only one place of several is told of. */
  readonly place?: string;
  /** Whether what is said is too small to stand out. */
  readonly isSmall?: boolean;
  /** What stands out to the end, whatever smaller change came later. */
  readonly stays?: string;
}
const none: Said = [];
const x402 = { place: '.well-known/x402' };
const rows: readonly (readonly [title: string, days: readonly Day[], said: readonly Said[], Options?])[] = [
  // The same thing in another form.
  [
    'the capitals of a network are no change, and a payee on it is compared',
    [
      ...['eip155:8453', 'EIP155:8453', 'Base', 'eip155:08453'].map((one) => capitals(one)),
      capitals('base', mallory),
    ],
    [none, none, none, [`in its x402 document: ${paid(alice, mallory)}`]],
    x402,
  ],
  [
    'nor is another spelling of an address or a token',
    [
      list(entry('find', to(checksummed))),
      list(entry('find', to(checksummed.toLowerCase(), { asset: usdc.toLowerCase() }))),
      list(entry('find', to(`eip155:8453:${checksummed}`))),
    ],
    [none, none],
  ],
  [
    'nor another spelling of a currency or another order of offers',
    [openapi([of('1000', usdc), of('5')]), openapi([of('5'), of('1000', usdc.toLowerCase()), of('5')])],
    [none],
  ],
  [
    'nor another spelling of dollars',
    [
      dollars({ a: 0.05, b: 1, c: '0.10', d: 'dynamic' }),
      dollars({ a: '$0.050', b: '1.0', c: '0.1', d: 'dynamic' }),
    ],
    [none],
  ],
  [
    'of a tool with many offers, another order is no change',
    [
      list(entry('find', ...wide), entry('send', offerOf())),
      list(entry('find', ...wide.toReversed()), entry('send', offerOf({ amount: '10001' }))),
    ],
    [['in its x402 document: `send`: Price raised from 0.01 USDC to 0.010001 USDC on Base']],
    { isSmall: true },
  ],
  [
    'a tool that moves behind ten thousand other entries has not ended',
    [
      list(entry('find', offerOf()), entry('send', offerOf()), ...others),
      list(entry('find', offerOf()), ...others, entry('send', offerOf())),
      list(...others, entry('find', to(mallory)), entry('send', offerOf())),
    ],
    [none, [`\`find\`: ${paid(alice, mallory)}`]],
  ],
  [
    'tools without a price come and go',
    [list(entry('find'), entry('send')), list(entry('find'), entry('seek'))],
    [['a new price for `seek`; no longer a price for `send`']],
    { isSmall: true },
  ],
  [
    'a document that is gone ends its price',
    [list(entry('find', offerOf())), {}, {}],
    [none, ['`find` 0.01 USDC on Base']],
    { ...x402, stays: 'Prices and payees were no longer there (between ' },
  ],
  // A document while its endpoint does not show its tools.
  [
    'a document that stays is no change while its endpoint asks for credentials or a payment, nor after it',
    [
      { x402: locked },
      { x402: locked, status: 401 },
      { x402: locked },
      { x402: locked, status: 402 },
      { x402: locked },
    ],
    [none, none, none, none],
    x402,
  ],
  [
    'a payee that is swapped meanwhile is a change when the tools are known again',
    [
      { x402: locked },
      { x402: [itself, alone('find', to(mallory, { amount: '20000' }))], status: 401 },
      { x402: [itself, alone('find', to(mallory, { amount: '20000' }))] },
    ],
    [none, [`\`find\`: ${paid(alice, mallory)}`]],
    x402,
  ],
  [
    'tools without a price, and prices beside a bare entry, do not end either',
    [undefined, 401, undefined].map((status) => ({
      ...list({ url: '/mcp' }, alone('find', offerOf()), alone('seek')),
      ...(status && { status }),
    })),
    [none, none],
    x402,
  ],
  // Who is paid.
  [
    'a payee is named before a price, and each network has its own',
    [
      list(entry('find', offerOf(), to(bob, { network: 'eip155:84532' })), entry('tidy', to(bob))),
      list(
        entry('find', to(bob), to(alice, { network: 'eip155:84532' })),
        entry('tidy', to(bob, { amount: '30000' })),
      ),
    ],
    [
      [
        `\`find\`: ${paid(alice, bob)}; ${paid(bob, alice, 'Base Sepolia')}; \`tidy\`: Price raised from 0.01 USDC to 0.03 USDC`,
      ],
    ],
  ],
  [
    'payees that only change places are a change, also if every amount is another one',
    [
      quote(offerOf(), to(bob, dear)),
      quote(to(bob), offerOf(dear)),
      quote(offerOf({ amount: '10001' }), to(bob, { amount: '900001' })),
    ],
    [[crossed(alice, bob)], [`${crossed(alice, bob)}. Price raised from 0.01 USDC`]],
  ],
  [
    'a payee that changed stands out whatever smaller change came later, with when it was seen',
    [
      quote(offerOf()),
      quote(to(mallory)),
      ...many(4, (at) => quote(to(mallory, { amount: `${10_001 + at}` }))),
    ],
    [[paid(alice, mallory)], ...many(4, () => ['rice raised from 0.01'])],
    { isSmall: true, stays: `In the quoted price: ${paid(alice, mallory)} (between ` },
  ],
  [
    'so are those that change places between assets or networks',
    [
      quote(offerOf(), to(bob, { asset: unknownToken })),
      quote(to(bob), offerOf({ asset: unknownToken })),
      quote(to(bob), offerOf(polygon)),
      quote(offerOf(), to(mallory, polygon)),
    ],
    [[crossed(alice, bob)], ['Polygon'], [paid(alice, mallory, 'Polygon')]],
  ],
  [
    'in a list too',
    [
      list(entry('find', offerOf(), to(bob, { asset: euro }))),
      list(entry('find', to(bob), offerOf({ asset: euro }))),
    ],
    [[`\`find\`: ${crossed(alice, bob)}`]],
  ],
  [
    'a new tool that pays somebody else says whom',
    [list(entry('find', offerOf())), list(entry('seek', to(mallory)))],
    [[`a new price for \`seek\`, paid to \`${mallory}\`; no longer a price for \`find\``]],
  ],
  [
    'a payee of one of many tools is named, and one of many tools once',
    [
      longList(...many(12, () => alice)),
      longList(...many(12, (at) => (at === 10 ? mallory : alice))),
      longList(...many(12, () => bob)),
    ],
    [
      [`\`tool20\`: ${paid(alice, mallory)}`],
      [
        `\`tool10\`, \`tool11\`, \`tool12\` and 8 more: ${paid(alice, bob)}; \`tool20\`: ${paid(mallory, bob)}`,
      ],
    ],
  ],
  [
    'a payee of one of thirty offers is named',
    [
      quote(...many(30, (at) => to(numbered(7000 + at)))),
      quote(...many(29, (at) => to(numbered(7000 + at))), offerOf()),
    ],
    [[paid(numbered(7029), alice)]],
  ],
  [
    'a payee that a catalogue swaps is a change',
    [catalog({ accepts: [offerOf()] }), catalog({ accepts: [to(mallory)] })],
    [[`in a catalogue: ${paid(alice, mallory)}`]],
  ],
  [
    'an item that anybody lists ends the price of no other tool in a catalogue',
    [
      catalog(...inCatalog),
      catalog(item('aaa', to(mallory)), ...inCatalog),
      catalog(item('aab', to(mallory)), item('aaa', to(mallory)), ...inCatalog),
    ],
    [
      [`in a catalogue: a new price for \`aaa\`, paid to \`${mallory}\` (`],
      ['in a catalogue: a new price for `aab` ('],
    ],
    { isSmall: true },
  ],
  // What costs how much.
  [
    'a tool is said with what it cost and what it costs',
    [
      dollars({ find: 0.01, send: 0.02, tidy: 'two' }),
      dollars({ find: '$0.05', send: 0.02, tidy: 'two' }),
      dollars({ find: '$0.051', send: 'dynamic', make: 7 }),
    ],
    [
      ['in its list of tools: `find`: Price raised from 0.01 dollars to 0.05 dollars ('],
      [
        '`find`: Price raised from 0.05 dollars to 0.051 dollars; `send`: Price changed from 0.02 dollars to a price that depends on the call; a new price for `make`; no longer a price for `tidy` (',
      ],
    ],
    { isSmall: true },
  ],
  [
    'so is one of sixty',
    [0.01, 5].map((last) =>
      dollars(Object.fromEntries(many(60, (at) => [`tool${10 + at}`, at === 59 ? last : 0.01]))),
    ),
    [['`tool69`: Price raised from 0.01 dollars to 5 dollars (']],
  ],
  [
    'of twenty offers, the one that changed, and then its payee',
    [
      quote(...twenty),
      quote({ ...priced(0), amount: '9' }, ...twenty.slice(1)),
      quote(offerOf(), ...twenty.slice(1)),
    ],
    [
      [`rice lowered from 1000 of \`${numbered(5000)}\` to 9 of \`${numbered(5000)}\` on Base`],
      [`${paid(numbered(1000), alice)}. Price changed from 9 of`, 'to 0.01 USDC on Base'],
    ],
  ],
  [
    'the same addresses on one more network are no other payees',
    [quote(offerOf()), quote(offerOf(), offerOf(polygon))],
    [['also quoted: 0.01 USDC on Polygon (']],
    { isSmall: true },
  ],
  [
    'a price that is there again after there was none is a change',
    [quote(offerOf(), offerOf({ asset: euro })), {}, quote(offerOf(), unread)],
    [['until'], ['looked for, none stated until']],
    { place: 'example.com/mcp`', isSmall: true },
  ],
  // What cannot be read.
  [
    'two different amounts for one offer are not read as the lower one',
    [
      list(entry('find', offerOf())),
      list(entry('find', offerOf({ amount: '9000000', maxAmountRequired: '10000' }))),
      list(entry('find', offerOf({ amount: '9000000', maxAmountRequired: '9000000' }))),
    ],
    [
      ['Price changed from 0.01 USDC on Base to an amount that Dossier cannot read of'],
      ['to 9 USDC on Base'],
    ],
  ],
  [
    'an amount that cannot be read any more is said once, ends no other price, and hides no swap',
    [offerOf(), offerOf(), to(mallory)].flatMap((find, at) => [
      list(entry('find', find), entry('send', offerOf(at === 0 ? {} : { amount: '0.01' }))),
    ]),
    [
      [
        `\`send\`: Price changed from 0.01 USDC on Base to an amount that Dossier cannot read of \`${usdc.toLowerCase()}\` on Base`,
      ],
      [`\`find\`: ${paid(alice, mallory)}`],
    ],
  ],
  [
    'nor a later change of its own operation or of another one',
    [
      openapi([of('1000')], [of('2000')]),
      openapi([of('1100')], [of('0.02')]),
      openapi([of('1100')], [of('0.02')]),
      openapi([of('1100')], [of('0.03')]),
      openapi([of('9000')], [of('900000')]),
    ],
    [
      [
        'in its OpenAPI document: “POST /a”: Price raised from 1000 of `usd` to 1100 of `usd`; “POST /b”: Price changed from 2000 of `usd` to an amount that Dossier cannot read of `usd`',
      ],
      none,
      ['“POST /b”: What Dossier cannot read of an offer changed'],
      [
        '“POST /a”: Price raised from 1100 of `usd` to 9000 of `usd`; “POST /b”: Price changed from an amount that Dossier cannot read of `usd` to 900000 of `usd`',
      ],
    ],
    { isSmall: true },
  ],
  [
    'every other offer of its operation is compared, one that is new, and one that ends',
    [
      openapi([of('1000'), of('0.5')]),
      openapi([of('5', 'eur'), of('0.5')]),
      openapi([of('9000'), of('5', 'eur')]),
      openapi([of('5', 'eur')]),
    ],
    [
      ['“POST /a”: Price changed from 1000 of `usd` to 5 of `eur`'],
      ['an amount that Dossier cannot read of `usd` to 9000 of `usd`'],
      ['9000 of `usd`'],
    ],
    { isSmall: true },
  ],
  [
    'payees that change places are a change',
    [quote(offerOf(), to(bob, dear), unread), quote(to(bob), offerOf(dear), unread)],
    [[crossed(alice, bob)]],
  ],
  [
    'of 45 offers, one that takes the place of another is named, and so is its payee',
    [
      quote(...crowd),
      quote(...crowd.slice(0, -1), unread),
      quote(...crowd.slice(0, -1), { ...crowd.at(-1), payTo: alice }),
    ],
    [
      [
        `payee changed from \`${bob}\` to \`lnbc1\` on \`lightning\`. Price changed from 10000 of \`${numbered(5044)}\` on Base to ${unreadSaid}`,
      ],
      [paid('lnbc1', alice)],
    ],
  ],
  [
    'different offers take the place of those that were read before',
    [quote(to(bob), unread), quote(to(mallory, { scheme: 'upto', amount: '9000000' }), unread)],
    [[paid(bob, mallory), 'rice changed from 0.01 USDC on Base to at most 9 USDC (scheme `upto`) on Base']],
  ],
  [
    'an offer that is new is named, and so are its payee and a change of it',
    [
      quote(offerOf(), unread),
      quote(offerOf(), to(bob, { asset: euro }), unread),
      quote(offerOf({ amount: '11000' }), to(bob, { asset: euro, amount: '900000000' }), unread),
    ],
    [
      [`lso quoted: 10000 of \`${euro}\` on Base, paid to \`${bob}\``],
      [`rice raised from 10000 of \`${euro}\``, `to 900000000 of \`${euro}\``],
    ],
  ],
  [
    'a raise behind many others is told',
    [
      quote(...many(25, priced), unread),
      quote(...many(24, priced), { ...priced(24), amount: '900000000' }, unread),
    ],
    [[`rice raised from 1024 of \`${numbered(5024)}\``]],
  ],
  [
    'an answer in which no amount can be read names who is paid, and when that ends',
    [quote(to(bob)), quote(unread), quote(to(bob))],
    [['to `lnbc1` on `lightning`'], [paid('lnbc1', bob)]],
  ],
];
const nameOf = (at: number) => `row${at}`;

const days: Record<string, Day> = {};
function startHost(name: string) {
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name, version: '1.0.0' });
      const tools = days[name]?.tools ?? { find: undefined, send: undefined };
      for (const [tool, price] of Object.entries(tools)) {
        const _meta = price === undefined ? {} : { 'agents-x402/priceUSD': price };
        const described = { description: tool, inputSchema: z.object({}), _meta };
        server.registerTool(tool, described, () => ({ content: [] }));
      }
      return server;
    },
    { legacy: 'reject' },
  );
  return startFetchServer((request) => {
    const { pathname } = new URL(request.url);
    const { quote: accepts, status, x402: resources, openapi: operations } = days[name] ?? {};
    if (pathname === '/.well-known/x402' && resources) return Response.json({ resources });
    if (pathname === '/openapi.json' && operations) {
      const paths = Object.entries(operations).map(([path, offers]) => [
        path,
        { post: { 'x-payment-info': { offers } } },
      ]);
      return Response.json({ openapi: '3.1.0', paths: Object.fromEntries(paths) });
    }
    if (pathname !== '/mcp' || request.method !== 'POST') return new Response('', { status: 404 });
    if (status) return new Response('', { status, headers: { 'www-authenticate': 'Bearer' } });
    if (!accepts) return handler.fetch(request);
    return Response.json({ x402Version: 2, error: 'pay', resource: { url: 'x' }, accepts }, { status: 402 });
  });
}
const startBazaar = () =>
  startEndpoint((_, { url = '' }, response) => {
    const items = Object.entries(days).flatMap(([name, day]) =>
      (day.catalog ?? []).map((one) => ({ resource: `https://${name}.example.com/mcp`, ...one })),
    );
    const offset = Number(/offset=(\d+)/.exec(url)?.[1] ?? 0);
    const pagination = { limit: 100, offset, total: items.length };
    response.end(JSON.stringify({ items: items.slice(offset, offset + 100), pagination }));
  });

const hosts = Object.fromEntries(rows.map((_, at) => [nameOf(at), startHost(nameOf(at))]));
const servers = { ...hosts, bazaar: startBazaar() };
const observed = await openObserved(servers, { LIMITS: 'off', PRICE_CATALOGS: 'https://bazaar.example.com' });

/** How many changes of prices the stream of changes has of a host. */
async function countTold(name: string) {
  const text = await (await observed.directory.app.request('/changes?since=0')).text();
  const lines = text.split('\n').filter((line) => line.includes(handleAt(name)));
  return lines.filter((line) => line.includes('observation.changed') && line.includes('price.offers')).length;
}
async function standsOutOf(name: string) {
  const answer = await observed.directory.post('/api/tools/get_agent', { handle: handleAt(name) });
  return ((await answer.json()) as { stands_out?: string[] }).stands_out?.join('\n') ?? '';
}

it.each(rows.map((row, at) => [row[0], row, nameOf(at)] as const))(
  '%s',
  async (_title, [, [first, ...later], said, { place, isSmall, stays = '' } = {}], name) => {
    days[name] = first ?? {};
    observed.directory.wait(86_400);
    await observed.directory.observe(handleAt(name));
    expect(said).toHaveLength(later.length);
    for (const [at, day] of later.entries()) {
      days[name] = day;
      const words = said[at] ?? none;
      const before = await countTold(name);
      const changes = await changesOfNextCheck(
        observed.directory,
        handleAt(name),
        'Prices and payees',
        place,
      );
      expect(changes).toHaveLength(words.length === 0 ? 0 : 1);
      if (!place) expect((await countTold(name)) - before).toBe(changes.length);
      const standsOut = await standsOutOf(name);
      for (const word of words) {
        expect(changes[0]).toContain(word);
        if (!isSmall) expect(standsOut.toLowerCase()).toContain(word.replace(/ \($/, '').toLowerCase());
      }
    }
    expect(await standsOutOf(name)).toContain(stays);
    delete days[name];
  },
);

it('and the log says all of that', async () => {
  expect(await observed.directory.audit()).toEqual([]);
});
