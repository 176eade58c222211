import type { Sent } from '../../load.ts';
import { toCall } from '../../mcp-requests.ts';
import { post, send, type Target } from './calls.ts';
import { alternating, repeating } from './changing.ts';

const most_bytes = 512 * 1024 - 200;
const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

function nested(levels: number): unknown {
  let value: unknown[] = [];
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

/** As many copies of a tool as a body may have. */
const filled = (tool: object, most = 500) => {
  const count = Math.floor(most_bytes / (JSON.stringify(tool).length + 1));
  return Array.from({ length: Math.min(most, count) }, () => tool);
};

/** Arguments of check_surface that are large in one way each. */
const surfaces: readonly object[] = [
  { handle: alternating, tools: [{ name: 'x', d: Array(900).fill(nested(90)) }] },
  { handle: alternating, tools: [{ name: 'x', d: Array(99_000).fill(0) }] },
  {
    handle: alternating,
    tools: upTo(10).map((at) => ({ name: `t${at}`, description: 'y z '.repeat(12_000) })),
  },
  { handle: repeating, tools: upTo(500).map((at) => ({ name: 'a', description: String(at).repeat(330) })) },
  { handle: repeating, tools: upTo(500).map((at) => ({ name: 'a'.repeat(at + 1), description: 'x' })) },
  {
    handle: alternating,
    tools: filled({ name: 'x', ...Object.fromEntries(upTo(190).map((at) => [`m${at}`, 0])) }),
  },
  { handle: alternating, tools: filled({ name: 't0', description: '\\"'.repeat(500) }) },
  { handle: 'com.example.absent/x', tools: [{ name: 'x', d: Array(900).fill(nested(90)) }] },
  {
    handle: alternating,
    digests: Object.fromEntries(upTo(500).map((at) => [`${at}`.padEnd(200, 'x'), '0'.repeat(64)])),
  },
];

const requests: Sent[] = surfaces.flatMap((body) => [
  post('/api/tools/check_surface', body),
  post('/api/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { ...toCall(''), name: 'check_surface', arguments: body },
  }),
]);

/** One address, within its limits, and a /24 beside it. */
export const compareSurfaces = (target: Target): Promise<string> =>
  send(target, {
    requests,
    networks: ['192.0.2.66', ...upTo(15).map((at) => `198.51.100.${at}`)],
    atOnce: 120,
    perSecond: 10,
  });
