import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEndpoint } from '../../support/endpoints/mcp-endpoint.ts';
import { handleAt, type ObservedDirectory, openObserved } from '../../support/endpoints/observed.ts';
import { type Asked, startX402Server } from '../../support/endpoints/paid-endpoint.ts';
import { connect } from '../../support/mcp-clients.ts';
import { changesOfNextCheck } from '../../support/next-check.ts';
import { expectSameFacts } from '../../support/same-facts.ts';

const alice = '0x1111111111111111111111111111111111111111';
const mallory = '0x2222222222222222222222222222222222222222';
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const quote = (amount: string) => ({
  offers: [{ amount, asset: usdc.toLowerCase(), network: 'eip155:8453', scheme: 'exact' }],
});
const start_ms = Date.now();
const inDays = (days: number) => new Date(start_ms + days * 86_400_000).toISOString().slice(0, 10);
const today = () => inDays(0);

let asked: Asked = { dollars: '$0.01', payTo: alice };
let observed: ObservedDirectory;

/** What the second of two offers asks for, in an asset that nobody knows. */
let second = '500';
const startTwoOffers = () =>
  startEndpoint((_body, { method }, response) => {
    const offer = (asset: string, maxAmountRequired: string) => ({
      scheme: 'exact',
      network: 'base',
      payTo: alice,
      resource: 'https://two.example.com/mcp',
      asset,
      maxAmountRequired,
      description: '',
      mimeType: '',
      maxTimeoutSeconds: 60,
    });
    const accepts = [offer(usdc, '10000'), offer(mallory, second)];
    if (method !== 'POST') return void response.writeHead(404).end();
    response.writeHead(402, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ x402Version: 1, error: 'pay', accepts }));
  });

beforeAll(async () => {
  observed = await openObserved({
    shop: await startX402Server(() => asked),
    two: await startTwoOffers(),
  });
});
afterAll(() => observed.close());

const look = async () => (await observed.look('shop', 'price.offers', 'quote'))[0];
const paidTo = (address: string) => ({ payees: [{ address, network: 'eip155:8453' }] });

it('a first look changes nothing that was known', async () => {
  const paid = await look();
  expect(paid).toMatchObject({ value: paidTo(alice), outcome: 'seen' });
  expect(paid?.changed_from).toBeUndefined();
});

it('a server that quadruples its price keeps the date of its address', async () => {
  asked = { dollars: '$0.04', payTo: alice };
  observed.directory.wait(86_400);
  expect(await look()).toMatchObject({
    value: quote('40000'),
    changed_from: { value: quote('10000'), outcome: 'seen' },
    reason: `The prices or payees are different. This was first seen on ${inDays(1)}, and the earlier state was last seen on ${today()}.`,
  });
  const page = await observed.directory.app.request(`/agents/${handleAt('shop')}.md`);
  expect(await page.text()).toContain(`this price since ${inDays(1)} and this payee since ${today()}`);
});

it('a server that wants to be paid elsewhere says so, since when, and where before', async () => {
  asked = { dollars: '$0.04', payTo: mallory };
  observed.directory.wait(86_400);
  const paid = await look();
  expect(paid).toMatchObject({
    value: paidTo(mallory),
    changed_from: { value: paidTo(alice), outcome: 'seen', difference: { counts: { payee_changed: 1 } } },
    reason: `The prices or payees are different. This was first seen on ${inDays(2)}, and the earlier state was last seen on ${inDays(1)}.`,
  });
});

it('a later look at the same keeps what it changed from', async () => {
  observed.directory.wait(86_400);
  expect(await look()).toMatchObject({ value: paidTo(mallory), changed_from: { value: paidTo(alice) } });
});

