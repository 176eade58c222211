import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { Problem } from '../core/problem.ts';
import { toWidestNetwork } from '../limits/networks.ts';
import type { Transaction } from '../store/store.ts';
import type { CheckReads, SharedCheck } from './checks.ts';

/** A place is checked at most once for a listing in this time. */
export const window_ms = 30_000;
/** A check that takes this much longer than its time-out is superseded. */
const grace_ms = 1000;
const pollEvery_ms = 100;

/** What a node needs to share checks. */
type Node = Pick<Context, 'store' | 'clock' | 'timeouts' | 'runningChecks' | 'checkTurns' | 'caller'>;

/** What is checked: a listing, at the kind and key of a place. */
interface CheckSubject {
  readonly handle: string;
  readonly place: string;
}

/** A finished check; `isRepeatable`: a first look that came before the commit, so that the next call looks at once. */
interface RepeatableOutcome {
  readonly isRepeatable?: boolean;
}

/** What stands when a check is to begin: another one that counts, or that it began. */
type Begun = { readonly current: SharedCheck } | { readonly isFirst: boolean };

/** A caller that would run the check. */
interface Attempt {
  readonly owner: string;
  /** Owner of a check that ran too long: it counts only if it has finished after all. */
  readonly late: string | undefined;
}

/** The newest check of this place, if it began less than 30 seconds ago. */
async function findRecent(
  checks: CheckReads,
  { subject, node }: { subject: CheckSubject; node: Node },
): Promise<SharedCheck | undefined> {
  const newest = await checks.newest(subject.handle, subject.place);
  if (!newest) return undefined;
  const age_ms = Math.abs(node.clock().getTime() - Date.parse(newest.begun_at));
  return age_ms < window_ms ? newest : undefined;
}

/** The recent check if it counts: finished and not to be repeated, or still running. */
async function findCurrent(
  checks: CheckReads,
  asked: { subject: CheckSubject; node: Node; late: string | undefined },
): Promise<SharedCheck | undefined> {
  const recent = await findRecent(checks, asked);
  if (!recent) return undefined;
  if (recent.outcome !== undefined)
    return (recent.outcome as RepeatableOutcome).isRepeatable ? undefined : recent;
  return recent.owner === asked.late ? undefined : recent;
}

/**
 * Records that a check begins, unless there is a current one, which is returned. `isFirst`: none of this place
 * began in the 30 seconds before.
 */
const begin = (subject: CheckSubject, node: Node, { owner, late }: Attempt): Promise<Begun> =>
  node.store.write<Begun>(async (tx) => {
    const current = await findCurrent(tx.checks, { subject, node, late });
    if (current) return { current };
    const isFirst = (await findRecent(tx.checks, { subject, node })) === undefined;
    const begun_at = node.clock().toISOString();
    await tx.checks.put({
      ...subject,
      begun_at,
      owner,
      outcome: undefined,
    });
    return { isFirst };
  });

/** Waits until a running check has finished, or has run too long: its node died. Returns it if it has finished. */
async function untilDone(
  { handle, place, owner, begun_at }: SharedCheck,
  { store, clock, timeouts }: Node,
): Promise<SharedCheck | undefined> {
  const longest_ms = timeouts.repositoryCheck_ms + grace_ms;
  const age_ms = clock().getTime() - Date.parse(begun_at);
  const end_ms = performance.now() + Math.max(0, longest_ms - Math.max(0, age_ms));
  while (performance.now() < end_ms) {
    await wait(pollEvery_ms);
    const newest = await store.checks.newest(handle, place);
    if (newest?.owner !== owner) return undefined;
    if (newest.outcome !== undefined) return newest;
  }
  return undefined;
}

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
  const leave = await checkTurns.enter({
    keys: [toWidestNetwork(caller.network)],
    isPreferred: hasClaim,
  });
  if (!leave) throw tooMany();
  return leave;
}

/**
 * Saves the outcome for all nodes in the transaction that applies it; `wasAnswered`: the host answered, and
 * there is something left to commit. Throws unavailable once the check is superseded.
 */
export type SaveOutcome = (tx: Transaction, outcome: object, wasAnswered: boolean) => Promise<void>;

/** The outcome of a check, when that check began (ms since 1970), and whether this call ran it. */
interface SharedOutcome<T> {
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
 *, so that nobody's place in the line depends on who else asked about the listing.
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
