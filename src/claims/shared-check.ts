import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { Problem } from '../core/problem.ts';
import { toWidestNetwork } from '../limits/networks.ts';
import { findOne, upsert } from '../store/query.ts';
import type { Db, Reads, Transaction } from '../store/store.ts';
import { json, optional, type RowOf, table, text, type ValueOf } from '../store/table.ts';

const checkTable = table({
  handle: text,
  /** The kind and key of a location of the listing. */
  place: text,
  /** RFC 3339 UTC. */
  begun_at: text,
  /** An id of the check. */
  owner: text,
  /** The result, once there is one. */
  outcome: optional(json<object>()),
});
/** The latest check of a location where a listing can be claimed, stored for an hour so that all nodes return the same result. */
export type SharedCheck = ValueOf<typeof checkTable>;
type CheckSubject = Pick<SharedCheck, 'handle' | 'place'>;

declare module '../store/store.ts' {
  interface Schema {
    claim_check: RowOf<typeof checkTable>;
  }
}

export const createCheckReads = (db: Db) => ({
  /** The latest check of a location of a listing, in progress or done; available for at least an hour. */
  newest: (handle: string, place: string): Promise<SharedCheck | undefined> =>
    findOne(db, 'claim_check', { handle, place }, checkTable),
});

/** The same inside a transaction, with writes; they change no listing. */
export const createCheckWrites = (db: Db) => ({
  ...createCheckReads(db),
  /** Replaces the latest check of the location. */
  async put(check: SharedCheck): Promise<void> {
    await upsert(db, 'claim_check', checkTable.encode(check), 'handle', 'place').execute();
  },
  async remove(handle: string, place: string): Promise<void> {
    await db.deleteFrom('claim_check').where('handle', '=', handle).where('place', '=', place).execute();
  },
  /** Deletes checks that began before a time (RFC 3339). */
  async purge(before: string): Promise<void> {
    await db.deleteFrom('claim_check').where('begun_at', '<', before).execute();
  },
});

/** A location is checked at most once for a listing in this time. */
export const window_ms = 30_000;
/** A check that takes this much longer than its time-out is superseded. */
const grace_ms = 1000;
const pollEvery_ms = 100;

/**
 * The newest check of this location, if it began less than 30 seconds ago. It is current if it finished and is not to be
 * repeated, or is still running; the one of owner `late` ran too long, and counts only if it has finished after all.
 */
async function findRecent(
  { checks }: Pick<Reads, 'checks'>,
  { handle, place }: CheckSubject,
  { clock }: Context,
  late?: string,
) {
  const check = await checks.newest(handle, place);
  if (!check || Math.abs(clock().getTime() - Date.parse(check.begun_at)) >= window_ms) return undefined;
  // A first check that came before the commit is repeatable: the next call checks at once.
  const { isRepeatable } = (check.outcome ?? {}) as { readonly isRepeatable?: boolean };
  return { check, isCurrent: check.outcome ? !isRepeatable : check.owner !== late };
}

/** Waits until a running check has finished, or has run too long: its node died. Returns it if it has finished. */
async function untilDone(
  { handle, place, owner, begun_at }: SharedCheck,
  { store, clock, timeouts }: Context,
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

/** Waits until a check may begin, unless there is a current one; returns what ends it. Throws unavailable. */
async function awaitTurn(
  subject: CheckSubject & { readonly hasClaim: boolean },
  context: Context,
): Promise<() => void> {
  const { store, checkTurns, caller } = context;
  if ((await findRecent(store, subject, context))?.isCurrent) return () => {};
  const leave = await checkTurns.enter({
    keys: [toWidestNetwork(caller.network)],
    isPreferred: subject.hasClaim,
  });
  if (leave) return leave;
  const detail = 'Too many repositories are being checked at the moment.';
  throw new Problem('unavailable', { retry_after_s: 5, detail });
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

type RunCheck<T> = (save: SaveOutcome) => Promise<T>;

const marked = <T extends object>(outcome: T, isRepeatable: boolean): T =>
  isRepeatable ? { ...outcome, isRepeatable } : outcome;

/** `isFirst`: none of this location began in the 30 seconds before. */
async function runOurs<T extends object>(
  { handle, place, owner }: CheckSubject & { readonly owner: string },
  { store, clock }: Context,
  isFirst: boolean,
  check: RunCheck<T>,
): Promise<SharedOutcome<T>> {
  const begun_ms = clock().getTime();
  let isRepeatable = false;
  try {
    const outcome = await check(async (tx, found, wasAnswered) => {
      const newest = await tx.checks.newest(handle, place);
      if (newest?.owner !== owner) throw new Problem('unavailable', { retry_after_s: 1 });
      isRepeatable = isFirst && wasAnswered;
      await tx.checks.put({ ...newest, outcome: marked(found, isRepeatable) });
    });
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
  context: Context,
  check: RunCheck<T>,
): Promise<SharedOutcome<T>> {
  const owner = randomUUID();
  for (let late: string | undefined; ; ) {
    const find = (store: Pick<Reads, 'checks'>) => findRecent(store, subject, context, late);
    // Most callers find a current check and need no transaction.
    const known = await find(context.store);
    const recent = known?.isCurrent
      ? known
      : await context.store.write(async (tx) => {
          const found = await find(tx);
          const begun_at = context.clock().toISOString();
          if (!found?.isCurrent) await tx.checks.put({ ...subject, begun_at, owner, outcome: undefined });
          return found;
        });
    if (!recent?.isCurrent) return await runOurs({ ...subject, owner }, context, !recent, check);
    const other = recent.check;
    const done = other.outcome === undefined ? await untilDone(other, context) : other;
    if (done?.outcome !== undefined)
      return { outcome: done.outcome as T, begun_ms: Date.parse(done.begun_at), isOwn: false };
    late = other.owner;
  }
}

/**
 * Runs one check per listing, location and 30 s across all nodes; concurrent callers wait for its result. The first one
 * after a pause does not count if the claimant has yet to commit: the next call checks at once, so a window has at most
 * two. A check whose node died or timed out is superseded and can no longer write. Each caller waits for a turn of its own
 * (net/repositories.ts), so that nobody's place in the line depends on who else asked about the listing.
 */
export async function runSharedCheck<T extends object>(
  { hasClaim, ...subject }: CheckSubject & { readonly hasClaim: boolean },
  context: Context,
  check: RunCheck<T>,
): Promise<SharedOutcome<T>> {
  // Callers of this process wait together: each one polling the database for itself would slow down the check.
  const { runningChecks } = context;
  const key = `${subject.handle}\n${subject.place}`;
  const findRunning = () => runningChecks.get(key) as Promise<SharedOutcome<T>> | undefined;
  const join = async (running: Promise<SharedOutcome<T>>) => ({ ...(await running), isOwn: false });
  const running = findRunning();
  if (running !== undefined) return join(running);
  const leave = await awaitTurn({ ...subject, hasClaim }, context);
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
