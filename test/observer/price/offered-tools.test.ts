import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { type Directory, openDirectory } from '../../support/directory.ts';
import { type Endpoint, startEndpoint } from '../../support/endpoints/mcp-endpoint.ts';
import { startFetchServer, startX402Server } from '../../support/endpoints/paid-endpoint.ts';
import { registryEntry } from '../../support/entries.ts';
import { type AnyClient, connect } from '../../support/mcp-clients.ts';
import { alice, askOf, mallory, unknownToken } from '../../support/offers.ts';

const network = 'eip155:8453';
const today = new Date().toISOString().slice(0, 10);
const remoteAt = (name: string) => ({ type: 'streamable-http', url: `https://${name}.example.com/mcp` });

type Requirements = Awaited<ReturnType<x402ResourceServer['buildPaymentRequirements']>>;
let servers: Record<string, Endpoint>;
let directory: Directory;
let client: AnyClient;
/** What the tool `search` asks for before it answers. */
let asked: Requirements;
/** Whether the endpoint `leaving` still asks for a payment. */
let isPaid = true;
/** Whether the endpoint `pair` has changed the places of its two payees. */
let isCrossed = false;

/** The requirements that the packages of x402 make of a price in dollars, on Base. */
async function createPricing() {
  const facilitator = await startFetchServer(() =>
    Response.json({ kinds: [{ x402Version: 2, scheme: 'exact', network }], extensions: [], signers: {} }),
  );
  const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitator.url }));
  server.register(network, new ExactEvmScheme());
  await server.initialize();
  await facilitator.close();
  const priced = (price: string, payTo = alice) =>
    server.buildPaymentRequirements({ scheme: 'exact', network, payTo, price });
  return { server, priced };
}

/**
 * A real MCP server that is free to ask, whose tool answers with payment required, as x402 over MCP has it.
 */
function startPaidTools({ server }: Awaited<ReturnType<typeof createPricing>>, stated: Requirements) {
  const handler = createMcpHandler(
    () => {
      const mcp = new McpServer({ name: 'paid-tools', version: '1.0.0' }, { capabilities: {} });
      mcp.registerTool('search', { description: 'Searches', inputSchema: z.object({}) }, async () => {
        const required = await server.createPaymentRequiredResponse(asked, { url: 'mcp://tool/search' });
        return {
          isError: true,
          structuredContent: { ...required },
          content: [{ type: 'text', text: JSON.stringify(required) }],
        };
      });
      return mcp;
    },
    { legacy: 'reject' },
  );
  const document = { x402Version: 2, resources: [{ resource: 'mcp://tool/search', accepts: stated }] };
  return startFetchServer((request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/.well-known/x402') return Response.json(document);
    return pathname === '/mcp' ? handler.fetch(request) : new Response('', { status: 404 });
  });
}

/** A Bazaar that lists one tool of one endpoint. */
const startBazaar = (tool: string, accepts: Requirements) =>
  startEndpoint((_, { url = '' }, response) => {
    const item = {
      resource: 'https://tools.example.com/mcp',
      type: 'mcp',
      x402Version: 2,
      accepts,
      extensions: declareDiscoveryExtension({ toolName: tool, inputSchema: { type: 'object' } }),
    };
    const items = url.includes('offset=0') ? [item] : [];
    response.end(JSON.stringify({ x402Version: 2, items, pagination: { limit: 100, offset: 0, total: 1 } }));
  });

