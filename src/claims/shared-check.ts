import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { Problem } from '../problem.ts';
import type { CheckReads, SharedCheck } from '../store/contract/checks.ts';
import type { Lease } from '../store/lease.ts';
import type { Transaction } from '../store/store.ts';

/** A repository is checked at most once for a listing in this time. */
export const window_ms = 30_000;
/** A check that takes this much longer than its time-out is superseded. */
const grace_ms = 1000;
const pollEvery_ms = 100;

type Node = Pick<Context, 'store' | 'clock' | 'timeouts'>;

/** What is checked: a listing, and the repository it records. */
export interface CheckSubject {
  readonly handle: string;
  readonly repositoryKey: string;
}

/** Saves the outcome for all nodes in the transaction that applies it. Throws unavailable once the check is superseded. */
export type SaveOutcome = (tx: Transaction, outcome: object) => Promise<void>;

/** The outcome of a check, when that check began (ms since 1970), and whether this call ran it. */
export interface SharedOutcome<T> {
  readonly outcome: T;
  readonly begun_ms: number;
  readonly isOwn: boolean;
}

interface Attempt {
  readonly lease: Lease;
  /** Owner of a check that ran too long: it counts only if it has finished after all. */
  readonly late: string | undefined;
}

/** The newest check if it counts: of this repository, begun less than 30 seconds ago, and finished or still running. */
async function findCurrent(
  checks: CheckReads,
  { subject, node, late }: { subject: CheckSubject; node: Node; late: string | undefined },
): Promise<SharedCheck | undefined> {
  const newest = await checks.newest(subject.handle);
  if (newest?.repository_key !== subject.repositoryKey) return undefined;
  if (Math.abs(node.clock().getTime() - Date.parse(newest.begun_at)) >= window_ms) return undefined;
  if (newest.outcome !== undefined) return newest;
  return newest.owner !== late && (await node.store.leases.isHeld(newest.owner)) ? newest : undefined;
}

/** Records that a check begins, unless there is a current one. Returns undefined once it is recorded. */
const begin = (subject: CheckSubject, node: Node, { lease, late }: Attempt) =>
  node.store.write(async (tx) => {
    const current = await findCurrent(tx.checks, { subject, node, late });
    if (current) return current;
    const { handle, repositoryKey } = subject;
    const begun_at = node.clock().toISOString();
    await tx.checks.put({
      handle,
      repository_key: repositoryKey,
      begun_at,
      owner: lease.owner,
      outcome: undefined,
    });
    return undefined;
  });

/** Waits until a running check has finished, has run too long, or its node has died. */
async function untilDone({ handle, owner }: SharedCheck, { store, timeouts }: Node): Promise<void> {
  const end_ms = performance.now() + timeouts.repositoryCheck_ms + grace_ms;
  while (performance.now() < end_ms) {
    await wait(pollEvery_ms);
    const newest = await store.checks.newest(handle);
    if (newest?.owner !== owner || newest.outcome !== undefined) return;
    if (!(await store.leases.isHeld(owner))) return;
  }
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

/**
 * Runs one repository check per listing and 30 s across all nodes; concurrent callers wait for its result. A check whose
 * node died or timed out is superseded and can no longer write.
 */
export async function runSharedCheck<T extends object>(
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
