import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Documents, startDocumented } from '../../support/endpoints/documented.ts';
import { type Endpoint, startEndpoint, startModernServer } from '../../support/endpoints/mcp-endpoint.ts';
import { handleAt, type ObservedDirectory, openObserved } from '../../support/endpoints/observed.ts';
import { startFetchServer } from '../../support/endpoints/paid-endpoint.ts';
import { connect } from '../../support/mcp-clients.ts';

const asset = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const network = 'eip155:8453';
const payTo = '0x1111111111111111111111111111111111111111';
const otherPayee = '0x2222222222222222222222222222222222222222';

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
let observed: ObservedDirectory;
let hosts: Record<string, Endpoint>;

beforeAll(async () => {
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
  documents.wide = {
    '/.well-known/x402': {
      resources: Array.from({ length: 45 }, (_, n) => ({
        url: '/mcp',
        tool: `tool${n}`,
        accepts: cent.map((one) => ({ ...one, payTo: n === 44 ? otherPayee : payTo })),
      })),
    },
  };
  documents.older = {
    '/.well-known/x402': {
      resources: [
        {
          endpoint: '/mcp',
          scheme: 'exact',
          network: 'base',
          maxAmountRequired: '10000',
          asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
          payTo,
        },
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
  const names = ['bare', 'whole', 'older', 'elsewhere', 'page', 'hostile', 'wide', 'none'];
  const started = await Promise.all(
    names.map(
      async (name) => [name, await startDocumented(['find', 'send'], () => documents[name] ?? {})] as const,
    ),
  );
  hosts = Object.fromEntries(started);
  hosts.silent = await startEndpoint((_, { url }, response) => {
    if (url === '/.well-known/x402') return void response.destroy();
    response.writeHead(404).end();
  });
  const many = Array.from({ length: 2_001 }, (_, n) => ({ name: `tool${n}`, description: 'One of many' }));
  hosts.many = await startModernServer(() => many);
  observed = await openObserved(hosts);
});
afterAll(() => observed.close());

const see = async (name: string, place = '.well-known/x402') =>
  (await observed.look(name, 'price.offers', place))[0];
const textOf = async (name: string) =>
  (await observed.directory.app.request(`/agents/${handleAt(name)}.md`)).text();
const findingsOf = async (name: string) => {
  const answer = await observed.directory.app.request('/api/tools/compare_agents', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      handles: [handleAt(name), handleAt('none')],
      criteria: [{ criterion: 'price_known' }, { criterion: 'no_payment_seen' }],
    }),
  });
  const { same_for_all, listings } = (await answer.json()) as {
    same_for_all?: { observed: object[] };
    listings: { observed: object[] }[];
  };
  return [...(same_for_all?.observed ?? []), ...(listings[0]?.observed ?? [])];
};

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

it('a price there is known; one that is only named is none, and the endpoint is not free', async () => {
  await see('whole');
  await see('bare');
  expect(await findingsOf('whole')).toEqual([
    expect.stringMatching(
      /^price_known: met. The x402 document of the endpoint’s host states prices. Quoted: `find` 0.01 USDC/,
    ),
    expect.stringMatching(
      /^no_payment_seen: not_met. The x402 document of the endpoint’s host states prices./,
    ),
  ]);
  expect(await findingsOf('bare')).toEqual([
    expect.stringMatching(/^price_known: not_met/),
    expect.stringMatching(
      /^no_payment_seen: not_met. The x402 document of the endpoint’s host names the endpoint among the resources that are paid for./,
    ),
  ]);
});

it('a search for what asks for no payment finds neither what is only named as paid, nor what lists tools that were not read', async () => {
  await see('bare');
  await see('none');
  expect(await see('many', 'quote')).toMatchObject({ value: null, outcome: 'otherwise' });
  const client = await connect('v2', { app: observed.directory.app });
  const found = await client.call('search_agents', { no_payment_seen: true });
  await client.close();
  const { listings } = found.structuredContent as { listings: { handle: string }[] };
  const handles = listings.map(({ handle }) => handle);
  expect(handles).toContain(handleAt('none'));
  expect(handles).not.toContain(handleAt('bare'));
  expect(handles).not.toContain(handleAt('many'));
});

it('reads all resources, and names the first tools, whatever they are called', async () => {
  const named = await see('hostile');
  const { tools } = (named?.value ?? {}) as { tools?: string[] };
  expect(tools).toHaveLength(20);
  expect(tools).toContain('__proto__');
  expect(named?.value).toMatchObject({ count: 10_003, priced: 3, tools_count: 10_003 });
});

it('a tool whose price another check finds raised stands out with both prices', async () => {
  await see('whole');
  const before = documents.whole;
  const document = JSON.stringify(before)
    .replace('"amount":"1000000"', '"amount":"2000000"')
    .replace('"tool":"gone"', '"tool":"new"');
  documents.whole = JSON.parse(document) as Documents;
  observed.directory.wait(86_400);
  await see('whole');
  expect(await textOf('whole')).toContain(
    'In its x402 document: `send`: Price raised from 1 USDC to 2 USDC on Base; a new price for `new`; no longer a price for `gone` (between ',
  );
  documents.whole = before ?? {};
});

it('check_offer has the price and the payee of the tool that is paid for, of however many', async () => {
  await see('wide');
  const check = async (tool: string, payee: string) => {
    const answer = await observed.directory.app.request('/api/tools/check_offer', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        handle: handleAt('wide'),
        offer: {
          x402Version: 2,
          resource: { url: `mcp://tool/${tool}` },
          accepts: [
            { scheme: 'exact', network, asset, amount: '20000', payTo: payee, maxTimeoutSeconds: 60 },
          ],
        },
      }),
    });
    return answer.text();
  };
  const listed = 'lists 0.01 USDC on Base for `tool44`';
  const rest = 'amount higher; asset, network, scheme as listed.';
  expect(await check('tool44', otherPayee)).toContain(
    `${listed}. This offer compared with it: payee, asset, network, scheme as listed; amount higher.`,
  );
  expect(await check('tool44', payTo)).toContain(
    `${listed}, paid to \`${otherPayee}\`. This offer compared with it: payee other; ${rest}`,
  );
});

it('asks for the second address only where the first one has none, and not of a host that gave no answer', () => {
  const asked = (name: string) =>
    new Set(hosts[name]?.sent.map(({ path }) => path).filter((path) => path.startsWith('/.well-known/x402')));
  expect([...asked('bare')]).toEqual(['/.well-known/x402']);
  expect([...asked('whole')]).toEqual(['/.well-known/x402', '/.well-known/x402.json']);
  expect([...asked('silent')]).toEqual(['/.well-known/x402']);
});
