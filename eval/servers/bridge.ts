import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { ListToolsRequestSchema, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { type Endpoint, startEndpoint } from '../../test/support/endpoints/mcp-endpoint.ts';
import type { StdioServer } from './servers.ts';

/** The line of the SDK whose HTTP transport a server is put behind. */
export type Line = 'sdk 1' | 'sdk 2';

/** A stdio server behind HTTP. */
export interface Bridged {
  readonly endpoint: Endpoint;
  readonly version: string;
  close(): Promise<void>;
}

const folder = join(import.meta.dirname, 'npm');
/** Servers write caches and settings there, and find none. */
const home = mkdtempSync(join(tmpdir(), 'dossier-servers-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));
const start_ms = 20_000;

/** Where an installed package is, and its version. */
function readPackage(name: string) {
  const at = join(folder, 'node_modules', name);
  const { version, bin } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as {
    version: string;
    bin: string | Record<string, string>;
  };
  return { at, version, bin: typeof bin === 'string' ? { [name]: bin } : bin };
}

/** Path of an installed server's program, and its version. */
export function findProgram({ package: name, bin }: Pick<StdioServer, 'package' | 'bin'>) {
  const found = readPackage(name);
  const program = bin === undefined ? Object.values(found.bin)[0] : found.bin[bin];
  return { program: join(found.at, program ?? ''), version: found.version };
}

async function connect({ args = [], environment = {}, ...named }: StdioServer) {
  const { program, version } = findProgram(named);
  const client = new Client({ name: 'bridge', version: '1.0.0' });
  const env = { PATH: process.env.PATH ?? '', HOME: home, ...environment };
  const transport = new StdioClientTransport({
    ...{ command: process.execPath, args: [program, ...args], env, cwd: folder, stderr: 'ignore' },
  });
  await client.connect(transport, { timeout: start_ms });
  return { client, version };
}

const list = (client: Client, params: object | undefined) =>
  client.request({ method: 'tools/list', ...(params && { params }) }, ResultSchema);

const identity = (client: Client) => {
  const { name = 'unnamed', version = '0' } = client.getServerVersion() ?? {};
  return { name, version };
};
const capabilities = { tools: {} };

const bodyOf = (body: string): unknown => (body === '' ? undefined : JSON.parse(body));

/** One stateless exchange behind the transport of the older line. */
function behindFirst(client: Client): Promise<Endpoint> {
  return startEndpoint(async (body, request, response) => {
    if (request.url !== '/mcp') return void response.writeHead(404).end();
    const server = new ServerV1(identity(client), { capabilities });
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
    const server = new Server(identity(client), { capabilities });
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

/** Starts a stdio server and puts it behind HTTP at /mcp; only tools/list is passed on. Throws if it does not start. */
export async function bridge(server: StdioServer, line: Line): Promise<Bridged> {
  const { client, version } = await connect(server);
  const endpoint = await (line === 'sdk 1' ? behindFirst(client) : behindSecond(client));
  return {
    endpoint,
    version,
    async close() {
      await endpoint.close();
      await client.close();
    },
  };
}
