import { expect, it } from 'vitest';
import { handleAt, openObserved } from '../../support/endpoints/observed.ts';
import { startShop } from '../../support/endpoints/paid-endpoint.ts';
import { connect } from '../../support/mcp-clients.ts';
import { alice, mallory, offerOf } from '../../support/offers.ts';
import { opened } from '../../support/opened.ts';

const solana = {
  network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  payTo: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
};
const bob = '0x3333333333333333333333333333333333333333';
let at = 0;
/** What each shop asks for on a day. */
const shops = {
  /** Alice, mallory for two days, alice again; its offer on Solana goes later. */
  dropped: () => [
    offerOf({ payTo: at === 3 || at === 4 ? mallory : alice }),
    ...(at < 10 ? [offerOf(solana)] : []),
  ],
  networks: () => [offerOf(), offerOf({ ...solana, payTo: bob })],
  /** Bob is paid too for two days. */
  visited: () => [offerOf(), ...(at === 9 || at === 10 ? [offerOf({ payTo: bob, amount: '5' })] : [])],
  joined: () => [offerOf(), ...(at < 10 ? [] : [offerOf({ payTo: bob, amount: '20000' })])],
};
const { directory } = await openObserved(
  Object.fromEntries(Object.entries(shops).map(([name, offers]) => [name, startShop(offers)])),
  { LIMITS: 'off' },
);
const days: string[] = [];
for (at = 0; at < 14; at += 1) {
  if (at > 0) directory.wait(86_400);
  days.push(directory.context.clock().toISOString().slice(0, 10));
  for (const name of Object.keys(shops)) await directory.observe(handleAt(name));
}
const client = await opened(connect('v2', { app: directory.app }));
const day = (nth: number) => days[nth] ?? '';

async function factsOf(name: keyof typeof shops, offer: object) {
  const sent = { handle: handleAt(name), offer: [offerOf(offer)] };
  const { structuredContent } = await client.call('check_offer', sent);
  const { offers } = structuredContent as { offers: { facts: string[]; changed?: object }[] };
  return offers[0] ?? { facts: [] };
}

it('a payee on another network is not named as the one instead of a sent payee', async () => {
  expect((await factsOf('networks', { payTo: mallory })).facts[0]).toBe(
    `Payee \`${mallory}\`: never seen here; other: \`${alice}\` since ${day(0)}.`,
  );
});

it('what is asked for instead of a sent part is dated by itself, and not by what left beside it', async () => {
  expect((await factsOf('dropped', { payTo: mallory })).facts).toEqual([
    `Payee \`${mallory}\`: other: \`${alice}\` since ${day(5)}; this one was seen until ${day(4)}.`,
    expect.stringMatching(/^Amount .*: as seen since/),
  ]);
  const { facts } = await factsOf('dropped', solana);
  expect(facts).toContain(
    `Network Solana (\`${solana.network}\`): other: Base (\`eip155:8453\`) since ${day(0)}; this one was seen until ${day(9)}.`,
  );
  expect(facts).toContain(
    `Asset USDC (\`${solana.asset}\`): other: USDC (\`0x833589fcd6edb6e08f4c7c32d4f71b54bda02913\`) on Base (\`eip155:8453\`) since ${day(0)}; this one was seen until ${day(9)}.`,
  );
  expect((await factsOf('joined', { payTo: mallory })).facts[0]).toBe(
    `Payee \`${mallory}\`: never seen here; other: \`${alice}\` since ${day(0)} and \`${bob}\` since ${day(10)}.`,
  );
});

it('addresses to pay are unchanged if one goes, and not if one comes, also if it went again', async () => {
  const judged = async (name: keyof typeof shops, longest: number) => {
    const criteria = [longest, longest + 1].map((wanted) => `pay_to_unchanged_for:${wanted}`);
    const asking = { handles: [handleAt(name)], criteria };
    const { structuredContent, content } = await client.call('compare_agents', asking);
    const { listings } = structuredContent as {
      listings: { observed: Record<string, string>; reasons?: { reason: string }[] }[];
    };
    const [{ observed = {}, reasons = [] } = {}] = listings;
    for (const { reason } of reasons) expect(content[0]?.text).toContain(reason);
    return [...Object.values(observed), ...reasons.map(({ reason }) => reason)];
  };
  expect(await judged('dropped', 8)).toEqual(['met', 'not_met', `no new one since ${day(5)}`]);
  expect(await judged('visited', 4)).toEqual(['met', 'not_met', `no new one since ${day(9)}`]);
  expect(await judged('joined', 3)).toEqual(['met', 'not_met', `no new one since ${day(10)}`]);
  const page = await (
    await directory.app.request(
      `/compare?handle=${handleAt('dropped')}&handle=${handleAt('joined')}&pay_to_unchanged_for=9`,
    )
  ).text();
  expect(page.replace(/<[^>]+>/g, '')).toContain(
    'Addresses to pay unchanged for at least 9 days (one that goes does not count)',
  );
  expect(page).toContain('no new one since');
});

it('what is still asked for was not until a day what a new part replaced', async () => {
  const { facts, changed } = await factsOf('joined', { payTo: bob, amount: '20000' });
  expect(facts[0]).toBe(`Payee \`${bob}\`, amount 0.02 USDC (20000): new since ${day(10)} (4 checks).`);
  expect(changed).toBeUndefined();
});