it('a history of a change of the payee alone says whom it names instead, and that nothing else changed', async () => {
  const client = await connect('v1', { app: observed.directory.app });
  const history = async (args: object) => {
    const { content, structuredContent } = await client.call('get_history', {
      handle: handleAt('shop'),
      ...args,
    });
    expectSameFacts(content[0]?.text ?? '', { ...structuredContent });
    return structuredContent as unknown as { unchanged?: string; changes: string[] };
  };
  const since = await history({ since: inDays(2) });
  expect(since.changes[0]).toContain('Prices and payees');
  expect(since.unchanged).toBe(
    `Unchanged from ${inDays(2)} to ${inDays(3)}, in each check that saw the fact: whether it asks for credentials first: no.`,
  );
  expect((await history({ since: inDays(2), kind: 'price' })).unchanged).toBe(
    `Unchanged from ${inDays(2)} to ${inDays(3)}, in each check that saw the fact: prices and payees: 0.04 USDC on Base (paid to \`${mallory}\`).`,
  );
  const page = await observed.directory.app.request(`/agents/${handleAt('shop')}/history?since=${inDays(2)}`);
  expect((await page.text()).replaceAll(/<[^>]+>/g, '')).toContain(since.unchanged);
  const json = await observed.directory.app.request(
    `/agents/${handleAt('shop')}/history.json?since=${inDays(2)}`,
  );
  expect(await json.json()).toMatchObject({ unchanged: since.unchanged });
  for (const none of [{ since: inDays(3) }, { since: inDays(2), kind: 'record' }])
    expect((await history(none)).unchanged).toBeUndefined();
  await client.close();
});

it('the history has amount, asset, network, address and scheme of each change', async () => {
  const { store } = observed.directory;
  const history = await store.observations.history(handleAt('shop'), { limit: 10 });
  const changes = history.flatMap(({ at, changes: all }) =>
    all
      .filter(({ kind, subject }) => kind === 'price.offers' && !subject?.includes(' in '))
      .map((change) => ({ at: at.slice(0, 10), change })),
  );
  const offer = { scheme: 'exact', network: 'eip155:8453', asset: usdc.toLowerCase() };
  expect(changes).toMatchObject([
    { at: inDays(2), change: { counts: { payee_changed: 1 } } },
    {
      at: inDays(1),
      change: {
        before: { value: { offers: [{ ...offer, amount: '10000', pays: [{ address: alice }] }] } },
        after: { value: { offers: [{ ...offer, amount: '40000', pays: [{ address: alice }] }] } },
        items: [{ class: 'raised_twofold', was: { amount: '10000' }, is: { amount: '40000' } }],
        counts: { raised_twofold: 1 },
      },
    },
    { at: today(), change: { after: { value: { offers: [{ ...offer, amount: '10000' }] } } } },
  ]);
  const record = await store.log.record(history[0]?.log_index ?? -1);
  expect(record?.record).toContain(mallory);
});

it('says what became of an offer behind the first one, which is the same', async () => {
  const title = 'Prices and payees';
  await observed.look('two', 'price.offers', 'quote');
  second = '700';
  expect(await changesOfNextCheck(observed.directory, handleAt('two'), title)).toEqual([
    expect.stringMatching(
      /^price raised from 500 of `?0x2{40}`? to 700 of `?0x2{40}`? on Base \(the other was last seen on [\d-]{10}\)$/,
    ),
  ]);
});

it('what is paid, and to whom, stands out whatever smaller change of it came later', async () => {
  asked = { dollars: '$0.041', payTo: mallory };
  observed.directory.wait(86_400);
  await look();
  const client = await connect('v1', { app: observed.directory.app });
  const { content } = await client.call('get_agent', { handle: handleAt('shop') });
  await client.close();
  const dates = String.raw`\(between [\d-]{10} and [\d-]{10}\)\.`;
  const other = '`?0x';
  expect(content[0]?.text).toMatch(
    new RegExp(
      `In the quoted price: payee changed from ${other}1{40}.* to ${other}2{40}.* on Base ${dates} Price raised from 0\\.04 USDC to 0\\.041 USDC on Base ${dates}`,
    ),
  );
});
