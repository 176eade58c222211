import { setTimeout as wait } from 'node:timers/promises';
import { getAgent, legacy, modern } from '../../test/support/mcp-requests.ts';
import type { Cluster } from './cluster.ts';
import { type Call, send, type Tally, toTool } from './requests.ts';

const think_ms = 40;

/** An MCP message as a call. */
const overMcp = ({ headers, body }: ReturnType<typeof modern>): Call => ({
  path: '/api/mcp',
  headers,
  body: JSON.parse(body) as object,
});

/** What readers request, by name, each entry equally often. */
const reads: readonly { readonly name: string; readonly toCall: (handle: string) => Call }[] = [
  ...[legacy, modern].map((era) => ({
    name: 'get_agent',
    toCall: (handle: string) => overMcp(era('tools/call', { ...getAgent, arguments: { handle } })),
  })),
  { name: 'get_agent', toCall: (handle) => toTool('get_agent', { handle }) },
  { name: 'search', toCall: (handle) => toTool('search_agents', { query: handle.slice(12, 17) }) },
  { name: 'badge', toCall: (handle) => ({ path: `/badge/${handle}` }) },
  { name: 'page', toCall: (handle) => ({ path: `/agents/${handle}` }) },
  { name: 'page', toCall: () => ({ path: '/agents?q=plain' }) },
];

/** Reads at random until the signal, from nodes that are up; answers are counted by name. */
export async function read(
  { nodes, handles }: Cluster,
  { answers, errors }: { readonly answers: Tally; readonly errors: Tally },
  stopped: AbortSignal,
): Promise<void> {
  const any = <T>(items: readonly T[]) => items[Math.floor(Math.random() * items.length)];
  while (!stopped.aborted) {
    const [node, what, handle = ''] = [any(nodes.filter(({ isUp }) => isUp)), any(reads), any(handles)];
    if (node && what) {
      const text = await send(node, what.toCall(handle), errors);
      if (text !== undefined) answers.count(what.name);
    }
    await wait(think_ms * 2 * Math.random());
  }
}
