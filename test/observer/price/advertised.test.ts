import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEndpoint, startModernServer } from '../../support/endpoints/mcp-endpoint.ts';
import { handleAt, type ObservedDirectory, openObserved } from '../../support/endpoints/observed.ts';
import { startPricedServer } from '../../support/endpoints/paid-endpoint.ts';

let observed: ObservedDirectory;

/** A server without MCP whose /openapi.json has one operation with this payment. */
const startDocumented = (payment: unknown) =>
  startEndpoint((_, { url }, response) => {
    if (url !== '/openapi.json') return void response.writeHead(404).end();
    const paths = { '/a': { get: { 'x-payment-info': payment } } };
    response.writeHead(200).end(JSON.stringify({ openapi: '3.1.0', paths }));
  });

beforeAll(async () => {
  observed = await openObserved({
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
});
afterAll(() => observed.close());

const tempo = {
  amount: '10000',
  currency: '0x20c000000000000000000000b9537d11c60e8b50',
  method: 'tempo',
  intent: 'charge',
};

const see = async (name: string, kind: string) => (await observed.look(name, kind))[0];

it('shows which tools state a price, and what each states', async () => {
  expect(await see('priced', 'price.tool')).toMatchObject({
    outcome: 'seen',
    value: {
      tools: 4,
      priced: [
        { name: 'search', payment_required: true, price_usd: 0.01 },
        { name: 'summarise', price_usd: 'dynamic' },
        { name: 'translate', price_usd: null },
      ],
    },
  });
});

it('shows the payment methods among the capabilities', async () => {
  expect(await see('priced', 'price.capability')).toMatchObject({
    outcome: 'seen',
    value: [{ method: 'tempo', intents: ['charge', 'session'] }],
  });
});

it('shows the prices of an OpenAPI document that mppx wrote, with its address as the source', async () => {
  expect(await see('priced', 'price.openapi')).toMatchObject({
    subject: 'https://priced.example.com',
    source_url: 'https://priced.example.com/openapi.json',
    outcome: 'seen',
    value: [{ operation: 'GET /read' }, { operation: 'POST /search', offers: [tempo] }],
    details: { operations: [{ operation: 'GET /read' }, { operation: 'POST /search' }] },
  });
  expect(await see('dynamic', 'price.openapi')).toMatchObject({
    outcome: 'seen',
    value: [
      {
        operation: 'GET /a',
        offers: [{ amount: null, currency: 'usd', method: 'stripe', intent: 'charge' }],
      },
    ],
  });
});

it('each source says for itself what it does not show', async () => {
  const states = async (name: string) => [
    (await see(name, 'price.tool'))?.outcome,
    (await see(name, 'price.capability'))?.outcome,
    (await see(name, 'price.openapi'))?.outcome,
  ];
  expect(await states('free')).toEqual(['nothing', 'nothing', 'absent']);
  expect(await states('locked')).toEqual(['asks', 'asks', 'asks']);
  expect(await states('odd')).toEqual(['absent', 'absent', 'nothing']);
});

it('says of payments in an unknown form that they are stated', async () => {
  const reason = 'The OpenAPI document states x-payment-info in a form that Dossier does not know.';
  expect(await see('listed', 'price.openapi')).toMatchObject({ outcome: 'nothing', reason });
  expect(await see('odd', 'price.openapi')).toMatchObject({ outcome: 'nothing', reason });
});

it('a price that was seen is no longer among what is not known; payment methods alone are no price', async () => {
  const priceOf = async (name: string) => {
    await observed.look(name, 'price.tool');
    const answer = await observed.directory.app.request(`/agents/${handleAt(name)}.json`);
    type Gaps = { question: string; kind: string; state?: string; outcome?: string }[];
    const { not_known, not_seen } = (await answer.json()) as { not_known: Gaps; not_seen: Gaps };
    return {
      not_known: not_known.filter(({ question }) => question === 'price').map(({ state }) => state),
      not_seen: not_seen.filter(({ kind }) => kind === 'price.challenge').map(({ outcome }) => outcome),
    };
  };
  expect((await priceOf('priced')).not_known).toEqual([]);
  expect(await priceOf('methods')).toEqual({ not_known: [], not_seen: ['nothing'] });
  expect(await priceOf('locked')).toEqual({ not_known: [], not_seen: ['asks'] });
});
