import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../engine.ts';
import type { ChangedHandles } from '../store.ts';

const look_ms = 50;
const troubled_ms = 1000;

const both = (one: ChangedHandles | undefined, other: ChangedHandles): ChangedHandles =>
  one === 'all' || other === 'all' ? 'all' : [...(one ?? []), ...other];

/** Answers once a replica has everything that the primary has now. */
async function caughtUp(primary: Db, replica: Db, stopped: AbortSignal): Promise<void> {
  const at = await sql<{ lsn: string }>`select pg_current_wal_insert_lsn()::text as lsn`.execute(primary);
  const position = at.rows[0]?.lsn;
  for (;;) {
    const { rows } = await sql<{ there: boolean }>`select not pg_is_in_recovery()
      or pg_last_wal_replay_lsn() >= ${position}::pg_lsn as there`.execute(replica);
    if (rows[0]?.there) return;
    await wait(look_ms, undefined, { signal: stopped, ref: false });
  }
}

/**
 * Says what was written once more when a replica has it too: what was read from the replica in between, and kept, was
 * as it had been before. Answers how to feed it.
 */
export function repeatWhenCaughtUp(
  databases: { readonly primary: Db; readonly replica: Db },
  tell: (written: ChangedHandles) => void,
  stopped: AbortSignal,
): (written: ChangedHandles) => void {
  let pending: ChangedHandles | undefined;
  let isWaiting = false;
  const follow = async () => {
    isWaiting = true;
    while (pending !== undefined && !stopped.aborted) {
      const written = pending;
      pending = undefined;
      await caughtUp(databases.primary, databases.replica, stopped).catch(async () => {
        // Nobody can say how far the replica is: everything it gave counts as old, and will again.
        await wait(troubled_ms, undefined, { ref: false });
        pending = 'all';
      });
      tell(written);
    }
    isWaiting = false;
  };
  return (written) => {
    pending = both(pending, written);
    if (!isWaiting) void follow();
  };
}
