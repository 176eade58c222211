import type { Db } from '../engine.ts';
import type { CheckReads, CheckWrites } from '../store.ts';

/** Reads of the newest look at each listing's repository. */
export const createCheckReads = (db: Db): CheckReads => ({
  newest: (handle) =>
    db.selectFrom('claim_check').selectAll().where('handle', '=', handle).executeTakeFirst(),
});

/** Writes of looks inside a transaction; they touch no listing. */
export const createCheckWrites = (db: Db): CheckWrites => ({
  ...createCheckReads(db),
  async put(row) {
    const { handle: _key, ...change } = row;
    await db
      .insertInto('claim_check')
      .values(row)
      .onConflict((conflict) => conflict.column('handle').doUpdateSet(change))
      .execute();
  },
  async remove(handle) {
    await db.deleteFrom('claim_check').where('handle', '=', handle).execute();
  },
  async forget(before) {
    await db.deleteFrom('claim_check').where('begun_at', '<', before).execute();
  },
});
