import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { CheckReads, SharedCheck } from '../store/contract/checks.ts';
import type { Lease } from '../store/lease.ts';

/** A repository is checked at most once for a listing in this time. */
export const window_ms = 30_000;
/** A check that takes this much longer than its time-out is superseded. */
const grace_ms = 1000;
const pollEvery_ms = 100;

/** What a node needs to share checks. */
export type Node = Pick<Context, 'store' | 'clock' | 'timeouts' | 'runningChecks'>;

/** What is checked: a listing, and the repository it records. */
export interface CheckSubject {
  readonly handle: string;
  readonly repositoryKey: string;
}

/** A caller that would run the check. */
export interface Attempt {
  readonly lease: Lease;
  /** Owner of a check that ran too long: it counts only if it has finished after all. */
  readonly late: string | undefined;
}

/** The newest check if it counts: of this repository, begun less than 30 seconds ago, and finished or still running. */
export async function findCurrent(
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
export const begin = (subject: CheckSubject, node: Node, { lease, late }: Attempt) =>
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
export async function untilDone({ handle, owner }: SharedCheck, { store, timeouts }: Node): Promise<void> {
  const end_ms = performance.now() + timeouts.repositoryCheck_ms + grace_ms;
  while (performance.now() < end_ms) {
    await wait(pollEvery_ms);
    const newest = await store.checks.newest(handle);
    if (newest?.owner !== owner || newest.outcome !== undefined) return;
    if (!(await store.leases.isHeld(owner))) return;
  }
}
