import { describe, expect, it } from 'vitest';
import { callTool } from '../../support/directory.ts';
import { handleAt, openCheckedTwice } from '../../support/endpoints/observed.ts';
import { startShop } from '../../support/endpoints/paid-endpoint.ts';
import { challengeOf, mallory, numbered, offerOf, unknownToken, usdc } from '../../support/offers.ts';

const start_ms = Date.now();
const inDays = (days: number) => new Date(start_ms + days * 86_400_000).toISOString().slice(0, 10);

const manyAt = (at: number) =>
  offerOf({ payTo: numbered(1000 + at), amount: String(1000 + at), asset: numbered(5000 + at) });

/** An offer that cannot be read. */
const unread = offerOf({ network: 'lightning', amount: '0.001', asset: 'BTC', payTo: 'lnbc1' });

let requests = 0;
/** What each server asks for now; a server without offers fails. */
const asked: Record<string, () => readonly (object | string)[]> = {
  many: () => Array.from({ length: 40 }, (_, at) => manyAt(at)),
  twenty: () => Array.from({ length: 20 }, (_, at) => manyAt(at)),
  rotating: () => [offerOf({ payTo: numbered(++requests) })],
  optimism: () => [offerOf({ network: 'eip155:10' })],
  amoy: () => [offerOf({ network: 'eip155:80002' })],
  unnamed: () => [offerOf({ network: 'newchain' })],
  shop: () => [offerOf()],
  pair: () => [offerOf(), offerOf({ asset: unknownToken, payTo: mallory })],
  evil: () => [offerOf({ payTo: mallory })],
  mixed: () => [offerOf({ payTo: numbered(7) }), session('5')],
  growing: () => [offerOf({ payTo: numbered(20) }), unread],
  kept: () => [offerOf({ payTo: numbered(36) }), offerOf({ payTo: numbered(31), amount: '20000' })],
  thousands: () => Array.from({ length: 1500 }, (_, at) => manyAt(at)),
  brim: () => [...Array.from({ length: 1000 }, (_, at) => manyAt(at)), session('ask')],
};
const session = (amount: string) =>
  challengeOf(numbered(8), { amount, currency: unknownToken, methodDetails: undefined }, '', 'session');
const resource = {
  resource: 'https://shop.example.com/mcp',
  accepts: [offerOf({ amount: '5000' }), offerOf({ payTo: mallory })],
};
const { directory, look } = await openCheckedTwice(Object.keys(asked), (name) =>
  startShop(
    () => asked[name]?.() ?? [],
    name === 'shop' ? { '/.well-known/x402': { resources: [resource] } } : {},
  ),
);

interface Body {
  readonly stands_out?: readonly string[];
  readonly lines: { readonly costs: string };
  readonly offers: readonly (Readonly<Record<string, string>> & { readonly facts: readonly string[] })[];
}
const call = (tool: string, name: string, offer?: object) =>
  callTool<Body>(directory, tool, { handle: handleAt(name), ...(offer && { offer: [offer] }) });
async function check(name: string, offer: object) {
  const { facts = [], ...states } = (await call('check_offer', name, offer)).offers[0] ?? {};
  return { facts, states };
}
const quoteOf = async (name: string) => (await look(name, 'price.offers', 'quote'))[0];

it('of many offers, each is compared', async () => {
  for (const at of [15, 35])
    expect((await check('many', manyAt(at))).states).toMatchObject({ payee: 'as_seen', amount: 'as_seen' });
  const { states } = await check('many', manyAt(45));
  expect(states).toMatchObject({ payee: 'never_seen', asset: 'never_seen', amount: 'not_known' });
  expect((await check('thousands', manyAt(1499))).states).toMatchObject({ payee: 'as_seen' });
});

it('of more than a thousand offers, all are read, and how many pay whom is said in short', async () => {
  expect((await quoteOf('thousands'))?.value).toMatchObject({ count: 1500, all_payees: { count: 1500 } });
});

it('of a thousand offers and one in another format, that one could not be read', async () => {
  const { value, reason } = (await quoteOf('brim')) ?? {};
  expect(value).toMatchObject({ count: 1001, priced: 1000, unreadable: 1 });
  expect(reason).toContain('Dossier could not read 1 of the 1,001 offers');
});

it('a token that calls itself USDC is named beside the one of that network', async () => {
  const { facts } = await check(
    'optimism',
    offerOf({ network: 'eip155:10', asset: unknownToken, extra: { name: 'USDC' } }),
  );
  expect(facts).toContain(
    `The offer names the asset “USDC”; USDC on Optimism is \`0x0b2c639c533813f4aa9d7837caf62653d097ff85\` (by Dossier’s table of assets), this is \`${unknownToken}\`.`,
  );
});

it('networks are compared as what they are, whatever version of x402 names them', async () => {
  expect((await check('amoy', offerOf({ network: 'polygon-amoy' }))).states).toEqual({
    payee: 'as_seen',
    amount: 'as_seen',
    asset: 'as_seen',
    network: 'as_seen',
    scheme: 'as_seen',
  });
  const { states, facts } = await check('shop', offerOf({ network: 'newchain' }));
  expect(states).toMatchObject({ network: 'not_known', asset: 'not_known', amount: 'not_known' });
  expect(facts.join('\n')).toContain(
    'network `newchain`: not known: `newchain` is a name, and Dossier does not know which network has it.',
  );
  expect((await check('unnamed', offerOf())).states).toMatchObject({ network: 'not_known' });
  expect((await check('unnamed', offerOf({ network: 'newchain' }))).states).toMatchObject({
    network: 'as_seen',
  });
});

