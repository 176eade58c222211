import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { ListToolsRequestSchema, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { type Endpoint, startEndpoint } from '../../test/support/endpoints/mcp-endpoint.ts';
import type { commandOf } from './programs.ts';

const start_ms = 20_000;

const list = (client: Client, params: object | undefined) =>
  client.request({ method: 'tools/list', ...(params && { params }) }, ResultSchema);

const identity = (client: Client) => {
  const { name = 'unnamed', version = '0' } = client.getServerVersion() ?? {};
  return { name, version };
};
const optionsOf = (client: Client) => {
  const instructions = client.getInstructions();
  return { capabilities: { tools: {} }, ...(instructions !== undefined && { instructions }) };
};

const bodyOf = (body: string): unknown => (body === '' ? undefined : JSON.parse(body));

/** One stateless exchange behind the transport of the older line. */
function behindFirst(client: Client): Promise<Endpoint> {
  return startEndpoint(async (body, request, response) => {
    if (request.url !== '/mcp') return void response.writeHead(404).end();
    const server = new ServerV1(identity(client), optionsOf(client));
    server.setRequestHandler(
      ListToolsRequestSchema,
      ({ params }) => list(client, params) as Promise<{ tools: [] }>,
    );
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await server.connect(transport);
    await transport.handleRequest(request, response, bodyOf(body));
  });
}

/** The same behind the handler of the current line. */
function behindSecond(client: Client): Promise<Endpoint> {
  const handler = createMcpHandler(() => {
    const server = new Server(identity(client), optionsOf(client));
    server.setRequestHandler('tools/list', ({ params }) => {
      const { _meta: _, ...rest } = params ?? {};
      return list(client, rest) as Promise<{ tools: [] }>;
    });
    return server;
  });
  return startEndpoint(async (body, request, response) => {
    if (request.url !== '/mcp') return void response.writeHead(404).end();
    const asked = new Request(`http://127.0.0.1${request.url}`, {
      method: request.method ?? 'GET',
      headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      ...(body !== '' && { body }),
    });
    const answer = await handler.fetch(asked, { parsedBody: bodyOf(body) });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
}

/**
 * Starts a stdio server and puts it behind the transport of a line of the SDK at /mcp; only tools/list is
 * passed on. Throws if it does not start.
 */
export async function behindSdk(command: ReturnType<typeof commandOf>, line: 'sdk 1' | 'sdk 2') {
  const client = new Client({ name: 'bridge', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ ...command, stderr: 'ignore' }), { timeout: start_ms });
  const endpoint = await (line === 'sdk 1' ? behindFirst(client) : behindSecond(client));
  return {
    endpoint,
    async close() {
      await endpoint.close();
      await client.close();
    },
  };
}
