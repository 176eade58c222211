import { setTimeout as wait } from 'node:timers/promises';
import { openPostgresStore } from '../../src/app/postgres-store.ts';
import { startReceiver } from '../../test/support/receiver.ts';
import type { ClusterNode } from './cluster.ts';

const listings = 10;
const writeEvery_ms = 20;
const longestWait_ms = 60_000;

/** What arrived somewhere, in the order of arrival. */
interface Arrived {
  readonly seq: number;
  readonly handle: string;
}

/** How what arrived compares with what was written. */
export interface Arrival {
  readonly arrived: number;
  readonly lost: number;
  /** Changes that came again. */
  readonly repeated: number;
  /** Changes whose first arrival came after that of a later one of the same listing. */
  readonly outOfOrder: number;
}

/** The figures of a run. */
export interface ChangesSoak {
  readonly written: number;
  readonly kills: number;
  readonly webhook: Arrival;
  readonly stream: Arrival;
}

/** Compares arrivals with the positions that were written. */
export function judge(written: readonly number[], arrived: readonly Arrived[]): Arrival {
  const seen = new Set<number>();
  const newest = new Map<string, number>();
  let outOfOrder = 0;
  for (const { seq, handle } of arrived) {
    if (seen.has(seq)) continue;
    seen.add(seq);
    if (seq < (newest.get(handle) ?? 0)) outOfOrder += 1;
    newest.set(handle, Math.max(seq, newest.get(handle) ?? 0));
  }
  const lost = written.filter((seq) => !seen.has(seq)).length;
  return { arrived: seen.size, lost, repeated: arrived.length - seen.size, outOfOrder };
}

/** Reads `/changes` from whatever node is up, and goes on where it was. */
async function follow(
  nodes: readonly ClusterNode[],
  arrived: Arrived[],
  stopped: AbortSignal,
): Promise<void> {
  let since = '0';
  for (let at = 0; !stopped.aborted; at += 1) {
    const node = nodes[at % nodes.length];
    await wait(50);
    if (!node?.isUp) continue;
    try {
      const answer = await fetch(`${node.url}/changes?since=${since}`, { signal: stopped });
      const lines = (await answer.text()).split('\n').filter(Boolean);
      if (!answer.ok) continue;
      arrived.push(...lines.map((line) => JSON.parse(line) as Arrived));
      since = answer.headers.get('dossier-next-since') ?? since;
    } catch {
      // The node was killed: the next one goes on.
    }
  }
}

async function register(node: ClusterNode): Promise<string> {
  const answer = await fetch(`${node.url}/api/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"url":"https://hook.example/in"}',
  });
  const { secret } = (await answer.json()) as { secret?: string };
  if (!secret) throw new Error(`the webhook was not registered: ${answer.status}`);
  return secret;
}

/** Kills one node after the other, each only while another is up, and starts it again. */
async function killNodes(nodes: readonly ClusterNode[], kills: number): Promise<void> {
  for (let killed = 0; killed < kills; killed += 1) {
    await wait(500 + Math.random() * 1000);
    const node = nodes[Math.floor(Math.random() * nodes.length)];
    await node?.kill();
    await node?.start();
  }
}

/** Adds changes of a few listings until the signal; returns their positions. */
async function writeChanges(databaseUrl: string, stopped: AbortSignal): Promise<number[]> {
  const store = await openPostgresStore(databaseUrl);
  const written: number[] = [];
  while (!stopped.aborted) {
    const at = new Date().toISOString();
    const handle = `com.example/n${Math.floor(Math.random() * listings)}`;
    written.push(
      await store.write(async (tx) => {
        await tx.changes.add([{ type: 'listing.changed', handle, at, data: {} }]);
        return (await tx.changes.newest(1))[0]?.seq ?? 0;
      }),
    );
    await wait(writeEvery_ms);
  }
  await store.close();
  return written;
}

/**
 * Writes changes while nodes of one PostgreSQL are killed and started again, and compares what a webhook and
 * a stream got. The nodes are not started yet, and reach `hook.example` at `hookPort` of loopback.
 */
export async function soakChanges(
  nodes: readonly ClusterNode[],
  { databaseUrl, hookPort, kills }: { databaseUrl: string; hookPort: number; kills: number },
): Promise<ChangesSoak> {
  const receiver = await startReceiver(hookPort);
  receiver.answer = (_posted, response) => void setTimeout(() => response.writeHead(204).end(), 3);
  const writing = new AbortController();
  const following = new AbortController();
  const streamed: Arrived[] = [];
  try {
    for (const node of nodes) await node.start();
    const [first] = nodes;
    if (first) receiver.secret = await register(first);
    const reading = follow(nodes, streamed, following.signal);
    const changes = writeChanges(databaseUrl, writing.signal);
    await killNodes(nodes, kills);
    writing.abort();
    const written = await changes;
    const isComplete = () =>
      [receiver.posted, streamed].every((arrived) => judge(written, arrived).lost === 0);
    for (const end_ms = Date.now() + longestWait_ms; !isComplete() && Date.now() < end_ms; ) await wait(200);
    following.abort();
    await reading;
    return {
      written: written.length,
      kills,
      webhook: judge(written, receiver.posted),
      stream: judge(written, streamed),
    };
  } finally {
    writing.abort();
    following.abort();
    await receiver.close();
  }
}
