import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { expect, it } from 'vitest';
import { type Documents, startDocumented } from '../../support/endpoints/documented.ts';
import { startEndpoint } from '../../support/endpoints/mcp-endpoint.ts';
import { handleAt, openObserved } from '../../support/endpoints/observed.ts';
import { startFetchServer } from '../../support/endpoints/paid-endpoint.ts';
import { alice as payTo, usdc } from '../../support/offers.ts';

const asset = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const network = 'eip155:8453';

/** What the packages of x402 ask for at a price in dollars, on Base. */
async function startPricing() {
  const facilitator = await startFetchServer(() =>
    Response.json({ kinds: [{ x402Version: 2, scheme: 'exact', network }], extensions: [], signers: {} }),
  );
  const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitator.url }));
  server.register(network, new ExactEvmScheme());
  await server.initialize();
  const price = (dollars: string) =>
    server.buildPaymentRequirements({ scheme: 'exact', network, payTo, price: dollars });
  const accepts = { cent: await price('$0.01'), dollar: await price('$1') };
  await facilitator.close();
  return accepts;
}

const documents: Record<string, Documents> = {};

const { cent, dollar } = await startPricing();
const at = (name: string) => `https://${name}.example.com`;
documents.bare = {
  '/.well-known/x402': {
    version: 1,
    resources: [
      `${at('bare')}/mcp/`,
      `${at('bare')}/api`,
      'https://other.example.org/mcp',
      'mcp://tool/send',
      7,
      null,
    ],
    ownershipProofs: ['0x1'],
  },
};
documents.whole = {
  '/.well-known/x402.json': {
    x402Version: 2,
    items: [
      {
        resource: `${at('whole')}/mcp`,
        type: 'mcp',
        x402Version: 2,
        accepts: dollar,
        extensions: declareDiscoveryExtension({ toolName: 'send', inputSchema: { type: 'object' } }),
      },
      { resource: { url: 'mcp://tool/find' }, accepts: cent },
      { url: '/mcp', tool: 'gone', accepts: cent },
      { url: 'mcp://tool/of-another-endpoint', accepts: dollar },
      { url: 'https://other.example.org/mcp', accepts: dollar },
    ],
  },
};
documents.older = {
  '/.well-known/x402': {
    resources: [
      { endpoint: '/mcp', scheme: 'exact', network: 'base', maxAmountRequired: '10000', asset: usdc, payTo },
      `${at('older')}/mcp`,
    ],
  },
};
documents.elsewhere = { '/.well-known/x402': { resources: [`${at('elsewhere')}/api`, '/api/two'] } };
documents.page = { '/.well-known/x402': '<html>', '/.well-known/x402.json': { error: 'not found' } };
documents.hostile = {
  '/.well-known/x402': {
    resources: [
      ...['__proto__', 'constructor', 'zoom'].map((tool) => ({ url: '/mcp', tool, accepts: cent })),
      ...Array.from({ length: 10_000 }, (_, n) => ({ url: '/mcp', tool: `tool${n}` })),
    ],
    length: -1,
  },
};
const names = ['bare', 'whole', 'older', 'elsewhere', 'page', 'hostile', 'none'];
const observed = await openObserved({
  ...Object.fromEntries(
    names.map((name) => [name, startDocumented(['find', 'send'], () => documents[name] ?? {})]),
  ),
  silent: startEndpoint((_, { url }, response) => {
    if (url === '/.well-known/x402') return void response.destroy();
    response.writeHead(404).end();
  }),
});

const see = async (name: string, place = '.well-known/x402') =>
  (await observed.look(name, 'price.offers', place))[0];
const textOf = async (name: string) =>
  (await observed.directory.app.request(`/agents/${handleAt(name)}.md`)).text();

it('shows the prices that the document of a host states for an endpoint and its tools', async () => {
  expect(await see('whole')).toMatchObject({
    subject: 'https://whole.example.com/mcp in .well-known/x402',
    outcome: 'seen',
    value: {
      place: 'x402',
      offers: [
        { for: 'find', amount: '10000', asset, network, scheme: 'exact', pays: [{ address: payTo }] },
        { for: 'gone', amount: '10000', asset, network, scheme: 'exact' },
        { for: 'send', amount: '1000000', asset, network, scheme: 'exact' },
      ],
    },
    source_url: 'https://whole.example.com/.well-known/x402.json',
    as_seen: { unlisted: ['gone'] },
  });
  expect(await textOf('whole')).toContain(
    'Prices and payees: `find` 0.01 USDC on Base, `gone` 0.01 USDC on Base, `send` 1 USDC on Base, advertised (paid to `0x1111111111111111111111111111111111111111`); not among the tools that the endpoint lists: `gone`',
  );
  const body = JSON.stringify({
    handles: [handleAt('whole'), handleAt('older')],
    criteria: ['price_at_most:0.10 USDC'],
  });
  const headers = { 'content-type': 'application/json' };
  const asked = { method: 'POST', headers, body };
  const compared = await observed.directory.app.request('/api/tools/compare_agents', asked);
  expect(await compared.text()).toContain(
    '"reason":"no quote; advertised: 0.01 USDC on Base (2 more offers)"',
  );
});

it('reads version 1 of x402, and an address that stands there twice', async () => {
  expect(await see('older')).toMatchObject({
    value: {
      count: 1,
      offers: [{ amount: '10000', asset, network, scheme: 'exact', pays: [{ address: payTo }] }],
    },
  });
});

it('says that a host lists the endpoint and its tools without a price, as most do', async () => {
  expect(await see('bare')).toMatchObject({
    outcome: 'seen',
    value: { count: 2, priced: 0, offers: [{}, { for: 'send' }], payees: [] },
  });
  expect(await textOf('bare')).toContain(
    'Prices and payees: without a price: the endpoint itself and `send`',
  );
});

it('says that a document names other resources, and nothing where there is none', async () => {
  expect(await see('elsewhere')).toMatchObject({
    outcome: 'nothing',
    reason: '`https://elsewhere.example.com/.well-known/x402` names 2 resources, but not this endpoint.',
  });
  for (const name of ['page', 'none', 'silent']) expect(await see(name)).toBeUndefined();
});

it('reads all resources, and names the first tools, whatever they are called', async () => {
  const named = await see('hostile');
  const { tools } = (named?.value ?? {}) as { tools?: string[] };
  expect(tools).toHaveLength(20);
  expect(tools).toContain('__proto__');
  expect(named?.value).toMatchObject({ count: 10_003, priced: 3, tools_count: 10_003 });
});

it('asks for the second address only where the first one has none, and not of a host that gave no answer', () => {
  const asked = (name: string) =>
    new Set(
      observed.servers[name]?.sent
        .map(({ path }) => path)
        .filter((path) => path.startsWith('/.well-known/x402')),
    );
  expect([...asked('bare')]).toEqual(['/.well-known/x402']);
  expect([...asked('whole')]).toEqual(['/.well-known/x402', '/.well-known/x402.json']);
  expect([...asked('silent')]).toEqual(['/.well-known/x402']);
});
