import { expect, it } from 'vitest';
import { handleAt, openObserved } from '../../support/endpoints/observed.ts';
import { startFetchServer, startShop } from '../../support/endpoints/paid-endpoint.ts';
import { connect } from '../../support/mcp-clients.ts';
import { changesOfNextCheck } from '../../support/next-check.ts';
import { alice, mallory, numbered, offerOf, unknownToken } from '../../support/offers.ts';
import { opened } from '../../support/opened.ts';

const solana = {
  network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  payTo: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
};
const asked: Record<string, number> = {};
/** Each shop makes the first and the second of its offers in turn. */
const turns: Readonly<Record<string, readonly [readonly object[], readonly object[]]>> = {
  priced: [[offerOf()], [offerOf({ amount: '100000' })]],
  moved: [[offerOf()], [offerOf(solana)]],
  more: [[offerOf()], [offerOf(), offerOf({ asset: unknownToken, amount: '7', payTo: mallory })]],
  both: [[offerOf({ payTo: numbered(1) })], [offerOf({ amount: '30000', payTo: numbered(2) })]],
};
const payment = (accepts: readonly object[]) =>
  Response.json({ x402Version: 2, error: 'pay', resource: { url: 'x' }, accepts }, { status: 402 });
const turnOf = (name: string) => {
  asked[name] = (asked[name] ?? 0) + 1;
  return asked[name] % 2 === 1 ? 0 : 1;
};
let isSteady = false;
const { directory } = await openObserved(
  {
    ...Object.fromEntries(
      Object.entries(turns).map(([name, both]) => [
        name,
        startShop(() => both[isSteady ? 0 : turnOf(name)] ?? []),
      ]),
    ),
    // Asks for a payment, and then for credentials.
    signs: startFetchServer(({ method }) => {
      if (method !== 'POST') return new Response('', { status: 404 });
      if (turnOf('signs') === 0) return payment([offerOf()]);
      return new Response('', { status: 401, headers: { 'www-authenticate': 'Bearer' } });
    }),
    // Its first answer has no way to pay.
    empty: startFetchServer(({ method }) => {
      if (method !== 'POST') return new Response('', { status: 404 });
      return payment(turnOf('empty') === 0 ? [] : [offerOf()]);
    }),
  },
  { LIMITS: 'off' },
);
const names = [...Object.keys(turns), 'signs', 'empty'];
const days: string[] = [];
for (let at = 0; at < 12; at += 1) {
  if (at > 0) directory.wait(86_400);
  days.push(directory.context.clock().toISOString().slice(0, 10));
  for (const name of names) await directory.observe(handleAt(name));
}
const client = await opened(connect('v2', { app: directory.app }));
const [first = ''] = days;
const last = days.at(-1) ?? '';

async function costsOf(name: string) {
  const { structuredContent } = await client.call('get_agent', { handle: handleAt(name) });
  return (structuredContent as { lines: { costs: string } }).lines.costs;
}
const usdc = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const cent = `0.01 USDC (10000 of \`${usdc}\`) on Base (\`eip155:8453\`)`;

it('a price that is another at the second request of a check is said with both, and so since when', async () => {
  expect(await costsOf('priced')).toContain(
    `Quotes for one request before it answers: ${cent}, paid to \`${alice}\`; or 0.1 USDC (100000 of \`${usdc}\`) on Base (\`eip155:8453\`), paid to \`${alice}\`, another price each time, so since ${first}`,
  );
  expect(await costsOf('moved')).toContain(`, not the same offers each time, so since ${first}`);
  expect(await costsOf('moved')).toContain('on Solana');
  expect(await costsOf('more')).toContain(
    `paid to \`${mallory}\`, not the same offers each time, so since ${first}`,
  );
  const both = await costsOf('both');
  expect(both).toMatch(
    /0\.01 USDC .*; or 0\.03 USDC .*, paid to another address each time, another price each time, so since /,
  );
  expect(both).not.toContain(numbered(1));
});

it('a payment that only one of two requests was asked for is not the same each time', async () => {
  for (const name of ['signs', 'empty'])
    expect([name, await costsOf(name)]).toEqual([
      name,
      expect.stringContaining(
        `${cent}, paid to \`${alice}\`, not the same offers each time, so since ${first}`,
      ),
    ]);
});

it('credentials that one of two requests was asked for are asked for, beside the payment', async () => {
  const { structuredContent } = await client.call('get_agent', { handle: handleAt('signs') });
  const { lines } = structuredContent as { lines: { asks: string } };
  expect(lines.asks).toBe('Asked Dossier for credentials, and for a payment.');
});

it('a criterion about it is unknown, or not met if neither fits', async () => {
  const judged = async (name: string, criteria: readonly string[]) => {
    const asking = { handles: [handleAt(name)], criteria };
    const { structuredContent } = await client.call('compare_agents', asking);
    const { listings } = structuredContent as {
      listings: { observed: Record<string, string>; reasons?: { reason: string }[] }[];
    };
    const [{ observed = {}, reasons = [] } = {}] = listings;
    return [Object.values(observed), reasons.map(({ reason }) => reason)];
  };
  const limits = ['price_at_most:0.02 USDC', 'price_at_most:0.5 USDC', 'price_at_most:0.001 USDC'];
  expect(await judged('priced', [...limits, 'price_known', 'pay_to_unchanged_for:9'])).toEqual([
    ['unknown', 'unknown', 'not_met', 'met', 'met'],
    ['quoted: 0.01 USDC on Base or 0.1 USDC on Base, another price each time'],
  ]);
  expect(await judged('moved', ['price_at_most:1 USDC', 'pay_to_unchanged_for:9'])).toEqual([
    ['unknown', 'unknown'],
    [
      'quoted: 0.01 USDC on Base or 0.01 USDC on Solana, not the same offers each time',
      'it makes not the same offers each time',
    ],
  ]);
});

it('a sent offer is compared with both, and that it is another each time is said', async () => {
  for (const amount of ['10000', '100000']) {
    const { structuredContent } = await client.call('check_offer', {
      handle: handleAt('priced'),
      offer: [offerOf({ amount })],
    });
    expect(structuredContent).toMatchObject({
      message: `A price for one request was last quoted to Dossier at \`https://priced.example.com/mcp\` on ${last}, another price each time.`,
      offers: [{ amount: 'as_seen', payee: 'as_seen' }],
    });
  }
});

it('a price that settles, and one that begins to alternate, are changes that say so in the history', async () => {
  const handle = handleAt('priced');
  for (const [steady, said] of [
    [true, 'no longer quoted: 0.1 USDC on Base; now the same each time'],
    [false, 'also quoted: 0.1 USDC on Base; now another price each time'],
  ] as const) {
    isSteady = steady;
    expect(await changesOfNextCheck(directory, handle, 'Prices and payees')).toEqual([
      expect.stringContaining(said),
    ]);
    const page = await (await directory.app.request(`/agents/${handle}/history`)).text();
    expect(page.replace(/<[^>]+>/g, '')).toContain(said);
  }
  expect(await directory.audit()).toEqual([]);
});