it('of many listings that ask to be paid at a payee, three are named with when that was seen', async () => {
  expect((await check('twenty', offerOf())).facts.join('\n')).toMatch(
    /^\d other listings ask to be paid at this payee, among them `[^`]+` \(seen [\d-]{10}\), `[^`]+` \(seen [\d-]{10}\) and `[^`]+` \(seen [\d-]{10}\)\.$/m,
  );
});

it('what was quoted before is compared by what was read of it', async () => {
  directory.wait(3 * 86_400);
  asked.many = () => [offerOf({ network: 'eip155:137' })];
  asked.rotating = () => [];
  for (const name of ['many', 'rotating']) {
    await directory.observe(handleAt(name));
    directory.wait(86_400);
    await directory.observe(handleAt(name));
  }
  const { states, facts } = await check('many', manyAt(15));
  expect(states).toEqual({
    payee: 'seen_until',
    amount: 'seen_until',
    asset: 'seen_until',
    network: 'seen_until',
    scheme: 'as_seen',
  });
  expect(facts).toContain(
    `Asset \`${numbered(5015)}\`: other: \`${usdc.toLowerCase()}\` on Polygon (\`eip155:137\`) since ${inDays(3)}; this one was seen until ${inDays(0)}.`,
  );
  expect((await check('many', manyAt(35))).states).toMatchObject({
    payee: 'seen_until',
    asset: 'seen_until',
  });
  expect((await check('rotating', offerOf({ payTo: mallory }))).facts[0]).toBe(
    `Payee \`${mallory}\`: never seen here; other: another each time until ${inDays(0)}.`,
  );
});

/** Looks at a server again on another day, after it was changed. */
async function lookAgain(name: string, offers: readonly object[]) {
  asked[name] = () => offers;
  directory.wait(86_400);
  await directory.observe(handleAt(name));
  return call('get_agent', name);
}

it('of two offers, each payee is compared with that of the same offer, also once they have changed places', async () => {
  const stateOf = async (offer: object) => (await check('pair', offerOf(offer))).states;
  const swapped = { payTo: mallory };
  expect(await stateOf({})).toMatchObject({ payee: 'as_seen' });
  expect(await stateOf({ asset: unknownToken, ...swapped })).toMatchObject({ payee: 'as_seen' });
  expect(await stateOf(swapped)).toMatchObject({ payee: 'never_seen', amount: 'as_seen', asset: 'as_seen' });
  expect((await check('pair', offerOf(swapped))).facts[0]).toMatch(
    /: not in the last quote for this amount, asset, network and scheme; other: `0x1{40}`; for other offers as seen since /,
  );
  await lookAgain('pair', [offerOf(swapped), offerOf({ asset: unknownToken })]);
  expect(await stateOf(swapped)).toMatchObject({ payee: 'new' });
  expect(await stateOf({})).toMatchObject({ payee: 'seen_until' });
});

it('the date of several payees is not said of each of them', async () => {
  const both = [offerOf(), offerOf({ payTo: mallory })];
  const { lines } = await lookAgain('shop', both);
  expect(lines.costs).toMatch(
    /, (?:no price but this|exactly these prices) since [\d-]{10} and exactly these payees since [\d-]{10}; prices in its x402 document/,
  );
});

it('offers of x402 and MPP together are not all for one request', async () => {
  const { lines } = await call('get_agent', 'mixed');
  expect(lines.costs).toMatch(/^Quotes for an amount of use that is not known before it answers: /);
});

describe('beside an offer that cannot be read', () => {
  it('an offer that is new is named, and dated from the check that first saw it', async () => {
    const dear = offerOf({ payTo: numbered(20), amount: '9000000' });
    const { lines, stands_out } = await lookAgain('growing', [
      offerOf({ payTo: numbered(20) }),
      dear,
      unread,
    ]);
    expect(stands_out).toEqual([expect.stringMatching(/^Also quoted: 9 USDC on Base \(between /)]);
    const [, price, payee] =
      /(?:no price but this|exactly these prices) since ([\d-]{10}) and exactly these payees since ([\d-]{10})/.exec(
        lines.costs,
      ) ?? [];
    expect(payee).toBe(inDays(0));
    expect(price).not.toBe(inDays(0));
    const { facts } = await check('growing', dear);
    expect(facts.find((fact) => fact.includes('mount 9 USDC'))).toContain(`new since ${price} (1 check)`);
  });

  it('who is not paid any more is named, and is not said to be paid', async () => {
    const { lines, stands_out } = await lookAgain('kept', [offerOf({ payTo: mallory }), unread]);
    expect(lines.costs).toContain(mallory);
    expect(lines.costs).not.toContain(numbered(36));
    expect(stands_out?.join()).toContain(`payee changed from \`${numbered(36)}\` to \`${mallory}\` on Base`);
    expect((await check('kept', offerOf({ payTo: mallory }))).states).toMatchObject({ payee: 'new' });
    expect((await check('kept', offerOf({ payTo: numbered(36) }))).states).toMatchObject({
      payee: 'seen_until',
    });
  });
});
