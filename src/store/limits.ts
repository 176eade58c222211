import { sql } from 'kysely';
import type { Db } from './engine.ts';
import type { LimitReads, LimitWrites } from './store.ts';

/** Times are kept in whole microseconds, so that steps of any limit add up. */
const toMicroseconds = (ms: number) => Math.round(ms * 1000);

const readDailyKey = async (db: Db, day: string): Promise<string | undefined> =>
  (await db.selectFrom('limit_key').select('secret').where('day', '=', day).executeTakeFirst())?.secret;

/** Reads of the limits that all nodes share. */
export const createLimitReads = (db: Db): LimitReads => ({ dailyKey: (day) => readDailyKey(db, day) });

/** Writes of the limits that all nodes share; they touch no listing. */
export const createLimitWrites = (db: Db): LimitWrites => ({
  ...createLimitReads(db),
  async take({ key, day, step_ms, capacity_ms }, now_ms) {
    const [now, step] = [toMicroseconds(now_ms), toMicroseconds(step_ms)];
    // The latest moment to be full at for one more call to fit; half a millisecond of rounding costs none.
    const latest = now + toMicroseconds(capacity_ms) - step + 500;
    const taken = await db
      .insertInto('limit_bucket')
      .values({ key, day, full_at: now + step })
      .onConflict((conflict) =>
        conflict
          .column('key')
          .doUpdateSet({
            full_at: sql<number>`case when limit_bucket.full_at > ${now} then limit_bucket.full_at else ${now} end + ${step}`,
          })
          .where('limit_bucket.full_at', '<=', latest),
      )
      .returning('full_at')
      .executeTakeFirst();
    if (taken) return 0;
    const kept = await db
      .selectFrom('limit_bucket')
      .select('full_at')
      .where('key', '=', key)
      .executeTakeFirstOrThrow();
    return (Number(kept.full_at) - latest) / 1000;
  },
  async addDailyKey(day, secret) {
    await db
      .insertInto('limit_key')
      .values({ day, secret })
      .onConflict((conflict) => conflict.column('day').doNothing())
      .execute();
    return (await readDailyKey(db, day)) ?? secret;
  },
  async forget(now_ms, today) {
    await db.deleteFrom('limit_key').where('day', '<', today).execute();
    await db.deleteFrom('limit_bucket').where('day', '<', today).execute();
    await db.deleteFrom('limit_bucket').where('full_at', '<=', toMicroseconds(now_ms)).execute();
  },
});
