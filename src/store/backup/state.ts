import { sql } from 'kysely';
import type { Db } from '../engine.ts';
import { dumpedTables } from './dump.ts';

/** A new database has the head of an empty log; only a load removes it, until its end. */
type State = 'new' | 'interrupted' | 'in use';

async function readState(db: Db): Promise<State> {
  const [head, ...more] = await db.selectFrom('log_head').selectAll().execute();
  if (!head) return 'interrupted';
  if (more.length > 0 || head.size > 0) return 'in use';
  for (const table of dumpedTables.filter((name) => name !== 'log_head')) {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db);
    if (rows.length > 0) return 'in use';
  }
  return 'new';
}

/** Whether a database is complete: no load into it is running or was interrupted. */
export const isComplete = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('log_head').select('id').limit(1).execute()).length > 0;

/** Removes the head of a new database; returns the state before. */
export async function takeHead(db: Db) {
  const state = await readState(db);
  if (state === 'new') await db.deleteFrom('log_head').execute();
  return state;
}
