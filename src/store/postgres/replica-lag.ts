import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../engine.ts';
import type { ChangedHandles } from '../store.ts';

const poll_ms = 50;
const retryAfterError_ms = 1000;

const merge = (earlier: ChangedHandles | undefined, later: ChangedHandles): ChangedHandles =>
  earlier === 'all' || later === 'all' ? 'all' : [...(earlier ?? []), ...later];

/** Resolves once a replica has replayed everything that the primary has written so far. */
async function waitUntilCaughtUp(primary: Db, replica: Db, stopped: AbortSignal): Promise<void> {
  const current = sql<{ lsn: string }>`select pg_current_wal_insert_lsn()::text as lsn`;
  const position = (await current.execute(primary)).rows[0]?.lsn;
  const compare = sql<{ isReplayed: boolean }>`select not pg_is_in_recovery()
    or pg_last_wal_replay_lsn() >= ${position}::pg_lsn as "isReplayed"`;
  while (!(await compare.execute(replica)).rows[0]?.isReplayed)
    await wait(poll_ms, undefined, { signal: stopped, ref: false });
}

/**
 * Returns a listener that calls `publish` with the same changes once the replica has them too: what was read from the
 * replica and cached in between is out of date.
 */
export function repeatWhenCaughtUp(
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
        // How far the replica is cannot be told: everything counts as changed, now and at the next try.
        await wait(retryAfterError_ms, undefined, { ref: false });
        pending = 'all';
      });
      publish(changed);
    }
    isWaiting = false;
  };
  return (changed) => {
    pending = merge(pending, changed);
    if (!isWaiting) void publishPending();
  };
}
