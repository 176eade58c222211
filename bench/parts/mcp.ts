import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toServices } from '../before.ts';
import { type Case, compare, withServers } from '../compare.ts';
import { requestOnce, type Sent } from '../load.ts';
import { memoryOf, toMemoryText } from '../machine.ts';
import { toCall, toLegacy, toModern } from '../mcp-requests.ts';
import type { Plan } from '../plan.ts';
import { atMost, type Part } from '../report.ts';
import { type Server, startReference } from '../server.ts';
import { toHandles } from '../synthetic.ts';

const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
};

/** A valid message that is not cacheable (http/cache/mcp-cache.ts), so that it reaches the SDK. */
function toUnusual(sent: Sent): Sent {
  const message = JSON.parse(String(sent.body)) as { params: { _meta?: object } };
  const _meta = { ...message.params._meta, 'bench/unusual': {} };
  return { ...sent, body: JSON.stringify({ ...message, params: { ...message.params, _meta } }) };
}

/** Saves the documents that the service returns, by handle, so that a floor can send the same bytes. */
async function saveDocuments(server: Server, handles: readonly string[], file: string): Promise<void> {
  const documents: Record<string, unknown> = {};
  const requests = handles.map((handle) => toLegacy('tools/call', toCall(handle)));
  for (const [at, handle] of handles.entries()) {
    const text = await requestOnce({ name: 'get_agent', server, requests }, at);
    const { result } = JSON.parse(text) as { result: { structuredContent: unknown } };
    documents[handle] = result.structuredContent;
  }
  writeFileSync(file, JSON.stringify(documents));
}

type References = Readonly<Record<'hello' | 'floor' | 'same' | 'sdk2' | 'sdk1', Server>>;

const floorName = 'hand-written JSON-RPC on Hono, 1 kB (the floor)';
const hotName = 'this service: get_agent, legacy';
const throughSdk = ['legacy', 'modern'].map((era) => `this service: get_agent through the SDK, ${era}`);

function toCases(
  { hello, floor, same, sdk2, sdk1 }: References,
  services: readonly Server[],
  handles: readonly string[],
): Case[] {
  const old = handles.map((handle) => toLegacy('tools/call', toCall(handle)));
  const new_ = handles.map((handle) => toModern('tools/call', toCall(handle)));
  const ours = (what: string, goal: number, ...requests: Sent[]): Case[] =>
    services.map((server) => ({
      name: `${server.name}: ${what}`,
      server,
      requests,
      goal,
    }));
  return [
    { name: floorName, server: floor, requests: old },
    { name: 'the floor, modern', server: floor, requests: new_ },
    { name: 'the floor with the documents of the service', server: same, requests: old },
    { name: 'bare hello on Hono', server: hello, requests: [{ path: '/' }] },
    { name: 'SDK v2 as documented, legacy', server: sdk2, requests: old },
    { name: 'SDK v2 as documented, modern', server: sdk2, requests: new_ },
    { name: 'SDK v1 as documented', server: sdk1, requests: old },
    ...ours('get_agent, legacy', 1, ...old),
    ...ours('get_agent, modern', 1, ...new_),
    ...ours('get_agent through the SDK, legacy', 0.25, ...old.map(toUnusual)),
    ...ours('get_agent through the SDK, modern', 0.25, ...new_.map(toUnusual)),
    ...ours('initialize', 0.6, toLegacy('initialize', initialize)),
    ...ours('tools/list, legacy', 0.6, toLegacy('tools/list')),
    ...ours('tools/list, modern', 0.6, toModern('tools/list')),
    ...ours('server/discover', 0.6, toModern('server/discover')),
  ];
}

/** Goal 1: MCP over HTTP in both eras, as shares of the floor. */
export async function measureMcp(plan: Plan): Promise<Part> {
  const { folder, listings } = plan;
  const { service: start, ...before } = await toServices(plan);
  const handles = toHandles(listings, 1000);
  const documents = join(folder, 'documents.json');
  return withServers(
    {
      service: async () => {
        const service = await start();
        await saveDocuments(service, handles, documents);
        return service;
      },
      hello: () => startReference('hello'),
      floor: () => startReference('floor'),
      same: () => startReference('floor', documents),
      sdk2: () => startReference('sdk2'),
      sdk1: () => startReference('sdk1'),
      ...before,
    },
    async ({ service, hello, floor, same, sdk2, sdk1, ...others }) => {
      const references = { hello, floor, same, sdk2, sdk1 };
      const cases = toCases(references, [service, ...Object.values<Server>(others)], handles);
      const { rows, of } = await compare(cases, plan);
      const { p99_ms } = of(hotName);
      const sdk_ms = Math.max(...throughSdk.map((name) => of(name).p99_ms));
      const memory = memoryOf(service.pid);
      return {
        title: `MCP over HTTP; share of ${floorName}`,
        rows: [
          ...rows,
          {
            what: 'p99 of get_agent at saturation',
            figure: `${p99_ms.toFixed(1)} ms`,
            ...atMost(p99_ms, 15, 'ms'),
          },
          {
            what: 'p99 of get_agent through the SDK at saturation',
            figure: `${sdk_ms.toFixed(1)} ms`,
            ...atMost(sdk_ms, 15, 'ms'),
          },
          {
            what: 'memory after it, without mapped files',
            figure: toMemoryText(memory),
            ...atMost(memory.resident_mb - memory.files_mb, 200, 'MB'),
          },
        ],
      };
    },
  );
}
