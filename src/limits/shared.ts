import { createHmac, randomBytes } from 'node:crypto';
import type { Context } from '../context.ts';
import { day_ms, dayText } from '../core/text.ts';
import { precompileQuery, upsert } from '../store/query.ts';
import {
  type Limit,
  toBucket,
  toCountedNetworks,
  toEffective,
  toRateLimited,
  toRefusal,
  toWidestNetwork,
  widen,
} from './limit.ts';
import type { Db, LimitSchema, LimitTransaction } from './schema.ts';

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

/**
 * For all nodes. With `day`, `key` has a network's pseudonym of that day. Throws rate_limited if a call
 * does not fit, so that the transaction charges none; with LIMITS=off, those that fit are charged.
 */
export async function takeLimits(
  tx: LimitTransaction,
  calls: readonly {
    readonly limit: Limit;
    readonly key: string;
    readonly day?: string;
    readonly times?: number;
  }[],
  { config, clock }: Pick<Context, 'config' | 'clock'>,
): Promise<void> {
  const tried = calls.map(({ limit, key, day, times = 1 }) => {
    const effective = widen(toEffective(limit, config), times);
    return { effective, bucket: { key: `${limit.name} ${key}`, day, ...toBucket(effective) } };
  });
  const buckets = tried.map(({ bucket }) => bucket);
  const waits_ms = await tx.limits.take(buckets, clock().getTime());
  for (const [at, { effective }] of tried.entries()) {
    const wait_ms = waits_ms[at] ?? 0;
    if (wait_ms > 0 && config.hasLimits) throw toRateLimited(toRefusal(effective, wait_ms));
  }
}

/** An HMAC-SHA256 by a key of all nodes that is deleted after the day (docs/contract.md). */
export async function openNetworkKeys(
  tx: LimitTransaction,
  day: string,
): Promise<(network: string) => string> {
  const known = await tx.limits.dailyKey(day);
  const text = known ?? (await tx.limits.addDailyKey(day, randomBytes(32).toString('base64')));
  const secret = Buffer.from(text, 'base64');
  return (network) => createHmac('sha256', secret).update(network).digest('base64url').slice(0, 22);
}

/** For all nodes, with wider networks. Throws rate_limited. */
export async function takeNetworkLimits(context: Context, limits: readonly Limit[]): Promise<void> {
  const now = context.clock();
  const day = dayText(now);
  await context.store.write(async (tx) => {
    await tx.limits.purge(now.getTime(), day);
    const keyOf = await openNetworkKeys(tx, day);
    const networks = toCountedNetworks(context.caller.network);
    const calls = limits.flatMap((limit) =>
      networks.map(({ network, times }) => ({ limit, key: keyOf(network), day, times })),
    );
    await takeLimits(tx, calls, context);
  });
}

/** By the caller's widest network, on a day in UTC. */
export async function isFirstToday(
  tx: LimitTransaction,
  deed: string,
  { clock, caller }: Pick<Context, 'clock' | 'caller'>,
): Promise<boolean> {
  const day = dayText(clock());
  const keyOf = await openNetworkKeys(tx, day);
  const key = `${deed}_today ${keyOf(toWidestNetwork(caller.network))}`;
  const [wait_ms] = await tx.limits.take(
    [{ key, day, step_ms: day_ms, capacity_ms: day_ms }],
    clock().getTime(),
  );
  return wait_ms === 0;
}
