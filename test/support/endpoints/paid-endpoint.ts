import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/hono';
import { Hono } from 'hono';
import { generate } from 'mppx/discovery';
import { Mppx, tempo } from 'mppx/server';
import { z } from 'zod';
import { type Endpoint, startEndpoint } from './mcp-endpoint.ts';

/** Answers with what a fetch handler returns. */
export const startFetchServer = (answer: (request: Request) => Response | Promise<Response>) =>
  startEndpoint(async (body, request, response) => {
    const asked = new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method ?? 'GET',
      headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      ...(body !== '' && { body }),
    });
    const answered = await answer(asked);
    response.writeHead(answered.status, [...answered.headers].flat());
    response.end(Buffer.from(await answered.arrayBuffer()));
  });

/**
 * What a server asks for: dollars, as the x402 packages take them, or an amount of another asset; and who is
 * paid.
 */
export interface Asked {
  readonly dollars:
    | string
    | { readonly asset: string; readonly amount: string; readonly extra: { name: string; version: string } };
  readonly payTo: string;
}

/**
 * A real x402 server (version 2) on Base at /mcp, with its facilitator on loopback; the price may change
 * between two looks.
 */
export async function startX402Server(asked: () => Asked): Promise<Endpoint> {
  const facilitator = await startFetchServer(({ url }) =>
    new URL(url).pathname === '/supported'
      ? Response.json({
          kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }],
          extensions: [],
          signers: {},
        })
      : new Response('', { status: 404 }),
  );
  const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitator.url }));
  server.register('eip155:8453', new ExactEvmScheme());
  const app = new Hono();
  const accepts = {
    scheme: 'exact',
    network: 'eip155:8453' as const,
    price: () => asked().dollars,
    payTo: () => asked().payTo,
  };
  app.use(paymentMiddleware({ 'POST /mcp': { accepts } }, server));
  app.post('/mcp', (c) => c.text('paid'));
  const endpoint = await startFetchServer((request) => app.fetch(request));
  return {
    ...endpoint,
    async close() {
      await endpoint.close();
      await facilitator.close();
    },
  };
}

const createMppx = (realm = 'mpp.example.com') =>
  Mppx.create({
    realm,
    secretKey: 'a secret of at least thirty-two bytes',
    methods: [
      tempo({
        currency: '0x20C000000000000000000000b9537d11c60E8b50',
        recipient: '0x742d35Cc6634c0532925a3b844bC9e7595F8fE00',
      }),
    ],
  });

/** A real server of the Machine Payments Protocol at any path, which asks for one cent of USDC.e on Tempo. */
export function startMppServer(realm?: string): Promise<Endpoint> {
  const mppx = createMppx(realm);
  return startFetchServer(async (request) => {
    if (request.method !== 'POST') return new Response('', { status: 404 });
    const answer = await mppx.charge({ amount: '0.01' })(request);
    return answer.status === 402 ? answer.challenge : new Response('paid');
  });
}

/**
 * A real MCP server at /mcp that is free to ask: it states prices in its tools, names payment methods, and
 * mppx writes its /openapi.json with these amounts of dollars.
 */
export function startPricedServer(
  tools: Readonly<Record<string, Record<string, unknown>>>,
  amounts: readonly string[] = ['0.01', '0.02'],
): Promise<Endpoint> {
  const mppx = createMppx();
  const document = generate(mppx, {
    info: { title: 'Priced', version: '1.0.0' },
    routes: amounts.map((amount, at) => ({
      handler: mppx.charge({ amount }),
      method: at === 0 ? 'post' : 'get',
      path: at === 0 ? '/search' : '/read',
    })),
  });
  const handler = createMcpHandler(
    () => {
      const payment = { methods: { tempo: { intents: ['charge', 'session'] } } };
      const server = new McpServer(
        { name: 'priced', version: '1.0.0' },
        { capabilities: { experimental: { payment } } },
      );
      for (const [name, _meta] of Object.entries(tools))
        server.registerTool(name, { description: name, inputSchema: z.object({}), _meta }, () => ({
          content: [],
        }));
      return server;
    },
    { legacy: 'reject' },
  );
  return startFetchServer((request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/openapi.json') return Response.json(document);
    return pathname === '/mcp' ? handler.fetch(request) : new Response('', { status: 404 });
  });
}

/**
 * A server that asks each POST for a payment: for offers of x402 in a body, and for challenges of MPP, which
 * are texts. Where it asks for nothing there is nothing but its documents.
 */
export const startShop = (
  asks: () => readonly (object | string)[],
  documents: Readonly<Record<string, object>> = {},
): Promise<Endpoint> =>
  startEndpoint((_, { method, url = '' }, response) => {
    const document = method === 'GET' ? documents[url] : undefined;
    if (document) return void response.writeHead(200).end(JSON.stringify(document));
    const asked = method === 'POST' ? asks() : [];
    if (asked.length === 0) return void response.writeHead(404).end();
    const challenges = asked.filter((one) => typeof one === 'string');
    const accepts = asked.filter((one) => typeof one !== 'string');
    response.writeHead(402, {
      'content-type': 'application/json',
      ...(challenges.length > 0 && { 'www-authenticate': challenges }),
    });
    const body = { x402Version: 2, error: 'pay', resource: { url: 'x' }, accepts };
    response.end(accepts.length > 0 ? JSON.stringify(body) : '');
  });