beforeAll(async () => {
  const pricing = await createPricing();
  asked = await pricing.priced('$0.01');
  servers = {
    tools: await startPaidTools(pricing, await pricing.priced('$0.01')),
    bazaar: await startBazaar('search', await pricing.priced('$0.5', mallory)),
    first: await startX402Server(() => ({ dollars: '$0.02', payTo: alice })),
    second: await startX402Server(() => ({ dollars: '$0.03', payTo: mallory })),
    pair: await startEndpoint((_body, { method }, response) => {
      const [one] = asked.map(toVersion1);
      const [payTo, other] = isCrossed ? [mallory, alice] : [alice, mallory];
      const accepts = [
        { ...one, payTo },
        { ...one, asset: unknownToken, payTo: other },
      ];
      if (method !== 'POST') return void response.writeHead(404).end();
      response.writeHead(402, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ x402Version: 1, error: 'pay', accepts }));
    }),
    leaving: await startEndpoint((_body, { method }, response) => {
      const body = { x402Version: 1, error: 'pay', accepts: asked.map(toVersion1) };
      if (method !== 'POST') return void response.writeHead(404).end();
      if (!isPaid) return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      response.writeHead(402, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }),
  };
  const hosts = Object.entries(servers).map(([name, { url }]) => [`${name}.example.com`, url]);
  directory = await openDirectory({
    entries: [
      registryEntry('com.example.tools/a', { remotes: [remoteAt('tools')] }),
      registryEntry('com.example/two', { remotes: [remoteAt('first'), remoteAt('second')] }),
      registryEntry('com.example/pair', { remotes: [remoteAt('pair')] }),
      registryEntry('com.example/leaving', { remotes: [remoteAt('leaving')] }),
    ],
    environment: {
      HOST_OVERRIDES: JSON.stringify(Object.fromEntries(hosts)),
      PRICE_CATALOGS: 'https://bazaar.example.com',
    },
  });
  for (const name of ['.tools/a', '/two', '/leaving', '/pair', '/two', '/leaving', '/pair'])
    await directory.observe(`com.example${name}`);
  client = await connect('v2', { app: directory.app });
});
afterAll(async () => {
  await client.close();
  await directory.close();
  await Promise.all(Object.values(servers).map((server) => server.close()));
});

const toVersion1 = ({ amount, ...one }: Requirements[number]) => ({
  ...one,
  network: 'base',
  maxAmountRequired: amount,
  resource: 'https://leaving.example.com/mcp',
});

async function check(args: Record<string, unknown>) {
  const { structuredContent } = await client.call('check_offer', args);
  return structuredContent as unknown as {
    readonly handle: string;
    readonly message: string;
    readonly offers: readonly (Record<'payee' | 'amount' | 'asset' | 'network' | 'scheme', string> & {
      readonly price_lists: readonly object[];
      readonly facts: readonly string[];
    })[];
  };
}

