import { Problem } from '../problem.ts';
import type { Transaction } from '../store/store.ts';
import { begin, type CheckSubject, findCurrent, type Node, untilDone } from './current-check.ts';

/** Saves the outcome for all nodes in the transaction that applies it. Throws unavailable once the check is superseded. */
export type SaveOutcome = (tx: Transaction, outcome: object) => Promise<void>;

/** The outcome of a check, when that check began (ms since 1970), and whether this call ran it. */
export interface SharedOutcome<T> {
  readonly outcome: T;
  readonly begun_ms: number;
  readonly isOwn: boolean;
}

async function runOurs<T extends object>(
  { handle }: CheckSubject,
  { store, clock }: Node,
  { owner, check }: { owner: string; check: (save: SaveOutcome) => Promise<T> },
): Promise<SharedOutcome<T>> {
  const begun_ms = clock().getTime();
  const save: SaveOutcome = async (tx, outcome) => {
    const newest = await tx.checks.newest(handle);
    if (newest?.owner !== owner) throw new Problem('unavailable', { retry_after_s: 1 });
    await tx.checks.put({ ...newest, outcome });
  };
  try {
    return { outcome: await check(save), begun_ms, isOwn: true };
  } catch (error) {
    const remove = async (tx: Transaction) => {
      if ((await tx.checks.newest(handle))?.owner === owner) await tx.checks.remove(handle);
    };
    await store.write(remove).catch(() => undefined); // its lease ends now, so that it is superseded anyway
    throw error;
  }
}

async function runForAllNodes<T extends object>(
  subject: CheckSubject,
  node: Node,
  check: (save: SaveOutcome) => Promise<T>,
): Promise<SharedOutcome<T>> {
  const lease = node.store.leases.take();
  try {
    for (let late: string | undefined; ; ) {
      // Most callers find a current check and need no transaction.
      const other =
        (await findCurrent(node.store.checks, { subject, node, late })) ??
        (await begin(subject, node, { lease, late }));
      if (!other) return await runOurs(subject, node, { owner: lease.owner, check });
      if (other.outcome !== undefined)
        return {
          outcome: other.outcome as T,
          begun_ms: Date.parse(other.begun_at),
          isOwn: false,
        };
      await untilDone(other, node);
      late = other.owner;
    }
  } finally {
    lease.end();
  }
}

/**
 * Runs one repository check per listing and 30 s across all nodes; concurrent callers wait for its result. A check whose
 * node died or timed out is superseded and can no longer write.
 */
export async function runSharedCheck<T extends object>(
  subject: CheckSubject,
  node: Node,
  check: (save: SaveOutcome) => Promise<T>,
): Promise<SharedOutcome<T>> {
  // Callers of this process wait together: each one polling the database for itself would slow down the check.
  const { runningChecks } = node;
  const key = `${subject.handle}\n${subject.repositoryKey}`;
  const running = runningChecks.get(key) as Promise<SharedOutcome<T>> | undefined;
  if (running !== undefined) return { ...(await running), isOwn: false };
  const own = runForAllNodes(subject, node, check).finally(() => runningChecks.delete(key));
  runningChecks.set(key, own);
  return own;
}
