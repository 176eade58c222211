import { randomUUID } from 'node:crypto';
import { toWidestNetwork } from '../../limits/networks.ts';
import { Problem } from '../../problem.ts';
import type { Transaction } from '../../store/store.ts';
import { type Begun, begin, type CheckSubject, findCurrent, type Node, untilDone } from './current-check.ts';

const tooMany = () =>
  new Problem('unavailable', {
    retry_after_s: 5,
    detail: 'Too many repositories are being checked at the moment.',
  });

/** Waits until a check may begin, unless there is a current one; returns what ends it. Throws unavailable. */
async function awaitTurn(subject: CheckSubject, node: Node): Promise<() => void> {
  const { store, checkTurns, caller } = node;
  if (await findCurrent(store.checks, { subject, node, late: undefined })) return () => {};
  const hasClaim = (await store.claims.claim(subject.handle)) !== undefined;
  const leave = await checkTurns.enter({ network: toWidestNetwork(caller.network), hasClaim });
  if (!leave) throw tooMany();
  return leave;
}

/**
 * Saves the outcome for all nodes in the transaction that applies it; `wasAnswered`: the host answered, and
 * there is something left to commit. Throws unavailable once the check is superseded.
 */
export type SaveOutcome = (tx: Transaction, outcome: object, wasAnswered: boolean) => Promise<void>;

/** The outcome of a check, when that check began (ms since 1970), and whether this call ran it. */
export interface SharedOutcome<T> {
  readonly outcome: T;
  readonly begun_ms: number;
  readonly isOwn: boolean;
}

const marked = <T extends object>(outcome: T, isRepeatable: boolean): T =>
  isRepeatable ? { ...outcome, isRepeatable } : outcome;

async function runOurs<T extends object>(
  { handle, place }: CheckSubject,
  { store, clock }: Node,
  { owner, isFirst, check }: { owner: string; isFirst: boolean; check: (save: SaveOutcome) => Promise<T> },
): Promise<SharedOutcome<T>> {
  const begun_ms = clock().getTime();
  let isRepeatable = false;
  const save: SaveOutcome = async (tx, outcome, wasAnswered) => {
    const newest = await tx.checks.newest(handle, place);
    if (newest?.owner !== owner) throw new Problem('unavailable', { retry_after_s: 1 });
    isRepeatable = isFirst && wasAnswered;
    await tx.checks.put({ ...newest, outcome: marked(outcome, isRepeatable) });
  };
  try {
    const outcome = await check(save);
    return { outcome: marked(outcome, isRepeatable), begun_ms, isOwn: true };
  } catch (error) {
    const remove = async (tx: Transaction) => {
      if ((await tx.checks.newest(handle, place))?.owner === owner) await tx.checks.remove(handle, place);
    };
    await store.write(remove).catch(() => undefined); // it runs too long, and is superseded anyway
    throw error;
  }
}

async function runForAllNodes<T extends object>(
  subject: CheckSubject,
  node: Node,
  check: (save: SaveOutcome) => Promise<T>,
): Promise<SharedOutcome<T>> {
  const id = randomUUID();
  for (let late: string | undefined; ; ) {
    // Most callers find a current check and need no transaction.
    const known = await findCurrent(node.store.checks, { subject, node, late });
    const begun: Begun = known ? { current: known } : await begin(subject, node, { owner: id, late });
    if (!('current' in begun))
      return await runOurs(subject, node, { owner: id, isFirst: begun.isFirst, check });
    const other = begun.current;
    const done = other.outcome === undefined ? await untilDone(other, node) : other;
    if (done?.outcome !== undefined)
      return { outcome: done.outcome as T, begun_ms: Date.parse(done.begun_at), isOwn: false };
    late = other.owner;
  }
}

/**
 * Runs one check per listing, place and 30 s across all nodes; concurrent callers wait for its result. The first one
 * after a pause does not count if the claimant has yet to commit: the next call looks at once, so a window has at most
 * two. A check whose node died or timed out is superseded and can no longer write. Each caller waits for a turn of its own
 * (repositories/turns.ts), so that nobody's place in the line depends on who else asked about the listing.
 */
export async function runSharedCheck<T extends object>(
  subject: CheckSubject,
  node: Node,
  check: (save: SaveOutcome) => Promise<T>,
): Promise<SharedOutcome<T>> {
  // Callers of this process wait together: each one polling the database for itself would slow down the check.
  const { runningChecks } = node;
  const key = `${subject.handle}\n${subject.place}`;
  const findRunning = () => runningChecks.get(key) as Promise<SharedOutcome<T>> | undefined;
  const join = async (running: Promise<SharedOutcome<T>>) => ({ ...(await running), isOwn: false });
  const running = findRunning();
  if (running !== undefined) return join(running);
  const leave = await awaitTurn(subject, node);
  const begun = findRunning();
  if (begun !== undefined) {
    leave();
    return join(begun);
  }
  const own = runForAllNodes(subject, node, check).finally(() => {
    runningChecks.delete(key);
    leave();
  });
  runningChecks.set(key, own);
  return own;
}
