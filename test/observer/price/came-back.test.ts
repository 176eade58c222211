import { expect, it } from 'vitest';
import { callTool } from '../../support/directory.ts';
import { handleAt, openObserved } from '../../support/endpoints/observed.ts';
import { startFetchServer, startShop } from '../../support/endpoints/paid-endpoint.ts';
import { alice, mallory, offerOf, usdc } from '../../support/offers.ts';

const usual = offerOf();
const asked: Record<string, readonly object[]> = { back: [usual], stopped: [usual], chains: [usual] };
let isDown = false;
const { directory } = await openObserved(
  {
    ...Object.fromEntries(
      Object.keys(asked).map((name) => [name, startShop(() => [...(asked[name] ?? [])])]),
    ),
    down: startFetchServer(() =>
      isDown
        ? new Response('', { status: 503 })
        : Response.json({ x402Version: 2, error: 'pay', accepts: [usual] }, { status: 402 }),
    ),
  },
  { LIMITS: 'off' },
);
const today = () => directory.context.clock().toISOString().slice(0, 10);
const check = async (name: string, offers: readonly object[], days = 1) => {
  directory.wait(days * 86_400);
  asked[name] = offers;
  await directory.observe(handleAt(name));
  return today();
};

interface Answer {
  readonly offers: readonly (Readonly<Record<string, unknown>> & { readonly facts: readonly string[] })[];
}
const compare = async (name: string, offer: object, sent: object = { x402Version: 2, accepts: [offer] }) => {
  const { offers } = await callTool<Answer>(directory, 'check_offer', {
    handle: handleAt(name),
    offer: sent,
  });
  return offers[0];
};

