import { precompileQuery, upsert } from '../store/query.ts';
import type { Db, LimitSchema } from './schema.ts';

export interface BucketCall {
  readonly key: string;
  /** Of the HMAC's secret; undefined if `key` names no network. */
  readonly day: string | undefined;
  /** Cost and capacity as refill times. */
  readonly step_ms: number;
  readonly capacity_ms: number;
}

/** So that the steps of any limit add up exactly. */
const toMicroseconds = (ms: number) => Math.round(ms * 1000);

function tryCall({ key, day, step_ms, capacity_ms }: BucketCall, storedFullAt: number, now: number) {
  const step = toMicroseconds(step_ms);
  // One more call fits if the bucket is full again by `latest`, with half a millisecond for rounding.
  const capacity = toMicroseconds(capacity_ms);
  const latest = now + capacity - step + 500;
  // It was stored by a clock that was ahead, or for a limit with a longer refill.
  const wasAhead = storedFullAt > now + capacity + 500;
  const fullAt = wasAhead ? now + capacity : storedFullAt;
  const wait_ms = Math.max(0, fullAt - latest) / 1000;
  const full_at = wait_ms === 0 ? Math.max(fullAt, now) + step : fullAt;
  return { row: { key, day: day ?? null, full_at }, wait_ms, isWritten: wait_ms === 0 || wasAhead };
}

const readBuckets = precompileQuery((db: Db, keys: readonly string[]) =>
  db
    .selectFrom('limit_bucket')
    .select(['key', 'full_at'])
    .where('key', 'in', [...keys]),
);

const putBuckets = precompileQuery((db: Db, rows: readonly LimitSchema['limit_bucket'][]) =>
  upsert(db, 'limit_bucket', rows, 'key'),
);

export const createLimitWrites = (db: Db) => ({
  async dailyKey(day: string): Promise<string | undefined> {
    const found = db.selectFrom('limit_key').select('secret').where('day', '=', day);
    return (await found.executeTakeFirst())?.secret;
  },
  /** Each call has another bucket. Returns 0 for what fits and was charged, or the ms until it would. */
  async take(calls: readonly BucketCall[], now_ms: number) {
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
  /** Another node may have made the stored key that this returns. */
  async addDailyKey(day: string, secret: string) {
    await db
      .insertInto('limit_key')
      .values({ day, secret })
      .onConflict((conflict) => conflict.column('day').doNothing())
      .execute();
    return (await this.dailyKey(day)) ?? secret;
  },
  async purge(now_ms: number, today: string) {
    await db.deleteFrom('limit_key').where('day', '<', today).execute();
    await db.deleteFrom('limit_bucket').where('day', '<', today).execute();
    await db.deleteFrom('limit_bucket').where('full_at', '<=', toMicroseconds(now_ms)).execute();
  },
});