/** What a buyer gets who calls the tool with an MCP client. */
async function callTool() {
  const buyer = new Client(
    { name: 'buyer', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await buyer.connect(new StreamableHTTPClientTransport(new URL(`${servers.tools?.url}/mcp`)));
  const result = await buyer.callTool({ name: 'search', arguments: {} });
  await buyer.close();
  return result;
}

it('a tool that asks for a payment: Dossier calls none, and says what a catalogue and the host list for this tool', async () => {
  const answer = await check({ handle: 'com.example.tools/a', offer: await callTool() });
  expect(answer.message).toMatch(/Dossier calls no tool, and a call may still cost something\.$/);
  const [offer] = answer.offers;
  expect(offer).toMatchObject({ payee: 'not_known', amount: 'not_known', asset: 'not_known' });
  // What price lists say comes first, because no quote says anything.
  expect(offer?.facts).toEqual([
    `\`tools.example.com/.well-known/x402\` (${today}) lists 0.01 USDC on Base for \`search\`. This offer compared with it: payee, amount, asset, network, scheme as listed.`,
    `\`bazaar.example.com\` (${today}) lists 0.5 USDC on Base for \`search\`, paid to \`${mallory}\`. This offer compared with it: payee other; amount lower; asset, network, scheme as listed.`,
    expect.stringMatching(
      /^Payee `0x1{40}`, amount 0\.01 USDC \(10000\), .*: not known from quotes: the endpoint quoted Dossier none\.$/,
    ),
    `3 other listings ask to be paid at this payee: \`com.example/leaving\` (seen ${today}), \`com.example/pair\` (seen ${today}) and \`com.example/two\` (seen ${today}).`,
  ]);
});

it('a tool’s offer that its host lists is told from one whose payee or amount was swapped, in the members of the JSON', async () => {
  const offer = JSON.stringify(await callTool());
  const listed = async (one: string) =>
    (await check({ handle: 'com.example.tools/a', offer: one })).offers[0]?.price_lists;
  const same = { amount: 'as_listed', asset: 'as_listed', network: 'as_listed', scheme: 'as_listed' };
  const host = { source: 'tools.example.com/.well-known/x402', observed_on: today, tool: 'search' };
  const catalogue = { ...host, source: 'bazaar.example.com' };
  expect(await listed(offer)).toEqual([
    { ...host, ...same, payee: 'as_listed' },
    { ...catalogue, ...same, payee: 'other', amount: 'lower' },
  ]);
  expect(await listed(offer.replaceAll(alice, unknownToken))).toEqual([
    { ...host, ...same, payee: 'other' },
    { ...catalogue, ...same, payee: 'other', amount: 'lower' },
  ]);
  expect(await listed(offer.replaceAll('10000', '600000'))).toEqual([
    { ...host, ...same, payee: 'as_listed', amount: 'higher' },
    { ...catalogue, ...same, payee: 'other', amount: 'higher' },
  ]);
  expect(await listed(offer.replaceAll('"exact', '"upto'))).toContainEqual({
    ...host,
    ...same,
    payee: 'as_listed',
    amount: 'not_known',
    scheme: 'other',
  });
  const elsewhere = { asset: 'other', network: 'other', payee: 'as_listed', amount: 'not_known' };
  expect(await listed(offer.replaceAll('eip155:8453', 'eip155:84532'))).toContainEqual({
    ...host,
    ...same,
    ...elsewhere,
  });
});

it('an offer for a tool that no price list names is said to be that', async () => {
  const offer = JSON.stringify(await callTool());
  const { offers } = await check({
    handle: 'com.example.tools/a',
    offer: offer.replaceAll('mcp://tool/search', 'mcp://tool/other'),
  });
  const none = { payee: 'not_known', amount: 'not_known', asset: 'not_known', network: 'not_known' };
  expect(offers[0]?.price_lists).toContainEqual({
    source: 'tools.example.com/.well-known/x402',
    observed_on: today,
    ...none,
    scheme: 'not_known',
  });
  expect(offers[0]?.facts.join('\n')).toContain(
    `\`tools.example.com/.well-known/x402\` (${today}) lists no price for \`other\`, which the request for the payment names, and 1 for others.`,
  );
});

it('of two endpoints, an offer is compared with the one that it names', async () => {
  const { first, second } = servers;
  if (!first || !second) throw new Error('not started');
  const { header } = await askOf(second, 'second.example.com');
  const { message, offers } = await check({ offer: header });
  expect(message).toBe(
    `The listing was found by the address that the offer itself names. A price was last quoted to Dossier at \`https://second.example.com/mcp\` on ${today}.`,
  );
  expect(offers[0]).toMatchObject({ payee: 'as_seen', amount: 'as_seen' });
  const swapped = await check({
    offer: {
      ...(await askOf(first, 'first.example.com')).required?.accepts[0],
      payTo: mallory,
      url: 'https://first.example.com/mcp',
    },
  });
  expect(swapped.offers[0]).toMatchObject({ payee: 'never_seen', amount: 'as_seen' });
});

it('an endpoint that asks for a payment no more: what it asked for, until when, and what it does now', async () => {
  const offer = { accepts: asked.map(toVersion1) };
  expect((await check({ offer })).offers[0]).toMatchObject({ payee: 'as_seen', amount: 'as_seen' });
  isPaid = false;
  directory.wait(2 * 86_400);
  await directory.observe('com.example/leaving');
  const later = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
  const { message, offers } = await check({ offer });
  expect(message).toContain(`on ${today}. On ${later}: `);
  expect(offers[0]).toMatchObject({ payee: 'seen_until', amount: 'seen_until', asset: 'seen_until' });
  expect(offers[0]?.facts.join('\n')).toContain(`seen until ${today}`);
});

it('of two offers of one endpoint, each payee is compared with that of the same offer', async () => {
  const [one] = asked.map(toVersion1);
  const stateOf = async (offer: object) =>
    (await check({ handle: 'com.example/pair', offer: [{ ...one, ...offer }] })).offers[0];
  expect(await stateOf({})).toMatchObject({ payee: 'as_seen' });
  expect(await stateOf({ asset: unknownToken, payTo: mallory })).toMatchObject({ payee: 'as_seen' });
  const crossed = await stateOf({ payTo: mallory });
  expect(crossed).toMatchObject({ payee: 'never_seen', amount: 'as_seen', asset: 'as_seen' });
  expect(crossed?.facts[0]).toBe(
    `Payee \`${mallory}\`: not in the last quote for this amount, asset, network and scheme; other: \`${alice}\`; for other offers as seen since ${today} (2 checks).`,
  );
  isCrossed = true;
  directory.wait(86_400);
  await directory.observe('com.example/pair');
  expect((await stateOf({ payTo: mallory }))?.facts[0]).toMatch(
    /^Payee `0x2{40}`: new since [\d-]{10} \(1 check\); until [\d-]{10} it was `0x1{40}`\.$/,
  );
  const before = await stateOf({});
  expect(before).toMatchObject({ payee: 'seen_until' });
  expect(before?.facts[0]).toBe(
    `Payee \`${alice}\`: seen until ${today} for this amount, asset, network and scheme; other: \`${mallory}\`; for other offers as seen since ${today} (3 checks).`,
  );
});
