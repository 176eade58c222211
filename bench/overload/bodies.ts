import { join } from 'node:path';
import { Pool } from 'undici';
import { tools } from '../../src/tools/index.ts';
import { bodyBoundsOf, bodyCost } from '../../src/tools/tool.ts';
import { prepareSqlite } from '../database.ts';
import type { Sent } from '../load.ts';
import { cpuTime_ms } from '../machine.ts';
import { atMost, type Part, type Row } from '../report.ts';
import { type Server, startService } from '../server.ts';
import { toHandles } from '../synthetic.ts';
import { post } from './strangers/calls.ts';
import { type BodyRoom, type NamedBody, worstBodies, worstInputs } from './worst-bodies.ts';

const listings = 1000;
const callsEach = 5;
const callsAgain = 20;
const most = 10;

/** An address with the worst bodies for it. `tokens`: how many of its limit a body takes. */
interface Door {
  readonly name: string;
  readonly bodies: readonly (NamedBody & { readonly request: Sent; readonly tokens: number })[];
}

const [known = ''] = toHandles(listings, 1);

/** A claim of a listing would ask the hosts that it names, so claims name one that is not stored. */
const handleFor = (name: string) => (name.startsWith('claim') ? 'com.example.absent/x' : known);

const toolDoors: Door[] = tools.flatMap((tool) => {
  const bounds = bodyBoundsOf(tool);
  const example = { ...tool.example, ...('handle' in tool.input.shape && { handle: handleFor(tool.name) }) };
  const fields = Object.keys(tool.input.shape);
  const bodiesIn = (room: BodyRoom) => [...worstBodies(room), ...worstInputs(example, fields, room)];
  const tokensOf = ({ text, values }: NamedBody) =>
    tool.largeBody ? Math.max(1, bodyCost(Buffer.byteLength(text), values)) : 1;
  const start = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool.name}","arguments":`;
  const room = { ...bounds, bytes: bounds.bytes - start.length - 2, depth: bounds.depth - 3 };
  return [
    {
      name: tool.name,
      bodies: bodiesIn(bounds).map((body) => ({
        ...body,
        request: post(`/api/tools/${tool.name}`, body.text),
        tokens: tokensOf(body),
      })),
    },
    {
      name: `${tool.name}, MCP`,
      bodies: bodiesIn(room).map((body) => ({
        ...body,
        request: post('/api/mcp', `${start}${body.text}}}`),
        tokens: tokensOf(body),
      })),
    },
  ];
});

const otherDoors: Door[] = (
  [
    ['/api/claim-github', 2048],
    ['/api/feedback', 8192],
    ['/api/webhooks', 4096],
    ['/ard/search', 65_536],
    ['/ard/explore', 65_536],
  ] as const
).map(([path, bytes]) => ({
  name: path,
  bodies: worstBodies({ bytes, values: 10_000, depth: 16 }).map((body) => ({
    ...body,
    request: post(path, body.text),
    tokens: 1,
  })),
}));

async function call(pool: Pool, { method = 'GET', path = '/', headers = {}, body = '' }: Sent) {
  const answer = await pool.request({ method, path, headers, body });
  await answer.body.dump();
  return answer.statusCode;
}

const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

/** Processor time of the service for a request: the median, without the first one. */
async function timeOf({ pid }: Server, pool: Pool, requests: readonly Sent[]) {
  const times_ms: number[] = [];
  let status = 0;
  for (const request of requests) {
    const before_ms = cpuTime_ms(pid) ?? 0;
    status = await call(pool, request);
    times_ms.push((cpuTime_ms(pid) ?? 0) - before_ms);
  }
  return { status, cpu_ms: median(times_ms.slice(1)) };
}

async function toRow(server: Server, pool: Pool, { name, bodies }: Door, reference_ms: number): Promise<Row> {
  let worst = { what: '', status: 0, ratio: 0, cpu_ms: 0, tokens: 1 };
  for (const { what, request, tokens } of bodies) {
    const measure = (calls: number) => timeOf(server, pool, Array<Sent>(calls + 1).fill(request));
    const toRatio = (cpu_ms: number) => cpu_ms / reference_ms / tokens;
    const { status, cpu_ms } = await measure(callsEach);
    if (toRatio(cpu_ms) <= worst.ratio) continue;
    // Threads that compile and collect count too, so what seems to be the worst is measured again.
    const least_ms = Math.min(cpu_ms, (await measure(callsAgain)).cpu_ms);
    const ratio = toRatio(least_ms);
    if (ratio > worst.ratio) worst = { what, status, ratio, cpu_ms: least_ms, tokens };
  }
  const { what, status, ratio, cpu_ms, tokens } = worst;
  const taken = tokens > 1 ? `, ${tokens.toFixed(0)} tokens` : '';
  return {
    what: name,
    figure: `${cpu_ms.toFixed(1)} ms${taken}: ${what} (${status})`,
    share: `${ratio.toFixed(1)} x`,
    ...atMost(ratio, most, 'x'),
  };
}

/**
 * The worst of the bodies that each address takes: processor time for a token of its limit, beside a
 * get_agent that is not cached.
 */
export async function runBodies(folder: string, only?: string): Promise<Part> {
  const { url } = await prepareSqlite(join(folder, 'bodies'), listings);
  const service = await startService(url);
  const pool = new Pool(service.url, { connections: 1 });
  try {
    const handles = toHandles(listings, 400);
    const reads = handles.map((handle) => post('/api/tools/get_agent', { handle }));
    await timeOf(service, pool, reads.slice(0, 200));
    const { cpu_ms } = await timeOf(service, pool, reads.slice(200));
    const doors = [...toolDoors, ...otherDoors].filter(
      ({ name }) => only === undefined || name.startsWith(only),
    );
    const rows: Row[] = [];
    for (const door of doors) rows.push(await toRow(service, pool, door, cpu_ms));
    return {
      title: `The worst body of each address, ${listings} listings; get_agent that is not cached: ${cpu_ms.toFixed(2)} ms`,
      rows,
    };
  } finally {
    await pool.close();
    await service.stop();
  }
}
