import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { CompiledQuery, type Kysely } from 'kysely';
import { inTransaction, refuseInTransaction } from '../core/transaction.ts';

const mostPerCommit = 64;
const mostTries = 3;

/** Rolled back by PostgreSQL for another transaction; it can run again. */
const isConflict = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === '40001' || error.code === '40P01');

const savepoint = CompiledQuery.raw('savepoint one');
const release = CompiledQuery.raw('release savepoint one');
const rollback = CompiledQuery.raw('rollback to savepoint one');

interface Queued<Schema> {
  run(db: Kysely<Schema>): Promise<void>;
  committed(): void;
  failed(error: unknown): void;
}

/** Resolves when durable. */
export type Transact<Schema> = (work: (db: Kysely<Schema>) => Promise<void>) => Promise<void>;

/**
 * In an object, because any value can be thrown. Throws if the whole transaction is lost or has to run
 * again.
 */
async function runOnSavepoint<Schema>(db: Kysely<Schema>, queued: Queued<Schema>) {
  await db.executeQuery(savepoint);
  try {
    await queued.run(db);
    await db.executeQuery(release);
    return undefined;
  } catch (error) {
    // The savepoint is lost with the transaction (disk full, connection gone).
    await db.executeQuery(rollback).catch(() => {
      throw error;
    });
    if (isConflict(error)) throw error;
    return { error };
  }
}

async function transactWithRetries<Schema>(
  transact: Transact<Schema>,
  work: (db: Kysely<Schema>) => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await transact(work);
    } catch (error) {
      if (!isConflict(error) || tries >= mostTries) throw error;
    }
  }
}

async function commitGroup<Schema>(transact: Transact<Schema>, group: readonly Queued<Schema>[]) {
  const failures = new Map<Queued<Schema>, { readonly error: unknown }>();
  const work = async (db: Kysely<Schema>) => {
    failures.clear();
    if (group.length === 1) return group[0]?.run(db);
    for (const queued of group) {
      const thrown = await runOnSavepoint(db, queued);
      if (thrown) failures.set(queued, thrown);
    }
  };
  try {
    await transactWithRetries(transact, work);
  } catch (error) {
    for (const queued of group) queued.failed(error);
    return;
  }
  for (const queued of group) {
    const thrown = failures.get(queued);
    if (thrown) queued.failed(thrown.error);
    else queued.committed();
  }
}

/**
 * What arrives during a commit shares the next one, up to 64 pieces. Each has a savepoint, so an error
 * rolls back only its own changes.
 */
export function createGroupCommit<Schema>(transact: Transact<Schema>) {
  let queue: Queued<Schema>[] = [];
  let isBusy = false;
  const commitQueue = async () => {
    isBusy = true;
    while (queue.length > 0) {
      // SQLite's commit blocks the thread: requests that arrived meanwhile join this group.
      await setImmediate();
      const group = queue.slice(0, mostPerCommit);
      queue = queue.slice(mostPerCommit);
      await commitGroup(transact, group);
    }
    isBusy = false;
  };
  return async <T>(work: (db: Kysely<Schema>) => Promise<T>) => {
    refuseInTransaction('a write of its own');
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let result: { readonly value: T } | undefined;
    // Not in the async context of the group's first caller.
    const asCaller = AsyncLocalStorage.snapshot();
    queue.push({
      run: async (db) => {
        result = { value: await asCaller(() => inTransaction(() => work(db))) };
      },
      committed: () => result && resolve(result.value),
      failed: reject,
    });
    if (!isBusy) void commitQueue();
    return promise;
  };
}
