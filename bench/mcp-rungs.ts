import { type ServerType, serve } from '@hono/node-server';
import {
  type AuthInfo,
  classifyInboundRequest,
  createMcpHandler,
  type JSONRPCMessage,
  type JSONRPCRequest,
  McpServer,
  type MessageExtraInfo,
  PerRequestHTTPServerTransport,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { z } from 'zod';
import { readConfig } from '../src/config.ts';
import { createApp } from '../src/http/app.ts';
import { runImport } from '../src/registry/import.ts';
import { openContext } from '../src/server.ts';

// A stand-in for the service: eight tools of the real size, one answer of about 1 kB, no store.
const input = z.object({ handle: z.string().min(3).max(200) });
const output = z.object({
  handle: z.string(),
  description: z.string(),
  tags: z.array(z.object({ tag: z.string(), reason: z.string() })),
  signals: z.object({ statement: z.string(), ratings: z.int(), imported: z.array(z.string()) }),
});
const answer = {
  handle: 'co.webhook/webhook',
  description: 'Receive, inspect, replay and deliver webhooks. '.repeat(8).trim(),
  tags: ['webhooks', 'delivery', 'agents'].map((tag) => ({ tag, reason: `the description says ${tag}` })),
  signals: {
    statement: 'No native ratings. For a decision to buy, that absence matters.',
    ratings: 0,
    imported: Array.from({ length: 6 }, (_, index) => `signal ${index}: observed 2026-11-20`),
  },
};
const result = () => ({
  content: [{ type: 'text' as const, text: JSON.stringify(answer) }],
  structuredContent: answer,
});
const names = ['get_agent', ...Array.from({ length: 7 }, (_, index) => `other_${index}`)];
const description = 'When to use it, when not, and what the answer is not. '.repeat(6);
const identity = { name: 'bench', version: '1.0.0' };

const bothEras = ['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS];

const frozen = (schema: z.ZodObject, io: 'input' | 'output') => {
  const json = z.toJSONSchema(schema, { io });
  return {
    '~standard': {
      version: 1 as const,
      vendor: 'bench',
      validate: (value: unknown) => ({ value: value as Record<string, unknown> }),
      jsonSchema: { input: () => json, output: () => json },
    },
  };
};
const frozenInput = frozen(input, 'input');
const frozenOutput = frozen(output, 'output');

function createServer(schemas: 'zod' | 'once'): McpServer {
  const server = new McpServer(identity, { supportedProtocolVersions: bothEras });
  for (const name of names) {
    if (schemas === 'zod') {
      server.registerTool(name, { description, inputSchema: input, outputSchema: output }, result);
    } else {
      server.registerTool(
        name,
        { description, inputSchema: frozenInput, outputSchema: frozenOutput },
        (args) => {
          input.parse(args);
          return result();
        },
      );
    }
  }
  return server;
}

/** Idle instances; one comes back when its exchange has closed. */
function createPool() {
  const idle: McpServer[] = [];
  return () => {
    const server = idle.pop() ?? createServer('once');
    server.server.onclose = () => idle.push(server);
    return server;
  };
}

const headersOf = (request: Request) => ({
  protocolVersionHeader: request.headers.get('mcp-protocol-version') ?? undefined,
  mcpMethodHeader: request.headers.get('mcp-method') ?? undefined,
  mcpNameHeader: request.headers.get('mcp-name') ?? undefined,
});
const classify = (request: Request, body: unknown) =>
  classifyInboundRequest({ httpMethod: 'POST', ...headersOf(request), body });

/** Many exchanges over one connection: ids are replaced on the way in and put back on the way out. */
class Multiplex implements Transport {
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  onclose?: () => void;
  readonly #waiting = new Map<
    number,
    { id: string | number; settle: (message: Record<string, unknown>) => void }
  >();
  #next = 0;
  async start(): Promise<void> {}
  async close(): Promise<void> {}
  async send(message: JSONRPCMessage): Promise<void> {
    if (!('id' in message) || 'method' in message) return;
    const key = message.id as number;
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    waiting?.settle({ ...message, id: waiting.id });
  }
  exchange(request: JSONRPCRequest, extra: { request: Request; authInfo?: AuthInfo }) {
    return new Promise<Record<string, unknown>>((settle) => {
      const id = this.#next++;
      this.#waiting.set(id, { id: request.id, settle });
      this.onmessage?.({ ...request, id }, extra);
    });
  }
}

/** The same for the modern era: the SDK binds an instance to that era only for its own transport class. */
class ModernMultiplex extends PerRequestHTTPServerTransport {
  readonly lane = new Multiplex();
  override async start(): Promise<void> {}
  override async send(message: JSONRPCMessage): Promise<void> {
    return this.lane.send(message);
  }
}

type Serve = (request: Request) => Promise<Response>;

function floor(): Serve {
  const list = names.map((name) => ({ name, description, inputSchema: z.toJSONSchema(input) }));
  return async (request) => {
    const body = (await request.json()) as { id: unknown; method: string; params?: { arguments?: unknown } };
    if (body.method === 'tools/list')
      return Response.json({ jsonrpc: '2.0', id: body.id, result: { tools: list } });
    input.parse(body.params?.arguments);
    return Response.json({ jsonrpc: '2.0', id: body.id, result: result() });
  };
}

function documented(): Serve {
  return createMcpHandler(() => createServer('zod')).fetch;
}

function parsedOnce(factory: () => McpServer): Serve {
  const handler = createMcpHandler(factory);
  return async (request) => handler.fetch(request, { parsedBody: await request.json() });
}

function blocks(): Serve {
  const legacyServer = createPool();
  const modernServer = createPool();
  return async (request) => {
    const parsedBody = await request.json();
    const route = classify(request, parsedBody);
    if (route.kind === 'modern') {
      const server = modernServer();
      const transport = new PerRequestHTTPServerTransport({ classification: route.classification });
      await server.connect(transport);
      return transport.handleMessage(route.message, { request });
    }
    const server = legacyServer();
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    const response = await transport.handleRequest(request, { parsedBody });
    void transport.close();
    return response;
  };
}

async function multiplexed(): Promise<Serve> {
  const legacy = new Multiplex();
  await createServer('once').connect(legacy);
  const modern = new ModernMultiplex({ classification: { era: 'modern', revision: '2026-07-28' } });
  const modernServer = createServer('once');
  await modernServer.connect(modern);
  modern.lane.onmessage = (message, extra) => modern.onmessage?.(message, extra);
  return async (request) => {
    const body = (await request.json()) as JSONRPCRequest;
    const route = classify(request, body);
    const lane = route.kind === 'modern' ? modern.lane : legacy;
    const extra = route.kind === 'modern' ? { request, classification: route.classification } : { request };
    return Response.json(await lane.exchange(body, extra));
  };
}

type Fetch = (request: Request, env?: object) => Response | Promise<Response>;

/** The answer of a rung on the smallest app there is. */
const onHono =
  (rung: () => Serve | Promise<Serve>): (() => Promise<Fetch>) =>
  async () => {
    const answerRequest = await rung();
    return new Hono().post('/api/mcp', (c) => answerRequest(c.req.raw)).fetch;
  };

const sample = new URL('../data/sample.json', import.meta.url).pathname;

/** This service as it runs: its app with every guard but the rate limits, its store, a listing of the sample. */
async function service(): Promise<Fetch> {
  const context = await openContext(
    readConfig(
      { DATABASE_URL: ':memory:', REGISTRY_URL: `file:${sample}`, LIMITS: 'off', LOG_LEVEL: 'silent' },
      'bench',
    ),
  );
  await runImport(context);
  return createApp(context).fetch as Fetch;
}

/** Every way to serve the same tool, the reference first; then this service, whose listing is larger. */
export const rungs: Readonly<Record<string, () => Promise<Fetch>>> = {
  'hand-written JSON-RPC on Hono (the floor)': onHono(floor),
  'createMcpHandler as documented': onHono(documented),
  'createMcpHandler + parsedBody + schemas once': onHono(() => parsedOnce(() => createServer('once'))),
  'the same + pool': onHono(() => parsedOnce(createPool())),
  'exported blocks by hand + pool': onHono(blocks),
  'one server, many exchanges (src/mcp/lane.ts)': onHono(multiplexed),
  'this service: all checks, real store': service,
};

/** The rung that the others are compared with. */
export const floorName = 'hand-written JSON-RPC on Hono (the floor)';

/** Serves one rung on a free port of loopback. */
export async function serveRung(name: string): Promise<{ port: number; server: ServerType }> {
  const rung = rungs[name];
  if (!rung) throw new Error(`no rung ${name}`);
  const fetch = await rung();
  return new Promise((resolve) => {
    const server = serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve({ port, server }));
  });
}
