import { expect, it } from 'vitest';
import { callTool } from '../../support/directory.ts';
import { handleAt, openCheckedTwice } from '../../support/endpoints/observed.ts';
import { startShop } from '../../support/endpoints/paid-endpoint.ts';
import { alice, challengeOf, mallory, numbered, offerOf } from '../../support/offers.ts';

const bob = numbered(3);
const chainId = 8453;
const challenge = (methodDetails: object, recipient = alice) =>
  challengeOf(recipient, {
    amount: '1000',
    currency: numbered(7),
    methodDetails: { chainId, ...methodDetails },
  });
const split = (recipient: string, amount: string) => ({ splits: [{ recipient, amount, memo: 'order-1' }] });

/** What each host asks for. */
const asked: Record<string, string | object> = {
  shared: challenge(split(mallory, '900')),
  joined: challenge({}),
  deposit: challenge({ escrowContract: bob }),
  odd: challenge({ settings: { x: mallory } }),
  fee: offerOf({ extra: { name: 'USDC', feeRecipient: mallory, feePayer: bob } }),
};
const { directory, look } = await openCheckedTwice(Object.keys(asked), (name) =>
  startShop(() => [asked[name] ?? '']),
);

interface Body {
  readonly stands_out?: readonly string[];
  readonly lines: { readonly costs: string };
  readonly offers: readonly { readonly payee: string; readonly facts: readonly string[] }[];
}
const call = (tool: string, name: string, offer?: unknown) =>
  callTool<Body>(directory, tool, { handle: handleAt(name), offer });
const costsOf = async (name: string) => (await call('get_agent', name)).lines.costs;
const check = async (name: string, offer: unknown) => (await call('check_offer', name, offer)).offers[0];

it('who gets 900 of 1,000 is shown among those who are paid, and has a page of payees', async () => {
  expect(await costsOf('shared')).toContain(`, paid to \`${alice}\` and \`${mallory}\` (900 of it)`);
  const page = await directory.app.request(`/payees/${mallory}.md`);
  expect(await page.text()).toContain(`\`${handleAt('shared')}\` asks to be paid there`);
});

it('so is who gets a deposit or a fee, but not who pays the fee of a network', async () => {
  expect(await costsOf('deposit')).toMatch(new RegExp(`, paid to .*\`${bob}\``));
  expect(await costsOf('fee')).toMatch(new RegExp(`, paid to .*\`${mallory}\``));
  expect(await costsOf('fee')).not.toContain(bob);
  expect(await costsOf('fee')).not.toContain('cannot read');
});

it('an address in a member that Dossier does not know makes the offer one that is not read whole', async () => {
  expect(await costsOf('odd')).toContain('1000 of');
  const [quote] = await look('odd', 'price.offers', 'quote');
  expect(quote).toMatchObject({
    value: { unreadable: 1, payees: [{ address: alice }] },
    reason: expect.stringContaining('Dossier could not read 1 of the 1 offers, or not whole'),
  });
  // The address that is not read may be that of a payee.
  expect(await check('odd', challenge({}, bob))).toMatchObject({ payee: 'not_known' });
});

it('check_offer compares all whom an offer pays, and not its recipient alone', async () => {
  expect(await check('shared', challenge(split(mallory, '900')))).toMatchObject({ payee: 'as_seen' });
  const alone = await check('shared', challenge({}));
  expect(alone).toMatchObject({ payee: 'never_seen' });
  expect(alone?.facts[0]).toMatch(
    new RegExp(`^Payee \`${alice}\`: never seen here; other: \`${alice}\` and \`${mallory}\` since `),
  );
  expect(await check('joined', challenge(split(mallory, '1')))).toMatchObject({ payee: 'never_seen' });
});

it('a split that is new, and one that gets another part, are changes', async () => {
  const next = async (part: string) => {
    asked.joined = challenge(split(mallory, part));
    directory.wait(86_400);
    await directory.observe(handleAt('joined'));
    return (await call('get_agent', 'joined')).stands_out?.at(-1);
  };
  expect(await next('1')).toMatch(
    new RegExp(`^In the quoted price: also paid to \`${mallory}\` on Base \\(between `),
  );
  expect(await next('999')).toContain(
    `the parts of \`${alice}\` and \`${mallory}\` on Base are other ones (between `,
  );
  expect(await check('joined', asked.joined)).toMatchObject({ payee: 'new' });
  expect(await directory.audit()).toEqual([]);
});
