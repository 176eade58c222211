import { setTimeout as wait } from 'node:timers/promises';
import { getAgent, legacy, modern } from '../../test/support/mcp-requests.ts';
import { type Asked, ask, type Tally, toTool } from './asking.ts';
import type { Cluster } from './cluster.ts';

const think_ms = 40;

/** An MCP message as an asked request. */
const overMcp = ({ headers, body }: ReturnType<typeof modern>): Asked => ({
  path: '/api/mcp',
  headers,
  body: JSON.parse(body) as object,
});

/** What readers ask, by name; the shares are those of the list. */
const reads: readonly { readonly name: string; readonly toAsked: (handle: string) => Asked }[] = [
  ...[legacy, modern].map((era) => ({
    name: 'get_agent',
    toAsked: (handle: string) => overMcp(era('tools/call', { ...getAgent, arguments: { handle } })),
  })),
  { name: 'get_agent', toAsked: (handle) => toTool('get_agent', { handle }) },
  { name: 'search', toAsked: (handle) => toTool('search_agents', { query: handle.slice(12, 17) }) },
  { name: 'badge', toAsked: (handle) => ({ path: `/badge/${handle}` }) },
  { name: 'page', toAsked: (handle) => ({ path: `/agents/${handle}` }) },
  { name: 'page', toAsked: () => ({ path: '/agents?q=plain' }) },
];

/** Reads at random until the signal, from nodes that are up; answers are counted by what was asked. */
export async function read(
  { nodes, handles }: Cluster,
  { answers, errors }: { readonly answers: Tally; readonly errors: Tally },
  stopped: AbortSignal,
): Promise<void> {
  const any = <T>(items: readonly T[]) => items[Math.floor(Math.random() * items.length)];
  while (!stopped.aborted) {
    const [node, what, handle = ''] = [any(nodes.filter(({ isUp }) => isUp)), any(reads), any(handles)];
    if (node && what) {
      const text = await ask(node, what.toAsked(handle), errors);
      if (text !== undefined) answers.count(what.name);
    }
    await wait(think_ms * 2 * Math.random());
  }
}
