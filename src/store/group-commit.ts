import { setImmediate } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import type { Db } from './engine.ts';

const mostTogether = 64;
const mostTries = 3;

/** What PostgreSQL says where a transaction was rolled back for another's sake and may run again (SQLSTATE 40001, 40P01). */
const isConflict = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === '40001' || error.code === '40P01');

const savepoint = CompiledQuery.raw('savepoint one');
const release = CompiledQuery.raw('release savepoint one');
const rollback = CompiledQuery.raw('rollback to savepoint one');

interface Waiting {
  /** Works in the transaction; what it throws, its own savepoint takes back. */
  run(db: Db): Promise<void>;
  committed(): void;
  failed(error: unknown): void;
}

/** Runs one transaction around `work` and answers once it is durable. */
export type Transact = (work: (db: Db) => Promise<void>) => Promise<void>;

/** What a work threw, whatever that was. */
interface Thrown {
  readonly error: unknown;
}

async function runOne(db: Db, waiting: Waiting): Promise<Thrown | undefined> {
  await db.executeQuery(savepoint);
  try {
    await waiting.run(db);
    await db.executeQuery(release);
    return undefined;
  } catch (error) {
    // Where the whole transaction is lost (disk full, connection gone), there is no savepoint to go back to.
    await db.executeQuery(rollback).catch(() => {
      throw error;
    });
    if (isConflict(error)) throw error;
    return { error };
  }
}

async function commitTogether(transact: Transact, group: readonly Waiting[]): Promise<void> {
  const failures = new Map<Waiting, Thrown>();
  const work = async (db: Db) => {
    failures.clear();
    if (group.length === 1) return group[0]?.run(db);
    for (const waiting of group) {
      const thrown = await runOne(db, waiting);
      if (thrown) failures.set(waiting, thrown);
    }
  };
  for (let tries = 1; ; tries++) {
    try {
      await transact(work);
      break;
    } catch (error) {
      if (isConflict(error) && tries < mostTries) continue;
      for (const waiting of group) waiting.failed(error);
      return;
    }
  }
  for (const waiting of group) {
    const thrown = failures.get(waiting);
    if (thrown) waiting.failed(thrown.error);
    else waiting.committed();
  }
}

/**
 * Transactions that come while one is under way share the next commit, one after the other and each on its own
 * savepoint: what one throws undoes only its own. Each is answered after the commit, never before it.
 */
export function createGroupCommit(transact: Transact): <T>(work: (db: Db) => Promise<T>) => Promise<T> {
  let queue: Waiting[] = [];
  let isBusy = false;
  const pump = async () => {
    isBusy = true;
    while (queue.length > 0) {
      // SQLite ends a commit before the next request is read: what came meanwhile is let in first.
      await setImmediate();
      const group = queue.slice(0, mostTogether);
      queue = queue.slice(mostTogether);
      await commitTogether(transact, group);
    }
    isBusy = false;
  };
  return <T>(work: (db: Db) => Promise<T>) => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let result: { readonly value: T } | undefined;
    queue.push({
      run: async (db) => {
        result = { value: await work(db) };
      },
      committed: () => result && resolve(result.value),
      failed: reject,
    });
    if (!isBusy) void pump();
    return promise;
  };
}
