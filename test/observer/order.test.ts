import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEndpoint } from '../support/endpoints/mcp-endpoint.ts';
import { handleAt, type ObservedDirectory, openObserved } from '../support/endpoints/observed.ts';

let isReversed = false;
let price = 0.01;
/** What stands at the end of long lists, behind what is shown of them. */
let last = { server: 'd', amount: '5', offer: '6' };
let observed: ObservedDirectory;

const inOrder = <T>(...list: readonly T[]): readonly T[] => (isReversed ? list.toReversed() : list);
const objectOf = (...members: readonly [string, unknown][]) => Object.fromEntries(inOrder(...members));

/** What a server sends, every list and object of it in the one or the other order. */
const said = () => {
  const offersOf = (...amounts: readonly string[]) =>
    inOrder(...amounts.map((amount) => ({ amount, currency: 'usd', method: 'stripe' })));
  const pricedAt = (...amounts: readonly string[]) => ({
    'x-payment-info': { offers: offersOf(...amounts) },
  });
  const paths = Array.from({ length: 25 }, (_, n): [string, object] => [
    `/path${n}`,
    { get: pricedAt('1', '2', '3', '4', '5', n === 0 ? last.offer : '7') },
  ]);
  const methods = objectOf(
    ['tempo', { intents: inOrder('charge', 'session') }],
    ['stripe', { intents: inOrder('charge') }],
  );
  const tool = (name: string, priceUSD: number) => ({
    name,
    inputSchema: { type: 'object' },
    _meta: { 'agents-x402/priceUSD': priceUSD },
  });
  return {
    '/openapi.json': { openapi: '3.1.0', paths: objectOf(...paths, ['/z', { post: pricedAt(last.amount) }]) },
    '/.well-known/oauth-protected-resource/mcp': {
      resource: 'https://moving.example.com/mcp',
      authorization_servers: inOrder('a', 'b', 'c', last.server).map((name) => `https://${name}.example.com`),
      scopes_supported: inOrder('read', 'write'),
    },
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, experimental: { payment: { methods } } },
      serverInfo: { name: 'moving', version: '1.0.0' },
    },
    'tools/list': { tools: inOrder(tool('buy', price), tool('sell', 0.02), tool('look', 0.03)) },
  } as Readonly<Record<string, object>>;
};

beforeAll(async () => {
  const moving = await startEndpoint((body, { method, url = '' }, response) => {
    const asked = method === 'POST' ? (JSON.parse(body) as { id?: number; method: string }) : undefined;
    const found = said()[asked?.method ?? url];
    if (!asked) return void response.writeHead(found ? 200 : 404).end(JSON.stringify(found));
    if (asked.id === undefined) return void response.writeHead(202).end();
    const error = { code: -32601, message: 'Method not found' };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...(found ? { result: found } : { error }) }),
    );
  });
  observed = await openObserved({ moving });
});
afterAll(() => observed.close());

/** Checks the server a day later; the kinds of fact that changed. */
async function look() {
  const kinds = ['price.offers', 'auth.oauth', 'tools.surface'];
  const { directory } = observed;
  directory.wait(86_400);
  const { observations, changes } = await directory.observe(handleAt('moving'));
  const known = observations.filter(({ outcome }) => outcome === 'seen').map(({ kind }) => kind);
  expect(known).toEqual(expect.arrayContaining(kinds));
  const [newest] = await directory.store.observations.history(handleAt('moving'), { limit: 1 });
  return changes === 0 ? [] : newest?.changes.map(({ kind }) => kind);
}

it('takes the same lists in another order for no change of any fact', async () => {
  await look();
  isReversed = true;
  expect(await look()).toEqual([]);
  price = 0.05;
  expect(await look()).toEqual(['price.offers']);
});

it.each([
  ['the fourth authorization server', { server: 'e' }, 'auth.oauth'],
  ['the price of the last of many operations', { amount: '500' }, 'price.offers'],
  ['the sixth offer of an operation', { offer: '600' }, 'price.offers'],
])('%s is compared, although it is not shown', async (_, changed, kind) => {
  last = { ...last, ...changed };
  expect(await look()).toEqual([kind]);
});
