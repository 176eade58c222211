import type { Db } from '../engine.ts';
import type { LimitBucketTable } from '../schema.ts';
import type { BucketCall, LimitReads, LimitWrites } from '../store.ts';
import { precompileQuery } from './precompiled-query.ts';

/** Times are kept in whole microseconds, so that steps of any limit add up. */
const toMicroseconds = (ms: number) => Math.round(ms * 1000);

/** The bucket after one more call, and how long that has to wait to fit. */
function tryCall({ key, day, step_ms, capacity_ms }: BucketCall, keptFullAt: number, now: number) {
  const step = toMicroseconds(step_ms);
  // The latest moment to be full at for one more call to fit; half a millisecond of rounding costs none.
  const latest = now + toMicroseconds(capacity_ms) - step + 500;
  return {
    row: { key, day, full_at: Math.max(keptFullAt, now) + step },
    wait_ms: Math.max(0, keptFullAt - latest) / 1000,
  };
}

const readBuckets = precompileQuery((db, keys: readonly string[]) =>
  db
    .selectFrom('limit_bucket')
    .select(['key', 'full_at'])
    .where('key', 'in', [...keys]),
);

const putBuckets = precompileQuery((db, rows: readonly LimitBucketTable[]) =>
  db
    .insertInto('limit_bucket')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet(({ ref }) => ({ full_at: ref('excluded.full_at') })),
    ),
);

const readDailyKey = async (db: Db, day: string): Promise<string | undefined> =>
  (await db.selectFrom('limit_key').select('secret').where('day', '=', day).executeTakeFirst())?.secret;

/** Reads of the limits that all nodes share. */
export const createLimitReads = (db: Db): LimitReads => ({ dailyKey: (day) => readDailyKey(db, day) });

/** Writes of the limits that all nodes share; they touch no listing. */
export const createLimitWrites = (db: Db): LimitWrites => ({
  ...createLimitReads(db),
  async take(calls, now_ms) {
    const kept = await readBuckets(
      db,
      calls.map(({ key }) => key),
    );
    const fullAt = new Map(kept.map(({ key, full_at }) => [key, full_at]));
    const tries = calls.map((call) => tryCall(call, fullAt.get(call.key) ?? 0, toMicroseconds(now_ms)));
    const taken = tries.filter(({ wait_ms }) => wait_ms === 0).map(({ row }) => row);
    if (taken.length > 0) await putBuckets(db, taken);
    return tries.map(({ wait_ms }) => wait_ms);
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
