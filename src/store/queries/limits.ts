import type { BucketCall, LimitReads, LimitWrites } from '../contract/limits.ts';
import type { Db } from '../engine.ts';
import type { LimitBucketRow } from '../schema/limits.ts';
import { precompileQuery } from './precompiled-query.ts';

/** Times are stored as whole microseconds, so that the steps of any limit add up exactly. */
const toMicroseconds = (ms: number) => Math.round(ms * 1000);

/** The bucket after one more call, and how long that call has to wait until it fits. */
function tryCall({ key, day, step_ms, capacity_ms }: BucketCall, storedFullAt: number, now: number) {
  const step = toMicroseconds(step_ms);
  // One more call fits if the bucket is full by then; rounding by half a millisecond must not refuse it.
  const capacity = toMicroseconds(capacity_ms);
  const latest = now + capacity - step + 500;
  // A bucket that is full later than an empty one would be was written by a clock that was ahead.
  const wasAhead = storedFullAt > now + capacity + 500;
  const fullAt = wasAhead ? now + capacity : storedFullAt;
  const wait_ms = Math.max(0, fullAt - latest) / 1000;
  const full_at = wait_ms === 0 ? Math.max(fullAt, now) + step : fullAt;
  return { row: { key, day: day ?? null, full_at }, wait_ms, isWritten: wait_ms === 0 || wasAhead };
}

const readBuckets = precompileQuery((db, keys: readonly string[]) =>
  db
    .selectFrom('limit_bucket')
    .select(['key', 'full_at'])
    .where('key', 'in', [...keys]),
);

const putBuckets = precompileQuery((db, rows: readonly LimitBucketRow[]) =>
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

/** Writes of the limits that all nodes share; they change no listing. */
export const createLimitWrites = (db: Db): LimitWrites => ({
  ...createLimitReads(db),
  async take(calls, now_ms) {
    const stored = await readBuckets(
      db,
      calls.map(({ key }) => key),
    );
    const fullAt = new Map(stored.map(({ key, full_at }) => [key, full_at]));
    const tries = calls.map((call) => tryCall(call, fullAt.get(call.key) ?? 0, toMicroseconds(now_ms)));
    const written = tries.filter(({ isWritten }) => isWritten).map(({ row }) => row);
    if (written.length > 0) await putBuckets(db, written);
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
  async purge(now_ms, today) {
    await db.deleteFrom('limit_key').where('day', '<', today).execute();
    await db.deleteFrom('limit_bucket').where('day', '<', today).execute();
    await db.deleteFrom('limit_bucket').where('full_at', '<=', toMicroseconds(now_ms)).execute();
  },
});
