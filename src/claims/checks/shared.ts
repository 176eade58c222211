import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { Problem } from '../../core/problem.ts';
import { toWidestNetwork } from '../../limits/limit.ts';
import { findOne, upsert } from '../../store/query.ts';
import type { Lease } from '../../store/store.ts';
import type { TableValue } from '../../store/table.ts';
import { type ClaimTransaction, checkTable, type Db } from '../schema.ts';

/** Stored, so that all nodes return the same result. */
export type SharedCheck = TableValue<typeof checkTable>;
type CheckName = Pick<SharedCheck, 'handle' | 'place'>;

interface CheckSubject extends CheckName {
  readonly hasClaim: boolean;
  /** How long later callers get the outcome. */
  readonly shared_ms: number;
}

export const createCheckReads = (db: Db) => ({
  /** Kept for at least an hour, unless a newer one replaces it. */
  newest: (handle: string, place: string): Promise<SharedCheck | undefined> =>
    findOne(db, 'claim_check', { handle, place }, checkTable),
});

export const createCheckWrites = (db: Db) => ({
  ...createCheckReads(db),
  async put(check: SharedCheck): Promise<void> {
    await upsert(db, 'claim_check', checkTable.encode(check), 'handle', 'place').execute();
  },
  async purge(before: string): Promise<void> {
    await db.deleteFrom('claim_check').where('begun_at', '<', before).execute();
  },
});

/** For so long, later callers get the outcome of a requested check, unless it may be repeated. */
export const window_ms = 30_000;
const pollEvery_ms = 100;

const leaseOf = ({ handle, place }: CheckName) => `check/${handle} ${place}`;

async function findRecent({ handle, place, shared_ms }: CheckSubject, { store, clock }: Context) {
  const check = await store.checks.newest(handle, place);
  if (!check || Math.abs(clock().getTime() - Date.parse(check.begun_at)) >= shared_ms) return undefined;
  const { isRepeatable = false } = check.outcome as { readonly isRepeatable?: boolean };
  return { check, isCurrent: !isRepeatable };
}

async function awaitTurn(subject: CheckSubject, context: Context) {
  const { checkTurns, caller } = context;
  if ((await findRecent(subject, context))?.isCurrent) return () => {};
  const leave = await checkTurns.enter({
    keys: [toWidestNetwork(caller.network)],
    isPreferred: subject.hasClaim,
  });
  if (leave) return leave;
  const detail = 'Too many claims are being checked at the moment.';
  throw new Problem('unavailable', { retry_after_s: 5, detail });
}

/**
 * Called in the transaction that applies the outcome. `wasAnswered`: nothing was proven, although the host or
 * DNS gave a usable answer.
 * @throws unavailable if a newer check may have begun by now
 */
export type SaveOutcome = (tx: ClaimTransaction, outcome: object, wasAnswered: boolean) => Promise<void>;

interface SharedOutcome<T> {
  readonly outcome: T;
  readonly begun_ms: number;
  readonly isOwn: boolean;
}

type RunCheck<T> = (save: SaveOutcome) => Promise<T>;

/** `isFirst`: none with this handle and place began in the last 30 seconds. */
async function runOurs<T extends object>(
  { handle, place }: CheckName,
  { clock }: Context,
  { lease, isFirst }: { readonly lease: Lease; readonly isFirst: boolean },
  check: RunCheck<T>,
): Promise<SharedOutcome<T>> {
  const begun = clock();
  let mark: { readonly isRepeatable?: true } = {};
  const outcome = await check(async (tx, found, wasAnswered) => {
    if (!(await tx.leases.isHeldBy(lease))) throw new Problem('unavailable', { retry_after_s: 1 });
    mark = isFirst && wasAnswered ? { isRepeatable: true } : {};
    const checked = { handle, place, begun_at: begun.toISOString(), owner: lease.owner };
    await tx.checks.put({ ...checked, outcome: { ...found, ...mark } });
  });
  return { outcome: { ...outcome, ...mark }, begun_ms: begun.getTime(), isOwn: true };
}

async function runForAllNodes<T extends object>(
  subject: CheckSubject,
  context: Context,
  check: RunCheck<T>,
): Promise<SharedOutcome<T>> {
  const name = leaseOf(subject);
  let recent = await findRecent(subject, context);
  const before = recent?.check.owner;
  const end_ms = performance.now() + context.timeouts.request_ms;
  for (;;) {
    // A caller gets the outcome that it waited for, even if the next call repeats that check.
    if (recent && (recent.isCurrent || recent.check.owner !== before)) {
      const { outcome, begun_at } = recent.check;
      return { outcome: outcome as T, begun_ms: Date.parse(begun_at), isOwn: false };
    }
    await using lease = await context.store.leases.take(name);
    recent = await findRecent(subject, context);
    if (lease && (!recent || recent.check.owner === before))
      return await runOurs(subject, context, { lease, isFirst: !recent }, check);
    const detail = 'Another node of this service is checking this location.';
    if (performance.now() >= end_ms) throw new Problem('unavailable', { retry_after_s: 5, detail });
    if (!lease) await wait(pollEvery_ms);
  }
}

/**
 * Checks with the same handle and place run one at a time across all nodes. Their outcome is shared for
 * `shared_ms`. One outcome is not shared later: a usable answer that proves nothing, if the check
 * was requested and no other check began in that time before it. The claimant may publish a line right after
 * such a check.
 */
export async function runSharedCheck<T extends object>(
  subject: CheckSubject,
  context: Context,
  check: RunCheck<T>,
): Promise<SharedOutcome<T>> {
  // Each would otherwise poll the database.
  const { runningChecks } = context;
  const key = leaseOf(subject);
  const findRunning = () => runningChecks.get(key) as Promise<SharedOutcome<T>> | undefined;
  const join = async (running: Promise<SharedOutcome<T>>) => ({ ...(await running), isOwn: false });
  const running = findRunning();
  if (running !== undefined) return join(running);
  const leave = await awaitTurn(subject, context);
  const begun = findRunning();
  if (begun !== undefined) {
    leave();
    return join(begun);
  }
  const own = runForAllNodes(subject, context, check).finally(() => {
    runningChecks.delete(key);
    leave();
  });
  runningChecks.set(key, own);
  return own;
}
