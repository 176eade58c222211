import { createHmac, randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { Context } from '../context.ts';
import { memoize } from '../core/lazy.ts';
import { Problem } from '../core/problem.ts';
import { day_ms, dayText } from '../core/text.ts';
import { precompileQuery, upsert } from '../store/query.ts';
import type { Db, LimitSchema, LimitTransaction } from './schema.ts';

/** `burst` calls at once, refilled call by call within `refill_s`. */
export interface Limit {
  /** In RateLimit-Policy and LIMIT_OVERRIDES. */
  readonly name: string;
  readonly burst: number;
  readonly refill_s: number;
}

export type LimitSettings = Pick<Config, 'hasLimits' | 'limitOverrides'>;

const toEffective = (limit: Limit, { limitOverrides }: LimitSettings): Limit => ({
  ...limit,
  ...limitOverrides[limit.name],
});

const widen = (limit: Limit, times: number): Limit => ({ ...limit, burst: limit.burst * times });

const toBucket = ({ burst, refill_s }: Limit) => ({
  step_ms: (refill_s * 1000) / burst,
  capacity_ms: refill_s * 1000,
});

/** `retry_after_s` is whole, at least one. */
export interface Refusal {
  readonly retry_after_s: number;
  readonly limit: Limit;
}

const toRefusal = ({ name, burst, refill_s }: Limit, wait_ms: number): Refusal => ({
  retry_after_s: Math.max(1, Math.ceil(wait_ms / 1000)),
  limit: { name, burst, refill_s },
});

export const toRateLimited = (refusal: Refusal): Problem => new Problem('rate_limited', { ...refusal });

const ipv4 = /^(\d+\.\d+\.\d+)\.\d+$/;
const ipv6 = /^([0-9a-f]+:[0-9a-f]+:[0-9a-f]+):([0-9a-f]+)::\/64$/;

/** From the narrowest; a wider one allows `times` as many calls. */
type CountedNetworks = readonly { readonly network: string; readonly times: number }[];

function readNetworks(network: string): CountedNetworks {
  const own = { network, times: 1 };
  const [, first3] = ipv4.exec(network) ?? [];
  if (first3) return [own, { network: `${first3}.0/24`, times: 16 }];
  const [, site, subnet] = ipv6.exec(network) ?? [];
  if (!site || !subnet) return [own];
  const part = (Number.parseInt(subnet, 16) & 0xff00).toString(16);
  return [own, { network: `${site}:${part}::/56`, times: 4 }, { network: `${site}::/48`, times: 16 }];
}

/** docs/contract.md */
const toCountedNetworks = memoize(readNetworks, 10_000);

export const toWidestNetwork = (network: string): string =>
  toCountedNetworks(network).at(-1)?.network ?? network;

/** Then the one charged least recently is forgotten. */
const mostNetworks = 100_000;
/** For rounding errors. */
const tolerance_ms = 0.5;

export type MemoryLimit = ReturnType<typeof createMemoryLimit>;

/** By the generic cell rate algorithm, for each process. */
export function createMemoryLimit(limit: Limit, settings: LimitSettings) {
  const effective = toEffective(limit, settings);
  const { step_ms, capacity_ms } = toBucket(effective);
  const fullAt = new Map<string, number>();
  const store = (network: string, full_ms: number) => {
    fullAt.delete(network);
    fullAt.set(network, full_ms);
    const [oldest] = fullAt.size > mostNetworks ? fullAt.keys() : [];
    if (oldest !== undefined) fullAt.delete(oldest);
  };
  const fullAfter_ms = (network: string, times: number, now_ms: number, cost: number) => {
    // A clock set back refuses nobody for longer than a refill.
    const known_ms = Math.min(fullAt.get(network) ?? 0, now_ms + capacity_ms);
    return Math.max(known_ms, now_ms) + (step_ms * Math.min(cost, effective.burst)) / times;
  };
  const findRefusal = (networks: CountedNetworks, now_ms: number, cost = 1): Refusal | undefined => {
    for (const { network, times } of networks) {
      const wait_ms = fullAfter_ms(network, times, now_ms, cost) - now_ms - capacity_ms;
      if (wait_ms > tolerance_ms) return toRefusal(widen(effective, times), wait_ms);
    }
    return undefined;
  };
  const tryTake = (network: string, now_ms: number, cost = 1): Refusal | undefined => {
    const networks = toCountedNetworks(network);
    const refusal = findRefusal(networks, now_ms, cost);
    if (refusal) return settings.hasLimits ? refusal : undefined;
    for (const { network: one, times } of networks) store(one, fullAfter_ms(one, times, now_ms, cost));
    return undefined;
  };
  return {
    /** Charges wider networks too. Throws rate_limited. */
    take(network: string, now_ms: number, cost = 1): void {
      const refusal = tryTake(network, now_ms, cost);
      if (refusal) throw toRateLimited(refusal);
    },
    tryTake,
    /** From 0 to 1, of the network or a wider one. */
    usedShare(network: string, now_ms: number): number {
      const left_ms = toCountedNetworks(network).map(({ network: one }) => (fullAt.get(one) ?? 0) - now_ms);
      return Math.min(1, Math.max(0, ...left_ms) / capacity_ms);
    },
    /** Charges nothing. */
    refusalOf: (network: string, now_ms: number, cost = 1): Refusal | undefined =>
      settings.hasLimits ? findRefusal(toCountedNetworks(network), now_ms, cost) : undefined,
  };
}

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
