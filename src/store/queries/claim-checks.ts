import type { CheckReads, CheckWrites, SharedCheck } from '../contract/checks.ts';
import type { Db } from '../engine.ts';
import type { ClaimCheckRow } from '../schema/claims.ts';

const decode = ({ outcome, ...row }: ClaimCheckRow): SharedCheck => ({
  ...row,
  outcome: outcome === null ? undefined : (JSON.parse(outcome) as object),
});

/** Reads of the latest check of each place of a listing. */
export const createCheckReads = (db: Db): CheckReads => ({
  async newest(handle, place) {
    const row = await db
      .selectFrom('claim_check')
      .selectAll()
      .where('handle', '=', handle)
      .where('place', '=', place)
      .executeTakeFirst();
    return row && decode(row);
  },
});

/** Writes of checks inside a transaction; they change no listing. */
export const createCheckWrites = (db: Db): CheckWrites => ({
  ...createCheckReads(db),
  async put({ handle, place, outcome, ...check }) {
    const change = { ...check, outcome: outcome ? JSON.stringify(outcome) : null };
    await db
      .insertInto('claim_check')
      .values({ handle, place, ...change })
      .onConflict((conflict) => conflict.columns(['handle', 'place']).doUpdateSet(change))
      .execute();
  },
  async remove(handle, place) {
    await db.deleteFrom('claim_check').where('handle', '=', handle).where('place', '=', place).execute();
  },
  async purge(before) {
    await db.deleteFrom('claim_check').where('begun_at', '<', before).execute();
  },
});
