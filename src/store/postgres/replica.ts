import { setTimeout as wait } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { textOf } from '../../core/process.ts';
import type { Db } from '../schema.ts';
import type { ChangedHandles } from '../store.ts';
import { createDb, readConnections, toPoolConfig } from './connection.ts';
import type { openWatch } from './watch.ts';

const searchOptions = '-c enable_seqscan=off -c jit=off -c max_parallel_workers_per_gather=0';

/** A wrong address fails at start. */
export async function openReplica<Schema>(url: string): Promise<Kysely<Schema>> {
  const db = createDb<Schema>({ ...toPoolConfig(url, searchOptions), max: readConnections });
  try {
    await sql`select name from kysely_migration limit 1`.execute(db);
    return db;
  } catch (error) {
    await db.destroy();
    throw new Error(
      `the database for searches and lists (DATABASE_READ_URL, or else DATABASE_URL): ${textOf(error)}`,
      { cause: error },
    );
  }
}

const poll_ms = 50;
const retryAfterError_ms = 1000;

/** All that the primary has written so far is replayed. */
async function waitUntilCaughtUp(primary: Db, replica: Db, stopped: AbortSignal): Promise<void> {
  const current = sql<{ lsn: string }>`select pg_current_wal_insert_lsn()::text as lsn`;
  const position = (await current.execute(primary)).rows[0]?.lsn;
  const compare = sql<{ isReplayed: boolean }>`select not pg_is_in_recovery()
    or pg_last_wal_replay_lsn() >= ${position}::pg_lsn as "isReplayed"`;
  while (!(await compare.execute(replica)).rows[0]?.isReplayed)
    await wait(poll_ms, undefined, { signal: stopped, ref: false });
}

/** Reads cached before the replica had the changes may be out of date. */
function repeatWhenCaughtUp(
  databases: { readonly primary: Db; readonly replica: Db },
  publish: (changed: ChangedHandles) => void,
  stopped: AbortSignal,
): (changed: ChangedHandles) => void {
  let pending: ChangedHandles | undefined;
  let isWaiting = false;
  const publishPending = async () => {
    isWaiting = true;
    while (pending !== undefined && !stopped.aborted) {
      const changed = pending;
      pending = undefined;
      await waitUntilCaughtUp(databases.primary, databases.replica, stopped).catch(async () => {
        // Its position is unknown, so everything counts as changed.
        await wait(retryAfterError_ms, undefined, { ref: false });
        pending = 'all';
      });
      publish(changed);
    }
    isWaiting = false;
  };
  return (changed) => {
    pending = pending === 'all' || changed === 'all' ? 'all' : [...(pending ?? []), ...changed];
    if (!isWaiting) void publishPending();
  };
}

/** Of other nodes, and of all nodes once a replica has them. */
export function watchChanges(
  watch: Awaited<ReturnType<typeof openWatch>>,
  { reader, replica }: { reader: Db; replica: Db | undefined },
) {
  return (listener: (changed: ChangedHandles) => void): (() => void) => {
    const stopping = new AbortController();
    const unsubscribe = [watch.onChange(listener)];
    if (replica) {
      const repeat = repeatWhenCaughtUp({ primary: reader, replica }, listener, stopping.signal);
      unsubscribe.push(watch.onChange(repeat), watch.onOwnChange(repeat));
    }
    return () => {
      stopping.abort();
      for (const end of unsubscribe) end();
    };
  };
}
