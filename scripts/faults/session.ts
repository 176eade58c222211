import { setTimeout as wait } from 'node:timers/promises';
import type { Cluster } from '../soak/cluster.ts';
import { createLedger, type Ledger } from '../soak/writers.ts';
import type { Session } from './fault.ts';

const patience_ms = 100_000;

/** How many writes were acknowledged. */
export const countOf = ({ ratings, withdrawn, feedback, claims }: Ledger): number =>
  ratings.length + withdrawn.length + feedback.length + claims.length;

/** The part of a ledger that callers had been told before a time, ms since 1970. */
export function acknowledgedBefore(ledger: Ledger, time_ms: number): Ledger {
  const isBefore = ({ at_ms }: { readonly at_ms: number }) => at_ms < time_ms;
  const { ratings, withdrawn, feedback, claims } = ledger;
  return {
    ...ledger,
    ratings: ratings.filter(isBefore),
    withdrawn: withdrawn.filter(isBefore),
    feedback: feedback.filter(isBefore),
    claims: claims.filter(isBefore),
  };
}

const statusOf = async (url: string) => (await fetch(url)).status;

async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (const end_ms = performance.now() + patience_ms; !(await isSo()); await wait(50))
    if (performance.now() > end_ms) throw new Error(`${what}: not within ${patience_ms / 1000} s`);
}

/** A session on the first node of a cluster; what it measures is added to `ready_ms`. */
export function openSession(
  { cluster, file, ready_ms }: { cluster: Cluster; file: string; ready_ms: number[] },
  rounds: number,
): Session {
  const [node] = cluster.nodes;
  if (!node) throw new Error('no node');
  const ledger = createLedger();
  return {
    cluster,
    node,
    file,
    rounds,
    ledger,
    ready_ms,
    async restart(which = node) {
      const began_ms = performance.now();
      await which.start();
      await until('ready', async () => (await statusOf(`${which.url}/readyz`)) === 200);
      ready_ms.push(performance.now() - began_ms);
    },
    async recover() {
      const began_ms = performance.now();
      const before = countOf(ledger);
      await until('a write', () => countOf(ledger) > before);
      ready_ms.push(performance.now() - began_ms);
    },
    async requireReads() {
      const status = await statusOf(`${node.url}/agents?q=plain+${Math.random()}`);
      if (status !== 200) throw new Error(`a read was answered with ${status}`);
    },
  };
}
