import { readFileSync } from 'node:fs';
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { createMcpHandler, McpServer, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { description, identity, input, output, toolNames, toResult } from './stand-in.ts';

interface Message {
  readonly id: unknown;
  readonly params?: { readonly arguments?: unknown };
}

/**
 * The floor: JSON-RPC by hand, the input checked, nothing else. With a file of documents by handle it answers
 * those, so that the same bytes travel as from the service.
 */
export function createFloor(documentsFile?: string): Hono {
  const text = documentsFile === undefined ? '{}' : readFileSync(documentsFile, 'utf8');
  const documents = new Map(Object.entries(JSON.parse(text) as Record<string, object>));
  return new Hono().post('/api/mcp', async (c) => {
    const { id, params } = (await c.req.raw.json()) as Message;
    const { handle } = input.parse(params?.arguments);
    return Response.json({ jsonrpc: '2.0', id, result: toResult(documents.get(handle)) });
  });
}

/** SDK v2 as its documentation shows it: an instance for each request, both eras. */
export function createSdk2(): Hono {
  const supportedProtocolVersions = ['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS];
  const handler = createMcpHandler(() => {
    const server = new McpServer(identity, { supportedProtocolVersions });
    for (const name of toolNames)
      server.registerTool(name, { description, inputSchema: input, outputSchema: output }, () => toResult());
    return server;
  });
  return new Hono().post('/api/mcp', (c) => handler.fetch(c.req.raw));
}

/** SDK v1 as its documentation shows it without sessions: an instance and a transport for each request. */
export const createSdk1 = (): Hono =>
  new Hono().post('/api/mcp', async (c) => {
    const server = new McpServer1(identity);
    for (const name of toolNames)
      server.registerTool(name, { description, inputSchema: input.shape, outputSchema: output.shape }, () =>
        toResult(),
      );
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    return transport.handleRequest(c.req.raw);
  });
