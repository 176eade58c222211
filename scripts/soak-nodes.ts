import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findDuplicates, findLogTrouble, findLost, type Seen, seeCheckpoint } from './soak/audit.ts';
import { type Cluster, type ClusterNode, openCluster } from './soak/cluster.ts';
import { read } from './soak/readers.ts';
import { createTally, type Tally } from './soak/requests.ts';
import { createLedger, write } from './soak/writers.ts';

// Usage: npm run lab soak:nodes -- [--minutes 10]. Mixed load on nodes of one PostgreSQL, one killed every 10
// seconds.
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, nodes: { type: 'string', default: '2' } },
});
const minutes = Number(values.minutes);
const writers = 8;
const readers = 8;
const subjects = 30;
const killEvery_ms = 10_000;

interface Kills {
  times: number;
  readonly starts_ms: number[];
}

/** Kills one node after the other, each only while another is up, and starts it again at once. */
async function killNodes({ nodes }: Cluster, kills: Kills, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    await wait(killEvery_ms, undefined, { signal: stopped }).catch(() => undefined);
    const up: readonly ClusterNode[] = nodes.filter(({ isUp }) => isUp);
    const node = up[Math.floor(Math.random() * up.length)];
    if (stopped.aborted || !node || up.length < 2) continue;
    await node.kill();
    kills.times += 1;
    kills.starts_ms.push(await node.start());
  }
}

async function watchLog({ nodes }: Cluster, seen: Seen, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    for (const node of nodes.filter(({ isUp }) => isUp)) await seeCheckpoint(node, seen);
    await wait(1000, undefined, { signal: stopped }).catch(() => undefined);
  }
}

const toText = ({ counts }: Tally) =>
  [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ') || 'none';
const median = (numbers: readonly number[]) =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
const total = ({ counts }: Tally) => [...counts.values()].reduce((sum, count) => sum + count, 0);
const named = (items: readonly string[]) =>
  [items.length, ...items.slice(0, 5)].join(items.length > 0 ? '\n      ' : '');

async function soak(cluster: Cluster): Promise<boolean> {
  const ledger = createLedger();
  const answers = createTally();
  const readErrors = createTally();
  const [seen, kills]: [Seen, Kills] = [new Map(), { times: 0, starts_ms: [] }];
  await Promise.all(cluster.nodes.map((node) => node.start()));
  const stopping = new AbortController();
  const { signal } = stopping;
  const rated = cluster.handles.slice(writers);
  const work = [
    killNodes(cluster, kills, signal),
    watchLog(cluster, seen, signal),
    ...cluster.capabilities.map((capability, at) =>
      write(
        cluster,
        { capability, subjects: rated.slice(at * subjects, (at + 1) * subjects), ledger },
        signal,
      ),
    ),
    ...Array.from({ length: readers }, () => read(cluster, { answers, errors: readErrors }, signal)),
  ];
  await Promise.race([wait(minutes * 60_000), Promise.all(work)]);
  stopping.abort();
  await Promise.all(work);

  const lost = await findLost(cluster, ledger);
  const duplicates = await findDuplicates(cluster);
  const { checked, trouble } = await findLogTrouble(cluster, ledger, seen);
  const imports = await cluster.query(`select state, count(*)::int as runs from import_run group by state`);
  const writes = ledger.ratings.length + ledger.withdrawn.length + ledger.feedback.length;
  const rows: readonly [string, string | number][] = [
    ['minutes, nodes', `${minutes}, ${cluster.nodes.length}`],
    [
      'nodes killed (-9), median time until it listens again',
      `${kills.times}, ${Math.round(median(kills.starts_ms))} ms`,
    ],
    ['reads answered', `${total(answers)} (${toText(answers)})`],
    ['read errors', toText(readErrors)],
    ['writes acknowledged', `${writes}, of them recorded already when sent again ${ledger.replayed}`],
    ['write errors', toText(ledger.errors)],
    ['imports', imports.map(({ state, runs }) => `${runs} ${state}`).join(', ')],
    ['acknowledged writes lost', named(lost)],
    ['duplicate ratings', named(duplicates)],
    [`log trouble (${checked} checkpoints seen)`, named(trouble)],
    [`stale reads at another node, of ${ledger.rereads} after 100 ms`, named(ledger.stale)],
  ];
  for (const [what, figure] of rows) process.stdout.write(`${what.padEnd(56)} ${figure}\n`);
  return [lost, duplicates, trouble, ledger.stale].every((found) => found.length === 0);
}

const cluster = await openCluster({ size: Number(values.nodes), sources: writers });
try {
  if (!(await soak(cluster))) process.exitCode = 1;
} finally {
  await cluster.close();
}
