import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** What came over the wire: method, path, headers and body of every request, oldest first. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server on loopback that remembers every request. */
export interface Endpoint {
  readonly url: string;
  readonly sent: Sent[];
  /** JSON-RPC methods of all requests, in order. */
  methods(): string[];
  close(): Promise<void>;
}

const read = async (request: IncomingMessage) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

const methodOf = (body: string): string[] => {
  try {
    const { method } = JSON.parse(body) as { method?: string };
    return method === undefined ? [] : [method];
  } catch {
    return [];
  }
};

/** Starts a server on loopback; `answer` gets each request with its body read. */
export async function startEndpoint(
  answer: (body: string, ...exchange: Parameters<RequestListener>) => void | Promise<void>,
): Promise<Endpoint> {
  const sent: Sent[] = [];
  const server: Server = createServer(async (request, response) => {
    const body = await read(request);
    sent.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
    await answer(body, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    sent,
    methods: () => sent.flatMap(({ body }) => methodOf(body)),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A tool as a publisher registers it. */
export interface OfferedTool {
  readonly name: string;
  readonly description?: string;
  readonly readOnlyHint?: boolean;
}

const notFound = (path: string | undefined) => path !== '/mcp';

/**
 * A real server of the older SDK line at /mcp, with sessions; `tools` may change between two looks. With
 * `offered` it answers server/discover with these revisions, as the official Go SDK 1.8 does in its stateful
 * mode. `register` registers what else it offers.
 */
export const startLegacyServer = (
  tools: () => readonly OfferedTool[],
  offered?: readonly string[],
  register: (server: McpServerV1) => void = () => undefined,
): Promise<Endpoint> => {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  return startEndpoint(async (body, request, response) => {
    if (notFound(request.url)) return void response.writeHead(404).end();
    if (offered && methodOf(body).includes('server/discover')) {
      const result = { supportedVersions: offered, capabilities: { tools: {} } };
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result }));
    }
    const known = sessions.get(String(request.headers['mcp-session-id']));
    const transport =
      known ??
      new StreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (id) => void sessions.set(id, transport),
      });
    if (!known) {
      const server = new McpServerV1({ name: 'legacy', version: '1.0.0' });
      for (const { name, description, readOnlyHint } of tools())
        server.registerTool(
          name,
          {
            description,
            inputSchema: { text: z.string() },
            ...(readOnlyHint !== undefined && { annotations: { readOnlyHint } }),
          },
          () => ({ content: [] }),
        );
      register(server);
      await server.connect(transport);
    }
    await transport.handleRequest(request, response, body === '' ? undefined : JSON.parse(body));
  });
};

/**
 * A real server of the current SDK line at /mcp that speaks 2026-07-28 only; it answers each message once
 * `ready` resolves. `register` registers what else it offers.
 */
export const startModernServer = (
  tools: () => readonly OfferedTool[],
  ready: () => Promise<void> = async () => undefined,
  register: (server: McpServer) => void = () => undefined,
): Promise<Endpoint> => {
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'modern', version: '1.0.0' });
      for (const { name, description, readOnlyHint } of tools())
        server.registerTool(
          name,
          {
            description,
            inputSchema: z.object({ text: z.string() }),
            ...(readOnlyHint !== undefined && { annotations: { readOnlyHint } }),
          },
          () => ({ content: [] }),
        );
      register(server);
      return server;
    },
    { legacy: 'reject' },
  );
  return startEndpoint(async (body, request, response) => {
    if (notFound(request.url)) return void response.writeHead(404).end();
    const asked = new Request(`http://127.0.0.1${request.url}`, {
      method: request.method ?? 'GET',
      headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      ...(body !== '' && { body }),
    });
    await ready();
    const answer = await handler.fetch(asked, { ...(body !== '' && { parsedBody: JSON.parse(body) }) });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  });
};

/** A real server of the older transport (HTTP with SSE) at /sse, whose messages go to /messages. */
export const startStreamServer = (
  tools: () => readonly OfferedTool[],
  refusal = 404,
  register: (server: McpServerV1) => void = () => undefined,
): Promise<Endpoint> => {
  const sessions = new Map<string, SSEServerTransport>();
  return startEndpoint(async (body, request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (pathname === '/messages')
      return sessions
        .get(searchParams.get('sessionId') ?? '')
        ?.handlePostMessage(request, response, JSON.parse(body));
    if (pathname !== '/sse') return void response.writeHead(404).end();
    if (request.method !== 'GET') return void response.writeHead(refusal).end();
    const transport = new SSEServerTransport('/messages', response);
    sessions.set(transport.sessionId, transport);
    const server = new McpServerV1({ name: 'stream', version: '1.0.0' });
    for (const { name, description } of tools())
      server.registerTool(name, { description, inputSchema: { text: z.string() } }, () => ({ content: [] }));
    register(server);
    await server.connect(transport);
  });
};
