import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEndpoint } from '../../support/endpoints/mcp-endpoint.ts';
import { handleAt, type ObservedDirectory, openCheckedTwice } from '../../support/endpoints/observed.ts';
import { alice, mallory, numbered, offerOf } from '../../support/offers.ts';

const bob = numbered(3);
const currency = numbered(7);
const toChallenge = (methodDetails: object, more: object = {}) => {
  const request = { amount: '1000', currency, recipient: alice, methodDetails, ...more };
  const encoded = Buffer.from(JSON.stringify(request)).toString('base64url');
  return `Payment id="${Math.random()}", realm="x", method="tempo", intent="charge", request="${encoded}"`;
};
const split = (recipient: string, amount: string) => ({
  chainId: 8453,
  splits: [{ recipient, amount, memo: 'order-1' }],
});

/** What each host asks for: a challenge of MPP, or offers of x402. */
const asked: Record<string, () => string | readonly object[]> = {
  shared: () => toChallenge(split(mallory, '900')),
  joined: () => toChallenge({ chainId: 8453 }),
  deposit: () => toChallenge({ chainId: 8453, escrowContract: bob }),
  odd: () => toChallenge({ chainId: 8453, settings: { x: mallory } }),
  fee: () => [offerOf({ extra: { name: 'USDC', feeRecipient: mallory, feePayer: bob } })],
};
const startShop = (name: string) =>
  startEndpoint((_body, { method }, response) => {
    if (method !== 'POST') return void response.writeHead(404).end();
    const quote = asked[name]?.() ?? [];
    const isMpp = typeof quote === 'string';
    response.writeHead(402, isMpp ? { 'www-authenticate': quote } : { 'content-type': 'application/json' });
    response.end(isMpp ? '' : JSON.stringify({ x402Version: 2, error: 'pay', accepts: quote }));
  });

let observed: ObservedDirectory;
beforeAll(async () => {
  observed = await openCheckedTwice(Object.keys(asked), startShop);
});
afterAll(() => observed.close());

interface Body {
  readonly stands_out?: readonly string[];
  readonly lines: { readonly costs: string };
  readonly offers: readonly { readonly payee: string; readonly facts: readonly string[] }[];
}
async function call(tool: string, body: object): Promise<Body> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return (await (await observed.directory.app.request(`/api/tools/${tool}`, init)).json()) as Body;
}
const costsOf = async (name: string) => (await call('get_agent', { handle: handleAt(name) })).lines.costs;
const check = async (name: string, offer: unknown) =>
  (await call('check_offer', { handle: handleAt(name), offer })).offers[0];

it('who gets 900 of 1,000 is shown among those who are paid, and has a page of payees', async () => {
  expect(await costsOf('shared')).toContain(`, paid to \`${alice}\` and \`${mallory}\` (900 of it)`);
  const page = await observed.directory.app.request(`/payees/${mallory}.md`);
  expect(await page.text()).toContain(`\`${handleAt('shared')}\` asks to be paid there`);
});

it.each([
  ['deposit', bob],
  ['fee', mallory],
])('so is who gets a %s', async (name, address) => {
  expect(await costsOf(name)).toMatch(new RegExp(`, paid to .*\`${address}\``));
});

it('but not who pays the fee of a network', async () => {
  expect(await costsOf('fee')).not.toContain(bob);
});

it('an address in a member that Dossier does not know makes the offer one that is not read whole', async () => {
  expect(await costsOf('odd')).toContain('1000 of');
  const [quote] = await observed.look('odd', 'price.offers', 'quote');
  expect(quote).toMatchObject({
    value: { unreadable: 1, payees: [{ address: alice }] },
    reason: expect.stringContaining('Dossier could not read 1 of the 1 offers, or not whole'),
  });
  // The address that is not read may be that of a payee.
  expect(await check('odd', toChallenge({ chainId: 8453 }, { recipient: bob }))).toMatchObject({
    payee: 'not_known',
  });
});

it('check_offer compares all whom an offer pays, and not its recipient alone', async () => {
  expect((await check('shared', toChallenge(split(mallory, '900'))))?.payee).toBe('as_seen');
  const alone = await check('shared', toChallenge({ chainId: 8453 }));
  expect(alone).toMatchObject({ payee: 'never_seen' });
  expect(alone?.facts[0]).toMatch(
    new RegExp(`^Payee \`${alice}\`: never seen here; other: \`${alice}\` and \`${mallory}\` since `),
  );
  expect((await check('joined', toChallenge(split(mallory, '1'))))?.payee).toBe('never_seen');
});

it('a split that is new, and one that gets another part, are changes', async () => {
  const next = async () => {
    observed.directory.wait(86_400);
    await observed.directory.observe(handleAt('joined'));
    return (await call('get_agent', { handle: handleAt('joined') })).stands_out?.at(-1);
  };
  asked.joined = () => toChallenge(split(mallory, '1'));
  expect(await next()).toMatch(
    new RegExp(`^In the quoted price: also paid to \`${mallory}\` on Base \\(between `),
  );
  asked.joined = () => toChallenge(split(mallory, '999'));
  expect(await next()).toContain(
    `the parts of \`${alice}\` and \`${mallory}\` on Base are other ones (between `,
  );
  expect((await check('joined', toChallenge(split(mallory, '999'))))?.payee).toBe('new');
  expect(await observed.directory.audit()).toEqual([]);
});