it('what an earlier quote had is never new, whichever part of the offer it is, and has the days of both times', async () => {
  const first = await check('back', [usual]);
  await check('back', [usual]);
  const last = await check('back', [usual]);
  const sepolia = { network: 'base-sepolia', asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' };
  const other = offerOf({ ...sepolia, payTo: mallory, amount: '70000', scheme: 'upto' });
  const between = await check('back', [other]);
  const again = await check('back', [usual], 2);
  await check('back', [usual]);
  const seen = await compare('back', usual);
  expect(seen).toMatchObject({ payee: 'again', asset: 'again', network: 'again', scheme: 'again' });
  const both = `again since ${again} (2 checks), seen before from ${first} to ${last} (3 checks)`;
  expect(seen?.facts).toContain(`Payee \`${alice}\`: ${both}; until ${between} it was \`${mallory}\`.`);
  expect(seen?.facts).toContain(`Scheme \`exact\`: ${both}; until ${between} it was \`upto\`.`);
  expect(seen?.facts.join(' ')).not.toMatch(/\bnew\b/);
  expect(seen?.changed).toMatchObject({ payee: { since: again, checks: 2, before: { until: between } } });
  // The other payee was seen for one day only, and is told from one that no quote had.
  expect(await compare('back', other)).toMatchObject({ payee: 'seen_until' });
  for (const _ of [1, 2]) await check('back', [other]);
  expect(await compare('back', other)).toMatchObject({ payee: 'again', scheme: 'again' });
  await check('back', [other], 7);
  expect(await compare('back', other)).toMatchObject({ payee: 'as_seen' });
});

it('a price that was lowered and raised again is the earlier one again', async () => {
  const first = await check('back', [offerOf({ payTo: mallory })]);
  const until = await check('back', [offerOf({ payTo: mallory, amount: '5000' })]);
  const again = await check('back', [offerOf({ payTo: mallory })]);
  const seen = await compare('back', offerOf({ payTo: mallory }));
  expect(seen).toMatchObject({ payee: 'as_seen', amount: 'again' });
  expect(seen?.facts.find((fact) => fact.startsWith('Amount'))).toContain(
    `again since ${again} (1 check), seen before on ${first} (1 check); until ${until} it was 0.005 USDC`,
  );
});

it('what is quoted again after a time without a quote is no value of one check', async () => {
  const first = await check('stopped', [usual]);
  const last = await check('stopped', [usual]);
  await check('stopped', []);
  await check('stopped', []);
  const again = await check('stopped', [usual]);
  const seen = await compare('stopped', usual);
  expect(seen).toMatchObject({ payee: 'again', amount: 'again', asset: 'again' });
  expect(seen?.facts[0]).toBe(
    `Payee \`${alice}\`, amount 0.01 USDC (10000), asset USDC (\`${usdc.toLowerCase()}\`), network Base (\`eip155:8453\`), scheme \`exact\`: again since ${again} (1 check), seen before from ${first} to ${last} (2 checks).`,
  );
});

it('what a silent endpoint asked for is told as it last answered', async () => {
  await check('down', []);
  isDown = true;
  for (const _ of [1, 2, 3]) await check('down', []);
  const { lines } = await callTool<{ lines: { asks: string } }>(directory, 'get_agent', {
    handle: handleAt('down'),
  });
  expect(lines.asks).toMatch(/^Asked for a payment, not for credentials, not seen by checks since/);
});

it('reads networks, assets and amounts as people name them, and says what is quoted no more until when', async () => {
  const polygon = { network: 'eip155:137', asset: '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359' };
  const first = await check('chains', [usual, offerOf({ ...polygon, amount: '15000' })]);
  const until = await check('chains', [usual, offerOf({ ...polygon, amount: '15000' })]);
  const now = await check('chains', [usual]);
  const ask = async (offer: object) => {
    const { facts = [], ...states } = (await compare('chains', offer, offer)) ?? {};
    return { ...states, facts };
  };
  const gone = `seen until ${until}; no amount in this unit since, but 0.01 USDC (10000) on Base`;
  for (const network of [
    'Polygon',
    'polygon mainnet',
    'Polygon PoS',
    'eip155:137',
    'EIP155:137',
    '137',
    137,
  ]) {
    const { facts, ...states } = await ask({ network, asset: 'usdc', amount: '15000', payTo: alice });
    expect(states).toMatchObject({ network: 'seen_until', asset: 'not_known', amount: 'not_known' });
    expect(facts).toContain(
      `Asset \`usdc\`: not known: \`usdc\` is a name, and Dossier does not know which asset has it; the symbol of the asset \`${polygon.asset}\`, quoted until ${until}, is like it.`,
    );
    expect(facts.join('\n')).toContain(
      `not known: \`usdc\` is a name; in \`${polygon.asset}\`, whose symbol is like it: ${gone}; quoted: 0.01 USDC (10000) on Base`,
    );
    expect(facts).toContain(
      `Network Polygon (\`eip155:137\`): other: Base (\`eip155:8453\`) since ${first}; this one was seen until ${until}.`,
    );
  }
  for (const [network, named] of [
    ['arbitrum', 'Arbitrum (`eip155:42161`)'],
    ['Arbitrum One', 'Arbitrum (`eip155:42161`)'],
    ['optimism', 'Optimism (`eip155:10`)'],
    ['10', 'Optimism (`eip155:10`)'],
    ['31337', '`eip155:31337`'],
  ]) {
    const { facts } = await ask({ network, asset: 'usdc', amount: '15000', payTo: alice });
    expect(facts.join('\n')).toContain(
      `Network ${named}: never seen here; other: Base (\`eip155:8453\`) since ${first}`,
    );
  }
  const known = await ask({ ...polygon, amount: 15000, payTo: alice });
  expect(known).toMatchObject({ amount: 'seen_until', asset: 'seen_until' });
  expect(known.facts.join('\n')).toContain(`mount 0.015 USDC (15000): ${gone}.`);
  for (const amount of ['0.01 USDC', '$0.01', 0.01]) {
    const { facts } = await ask({ network: 'Base mainnet', asset: 'USDC', amount });
    expect(facts.join('\n')).toContain(
      'it is no whole number of the smallest unit; quoted: 0.01 USDC (10000); if the number is meant in USDC, it is the same.',
    );
    expect(facts.join('\n')).toContain('etwork Base (`eip155:8453`): as seen since');
  }
  for (const _ of [1, 2]) await check('chains', []);
  const { facts } = await ask({ amount: '$0.02', asset: 'usdc', network: 'base' });
  expect(facts.join('\n')).toContain(`; quoted until ${now}: 0.01 USDC (10000); if the number is meant`);
});
