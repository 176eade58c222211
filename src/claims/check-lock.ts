import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { Problem } from '../problem.ts';
import type { ClaimCheckRow, Transaction } from '../store/store.ts';
import { type Looked, window_ms } from './throttle.ts';

/** A look at one repository takes 8 seconds at the most; one that takes longer is passed over. */
const patience_ms = 9000;
const pause_ms = 100;

type Node = Pick<Context, 'store' | 'clock'>;

/** What is looked at. */
export interface Subject {
  readonly handle: string;
  readonly repositoryKey: string;
}

/** Keeps the outcome for all nodes, in the transaction that applies it. Throws unavailable where it came too late. */
export type KeepOutcome = (tx: Transaction, outcome: object) => Promise<void>;

const nodeOf = (owner: string) => owner.slice(0, owner.lastIndexOf('/'));

/** Whether a look counts: done or under way, less than 30 seconds old, of a node that is not known to be gone. */
async function counts(row: ClaimCheckRow, { repositoryKey }: Subject, { store, clock }: Node) {
  if (row.repository_key !== repositoryKey) return false;
  if (Math.abs(clock().getTime() - Date.parse(row.begun_at)) >= window_ms) return false;
  return row.outcome !== null || store.isPresent(nodeOf(row.owner));
}

/** Begins a look; answers the one that counts instead, where there is one. A `late` one counts only once it is done. */
const begin = (subject: Subject, node: Node, { owner, late }: { owner: string; late: string | undefined }) =>
  node.store.write(async (tx) => {
    const { handle, repositoryKey } = subject;
    const newest = await tx.checks.newest(handle);
    const isLate = newest?.owner === late && newest?.outcome === null;
    if (newest && !isLate && (await counts(newest, subject, node))) return newest;
    const begun_at = node.clock().toISOString();
    await tx.checks.put({ handle, repository_key: repositoryKey, begun_at, owner, outcome: null });
    return undefined;
  });

/** Waits while a look of another node is under way; not longer than a look can take, and not for a node that died. */
async function untilDone({ handle, owner }: ClaimCheckRow, { store }: Node): Promise<void> {
  const end_ms = performance.now() + patience_ms;
  while (performance.now() < end_ms) {
    await wait(pause_ms);
    const newest = await store.checks.newest(handle);
    if (newest?.owner !== owner || newest.outcome !== null) return;
    if (!(await store.isPresent(nodeOf(owner)))) return;
  }
}

async function lookOurselves<T extends object>(
  { handle }: Subject,
  { store, clock }: Node,
  { owner, look }: { owner: string; look: (keep: KeepOutcome) => Promise<T> },
): Promise<Looked<T>> {
  const at_ms = clock().getTime();
  const keep: KeepOutcome = async (tx, outcome) => {
    const newest = await tx.checks.newest(handle);
    if (newest?.owner !== owner) throw new Problem('unavailable', { retry_after_s: 1 });
    await tx.checks.put({ ...newest, outcome: JSON.stringify(outcome) });
  };
  try {
    return { outcome: await look(keep), at_ms, isOwn: true };
  } catch (error) {
    const giveUp = async (tx: Transaction) => {
      if ((await tx.checks.newest(handle))?.owner === owner) await tx.checks.remove(handle);
    };
    await store.write(giveUp).catch(() => undefined); // the look is passed over in a moment
    throw error;
  }
}

/**
 * Looks, unless a node on the same database did so in the last 30 seconds or does so now: then what that came to is
 * answered. A look whose node died or that takes too long is passed over, and changes nothing any more.
 */
export async function shareLook<T extends object>(
  subject: Subject,
  node: Node,
  look: (keep: KeepOutcome) => Promise<T>,
): Promise<Looked<T>> {
  const owner = `${node.store.node}/${randomUUID()}`;
  let late: string | undefined;
  for (;;) {
    const other = await begin(subject, node, { owner, late });
    if (!other) return lookOurselves(subject, node, { owner, look });
    if (other.outcome !== null)
      return { outcome: JSON.parse(other.outcome) as T, at_ms: Date.parse(other.begun_at), isOwn: false };
    await untilDone(other, node);
    late = other.owner;
  }
}
