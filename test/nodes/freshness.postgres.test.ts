import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Running } from '../../src/app/server.ts';
import { createNodes, get, type Nodes, post, queryDatabase } from '../support/nodes.ts';
import { addSource } from '../support/rating-source.ts';
import { ratingOf } from '../support/ratings.ts';

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
const rating = () =>
  ratingOf(subject, {
    interaction_id: `run-${interaction++}`,
    interaction_at: '2026-11-21T09:00:00Z',
    relationship: 'none',
  });

/** Submits one more rating at a node, whose answer says that it is recorded. */
async function rate({ url }: Running): Promise<void> {
  const submit = post(`${url}/api/tools/submit_rating`, rating(), { authorization: `Bearer ${capability}` });
  expect(await (await submit()).json()).toMatchObject({ status: 'created' });
}

const text = async (answer: Promise<Response>) => (await answer).text();
/** Ratings of the subject as each adapter of a node says them. */
const faces: readonly ((url: string) => Promise<number>)[] = [
  async (url) => Number(/"ratings":(\d+)/.exec(await text(get(`${url}/agents/${subject}.json`)()))?.[1]),
  async (url) =>
    Number(
      /(\d+) rating/.exec(await text(post(`${url}/api/tools/get_agent`, { handle: subject })()))?.[1] ?? 0,
    ),
  async (url) => Number(/(\d+) rating/.exec(await text(get(`${url}/agents/${subject}`)()))?.[1] ?? 0),
  async (url) => Number(/(\d+) rating/.exec(await text(get(`${url}/agents/${subject}.md`)()))?.[1] ?? 0),
];

/**
 * Waits until every adapter of a node shows so many ratings. `npm run lab soak:nodes` measures how soon.
 */
async function untilShown({ url }: Running, ratings: number): Promise<void> {
  for (const face of faces) await expect.poll(() => face(url), { interval: 10 }).toBe(ratings);
}

/** Breaks the connections on which nodes hear of others' writes. */
async function endListening(): Promise<void> {
  const ended = await queryDatabase(
    nodes.databaseUrl,
    `select pg_terminate_backend(pid) as ended from pg_locks
     where locktype = 'advisory' and mode = 'ShareLock'
       and database = (select oid from pg_database where datname = current_database())`,
  );
  expect(ended).toContainEqual({ ended: true });
}

describe('what one node wrote', () => {
  it('is shown by the other, whose answers were cached', async () => {
    await untilShown(two, 0);
    for (let ratings = 1; ratings <= 20; ratings++) {
      await rate(one);
      await untilShown(two, ratings);
    }
  });

  it('is shown by a node whose listening connection was lost', async () => {
    await untilShown(two, 0);
    for (let ratings = 1; ratings <= 3; ratings++) {
      await endListening();
      await rate(one);
      await untilShown(two, ratings);
    }
  });
});

describe('subscribers', () => {
  /** Subscribes at a node to one listing; `heard` are the addresses it is told of. */
  async function subscribe({ url }: Running, handle = subject) {
    const mode = { pin: '2026-07-28' };
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/api/mcp`)));
    const heard: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      heard.push(params.uri);
    });
    await client.listen({ resourceSubscriptions: [`agent://${handle}`] });
    return { heard, close: () => client.close() };
  }

  it('hear it on every node, each once a change', async () => {
    const here = await subscribe(one);
    const there = await subscribe(two);
    const elsewhere = await subscribe(two, 'a/other');
    for (let written = 1; written <= 3; written++) {
      await rate(written % 2 === 0 ? one : two);
      await expect.poll(() => [here.heard.length, there.heard.length]).toEqual([written, written]);
    }
    expect([...here.heard, ...there.heard]).toEqual(Array(6).fill(`agent://${subject}`));
    expect(elsewhere.heard).toEqual([]);
    for (const { close } of [here, there, elsewhere]) await close();
  });

  it('are notified of what changed meanwhile when their node may have missed a change, and of nothing else', async () => {
    const { heard, close } = await subscribe(two);
    const elsewhere = await subscribe(two, 'a/other');
    await endListening();
    await rate(one);
    await expect.poll(() => heard).toContain(`agent://${subject}`);
    expect(elsewhere.heard).toEqual([]);
    for (const one of [{ close }, elsewhere]) await one.close();
  });
});
