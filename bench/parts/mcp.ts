import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { legacy, type Message, modern } from '../../test/support/mcp-requests.ts';
import { type Case, compare, withServers } from '../compare.ts';
import { prepareDatabase } from '../database.ts';
import { askOnce, type Sent } from '../load.ts';
import { memory_mb } from '../machine.ts';
import type { Plan } from '../plan.ts';
import { atMost, type Part } from '../report.ts';
import { type Server, startReference, startService } from '../server.ts';

const toSent = ({ headers, body }: Message): Sent => ({ method: 'POST', path: '/api/mcp', headers, body });

/** What a client of the legacy era sends once it has initialized. */
function inOldEra(method: string, params: object = {}): Sent {
  const { headers, body } = legacy(method, params);
  return toSent({ headers: { ...headers, 'mcp-protocol-version': '2025-11-25' }, body });
}

const inNewEra = (method: string, params: object = {}): Sent => toSent(modern(method, params));

const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
};

const callOf = (handle: string) => ({ name: 'get_agent', arguments: { handle } });

/** Valid, and not of the plain form: whatever stands in front of the SDK lets it through. */
const unusualCallOf = (handle: string) => ({ ...callOf(handle), _meta: { progressToken: 1 } });

/** The documents the service answers, by handle, so that a floor can send the same bytes. */
async function saveDocuments(server: Server, handles: readonly string[], file: string): Promise<void> {
  const documents: Record<string, unknown> = {};
  const requests = handles.map((handle) => inOldEra('tools/call', callOf(handle)));
  for (const [at, handle] of handles.entries()) {
    const text = await askOnce({ name: 'get_agent', server, requests }, at);
    const { result } = JSON.parse(text) as { result: { structuredContent: unknown } };
    documents[handle] = result.structuredContent;
  }
  writeFileSync(file, JSON.stringify(documents));
}

type Servers = Readonly<Record<'service' | 'hello' | 'floor' | 'same' | 'sdk2' | 'sdk1', Server>>;

const floorName = 'hand-written JSON-RPC on Hono, 1 kB (the floor)';
const hotName = 'this service: get_agent, legacy';

function toCases(servers: Servers, handles: readonly string[]): Case[] {
  const old = handles.map((handle) => inOldEra('tools/call', callOf(handle)));
  const new_ = handles.map((handle) => inNewEra('tools/call', callOf(handle)));
  const unusual = handles.map((handle) => inOldEra('tools/call', unusualCallOf(handle)));
  const { service, hello, floor, same, sdk2, sdk1 } = servers;
  const ours = (what: string, goal: number, ...requests: Sent[]): Case => ({
    name: `this service: ${what}`,
    server: service,
    requests,
    goal,
  });
  return [
    { name: floorName, server: floor, requests: old },
    { name: 'the floor, modern', server: floor, requests: new_ },
    { name: 'the floor with the documents of the service', server: same, requests: old },
    { name: 'bare hello on Hono', server: hello, requests: [{ path: '/' }] },
    { name: 'SDK v2 as documented, legacy', server: sdk2, requests: old },
    { name: 'SDK v2 as documented, modern', server: sdk2, requests: new_ },
    { name: 'SDK v1 as documented', server: sdk1, requests: old },
    { name: hotName, server: service, requests: old, goal: 0.75 },
    ours('get_agent, modern', 0.75, ...new_),
    ours('get_agent through the SDK', 0.17, ...unusual),
    ours('initialize', 0.6, inOldEra('initialize', initialize)),
    ours('tools/list, legacy', 0.6, inOldEra('tools/list')),
    ours('tools/list, modern', 0.6, inNewEra('tools/list')),
    ours('server/discover', 0.6, inNewEra('server/discover')),
  ];
}

/** Goal 1: MCP over HTTP in both eras, as shares of the floor. */
export async function measureMcp({ folder, ...effort }: Plan): Promise<Part> {
  const { url, handles } = await prepareDatabase(folder);
  const documents = join(folder, 'documents.json');
  return withServers(
    {
      service: async () => {
        const service = await startService(url);
        await saveDocuments(service, handles, documents);
        return service;
      },
      hello: () => startReference('hello'),
      floor: () => startReference('floor'),
      same: () => startReference('floor', documents),
      sdk2: () => startReference('sdk2'),
      sdk1: () => startReference('sdk1'),
    },
    async (servers) => {
      const { rows, of } = await compare(toCases(servers, handles), effort);
      const { p99_ms } = of(hotName);
      const used_mb = memory_mb(servers.service.pid) ?? 0;
      return {
        title: `MCP over HTTP; share of ${floorName}`,
        rows: [
          ...rows,
          { what: 'p99 of get_agent at saturation', figure: `${p99_ms} ms`, ...atMost(p99_ms, 15, 'ms') },
          { what: 'memory after it', figure: `${used_mb.toFixed(0)} MB`, ...atMost(used_mb, 200, 'MB') },
        ],
      };
    },
  );
}
