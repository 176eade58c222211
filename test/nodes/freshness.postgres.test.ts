import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Running } from '../../src/server.ts';
import { createNodes, get, type Nodes, post, queryDatabase } from '../support/nodes.ts';
import { addSource } from '../support/rating-source.ts';

const subject = 'a/subject-0';
let nodes: Nodes;
let one: Running;
let two: Running;
let capability: string;
beforeEach(async () => {
  nodes = await createNodes();
  one = await nodes.open({ LIMITS: 'off' });
  two = await nodes.open({ LIMITS: 'off' });
  capability = await addSource(one.context.store);
});
afterEach(() => nodes.close());

let interaction = 0;
const rating = () => ({
  handle: subject,
  interaction_id: `run-${interaction++}`,
  interaction_at: '2026-11-21T09:00:00Z',
  outcome: 'succeeded',
  protocol: 'mcp',
  relationship: 'none',
});

/** Submits one more rating at a node, whose answer says that it is recorded. */
async function rate({ url }: Running): Promise<void> {
  const submit = post(`${url}/api/tools/submit_rating`, rating(), { authorization: `Bearer ${capability}` });
  expect(await (await submit()).json()).toMatchObject({ status: 'created' });
}

const text = async (answer: Promise<Response>) => (await answer).text();
/** Ratings of the subject as each face of a node says them. */
const faces: readonly ((url: string) => Promise<number>)[] = [
  async (url) => Number(/"ratings":(\d+)/.exec(await text(get(`${url}/agents/${subject}.json`)()))?.[1]),
  async (url) =>
    Number(
      /"ratings":(\d+)/.exec(await text(post(`${url}/api/tools/get_agent`, { handle: subject })()))?.[1],
    ),
  async (url) => Number(/with (\d+) native/.exec(await text(get(`${url}/agents/${subject}`)()))?.[1] ?? 0),
  async (url) => Number(/with (\d+) native/.exec(await text(get(`${url}/agents/${subject}.md`)()))?.[1] ?? 0),
];

/**
 * Asks all faces of a node until each says so many ratings. Answers the milliseconds from now to the beginning of the
 * last request that was answered otherwise, 0 where none was: how slow the machine answers does not count.
 */
async function lastStale_ms({ url }: Running, ratings: number): Promise<number> {
  const began = performance.now();
  let stale_ms = 0;
  for (const face of faces)
    for (
      let asked_ms = performance.now() - began;
      (await face(url)) !== ratings;
      asked_ms = performance.now() - began
    ) {
      stale_ms = Math.max(stale_ms, asked_ms);
      if (asked_ms > 10_000) throw new Error(`${ratings} ratings are not shown after 10 s`);
    }
  return stale_ms;
}

describe('what one node wrote', () => {
  it('is shown by the other, whose answers were cached, 100 ms after it was acknowledged', async () => {
    const waits: number[] = [];
    await lastStale_ms(two, 0);
    for (let ratings = 1; ratings <= 50; ratings++) {
      await rate(one);
      waits.push(await lastStale_ms(two, ratings));
    }
    waits.sort((a, b) => a - b);
    // On a machine that does other work too the notification itself may be late, once in twenty.
    expect(waits[47]).toBeLessThan(100);
    expect(waits[49]).toBeLessThan(1000);
  });

  it('is shown by a node whose listening connection was lost', async () => {
    await lastStale_ms(two, 0);
    for (let ratings = 1; ratings <= 3; ratings++) {
      const { node } = two.context.store;
      const ended = await queryDatabase(
        nodes.databaseUrl,
        `select pg_terminate_backend(pid) as ended from pg_locks where locktype = 'advisory' and objid = ${node}`,
      );
      expect(ended).toEqual([{ ended: true }]);
      await rate(one);
      await lastStale_ms(two, ratings);
    }
  });
});

it('reaches subscribers on every node, each once a change', async () => {
  const heard: string[][] = [];
  const clients = await Promise.all(
    [one, two, two].map(async ({ url }, at) => {
      const client = new Client(
        { name: 'test', version: '1' },
        { versionNegotiation: { mode: { pin: '2026-07-28' } } },
      );
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/api/mcp`)));
      const uris: string[] = [];
      heard.push(uris);
      client.setNotificationHandler(
        'notifications/resources/updated',
        ({ params }) => void uris.push(params.uri),
      );
      const other = at === 2 ? 'a/other' : subject;
      await client.listen({ resourceSubscriptions: [`agent://${other}`] });
      return client;
    }),
  );
  for (let written = 1; written <= 3; written++) {
    await rate(written % 2 === 0 ? one : two);
    await expect.poll(() => heard.map((uris) => uris.length)).toEqual([written, written, 0]);
  }
  expect(heard.slice(0, 2).flat()).toEqual(Array(6).fill(`agent://${subject}`));
  await Promise.all(clients.map((client) => client.close()));
});
