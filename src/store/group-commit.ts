import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { CompiledQuery, type Kysely } from 'kysely';
import { inTransaction, refuseInTransaction } from '../core/transaction.ts';

const mostPerCommit = 64;
const mostTries = 3;

/** PostgreSQL rolled the transaction back in favour of a concurrent one, and it can run again. */
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

/** Resolves once the transaction is durable. */
export type Transact<Schema> = (work: (db: Kysely<Schema>) => Promise<void>) => Promise<void>;

/**
 * An error of the work is in an object, because any value can be thrown. Throws if the whole transaction is
 * lost or has to run again.
 */
async function runOnSavepoint<Schema>(db: Kysely<Schema>, queued: Queued<Schema>) {
  await db.executeQuery(savepoint);
  try {
    await queued.run(db);
    await db.executeQuery(release);
    return undefined;
  } catch (error) {
    // If the whole transaction is lost (disk full, connection gone), its savepoint is lost too.
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

async function commitGroup<Schema>(
  transact: Transact<Schema>,
  group: readonly Queued<Schema>[],
): Promise<void> {
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
 * Up to 64 pieces of work that arrive during a commit share the next one. Each then has a savepoint, so an
 * error rolls back only its own changes.
 */
export function createGroupCommit<Schema>(
  transact: Transact<Schema>,
): <T>(work: (db: Kysely<Schema>) => Promise<T>) => Promise<T> {
  let queue: Queued<Schema>[] = [];
  let isBusy = false;
  const commitQueue = async () => {
    isBusy = true;
    while (queue.length > 0) {
      // A commit of SQLite blocks the thread; requests that arrived meanwhile are read first and join this
      // group.
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
    // Otherwise all work of a group would run in the async context of the caller that began it.
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
