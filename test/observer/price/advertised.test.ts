import { expect, it } from 'vitest';
import { startEndpoint, startModernServer } from '../../support/endpoints/mcp-endpoint.ts';
import { openObserved } from '../../support/endpoints/observed.ts';
import { startPricedServer } from '../../support/endpoints/paid-endpoint.ts';

/** A server without MCP whose /openapi.json has one operation with this payment. */
const startDocumented = (payment: unknown) =>
  startEndpoint((_, { url }, response) => {
    if (url !== '/openapi.json') return void response.writeHead(404).end();
    const paths = { '/a': { get: { 'x-payment-info': payment } } };
    response.writeHead(200).end(JSON.stringify({ openapi: '3.1.0', paths }));
  });

const observed = await openObserved({
  priced: await startPricedServer({
    search: { 'agents-x402/paymentRequired': true, 'agents-x402/priceUSD': 0.01 },
    summarise: { 'agents-x402/priceUSD': 'dynamic' },
    translate: { 'agents-x402/priceUSD': 'two dollars' },
    help: {},
  }),
  methods: await startPricedServer({ help: {} }, []),
  free: await startModernServer(() => [{ name: 'look_up', description: 'Looks up' }]),
  locked: await startEndpoint((_, __, response) => void response.writeHead(401).end()),
  dynamic: await startDocumented({ amount: null, currency: 'usd', intent: 'charge', method: 'stripe' }),
  listed: await startDocumented([{ amount: '10', currency: 'usd' }]),
  odd: await startDocumented({ offers: [{ amount: '1e9' }, { amount: -1 }, 'x'] }),
});

const tempo = {
  amount: '10000',
  asset: '0x20c000000000000000000000b9537d11c60e8b50',
  network: 'tempo',
  scheme: 'charge',
};

const see = async (name: string, place: string) => (await observed.look(name, 'price.offers', place))[0];

it('shows which tools state a price, and what each states', async () => {
  expect(await see('priced', 'tools/list')).toMatchObject({
    outcome: 'seen',
    value: {
      place: 'tools',
      count: 3,
      priced: 2,
      unreadable: 1,
      offers: [
        { for: 'search', amount: '0.01', asset: 'dollars' },
        { for: 'summarise', amount: 'dynamic', asset: 'dollars' },
        { for: 'translate', unreadable: expect.stringMatching(/^[\da-f]{64}$/) },
      ],
    },
  });
});

it('shows the payment methods among the capabilities', async () => {
  expect(await see('priced', 'capabilities')).toMatchObject({
    outcome: 'seen',
    value: {
      priced: 0,
      offers: [
        { network: 'tempo', scheme: 'charge' },
        { network: 'tempo', scheme: 'session' },
      ],
    },
  });
});

it('shows the prices of an OpenAPI document that mppx wrote, with its address as the source', async () => {
  expect(await see('priced', 'openapi.json')).toMatchObject({
    subject: 'https://priced.example.com in openapi.json',
    source_url: 'https://priced.example.com/openapi.json',
    outcome: 'seen',
    value: { offers: [{ for: 'GET /read' }, { for: 'POST /search', ...tempo }] },
  });
  expect(await see('dynamic', 'openapi.json')).toMatchObject({
    outcome: 'seen',
    value: {
      offers: [{ for: 'GET /a', amount: 'dynamic', asset: 'usd', network: 'stripe', scheme: 'charge' }],
    },
  });
});

it('each source says for itself what it does not show', async () => {
  const states = async (name: string) => [
    (await see(name, 'tools/list'))?.outcome,
    (await see(name, 'capabilities'))?.outcome,
    (await see(name, 'openapi.json'))?.outcome,
  ];
  expect(await states('free')).toEqual(['nothing', 'nothing', 'absent']);
  expect(await states('locked')).toEqual([undefined, undefined, 'asks']);
  expect(await states('odd')).toEqual([undefined, undefined, 'seen']);
});

it('says of payments in an unknown form that they are stated', async () => {
  const ofList = { count: 1, priced: 0, unreadable: 1, offers: [{ for: 'GET /a' }] };
  expect(await see('listed', 'openapi.json')).toMatchObject({ outcome: 'seen', value: ofList });
  const ofThree = { count: 3, priced: 0, unreadable: 3 };
  expect(await see('odd', 'openapi.json')).toMatchObject({ outcome: 'seen', value: ofThree });
});
