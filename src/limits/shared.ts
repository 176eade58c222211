import type { Context } from '../context.ts';
import { day_ms, dayText } from '../core/text.ts';
import { type Limit, toBucket, toEffective, toRateLimited, toRefusal, widen } from './limit.ts';
import { openNetworkKeys, toCountedNetworks, toWidestNetwork } from './networks.ts';
import type { LimitTransaction } from './schema.ts';

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

/** For all nodes, with wider networks. Throws rate_limited. */
export async function takeNetworkLimits(context: Context, limits: readonly Limit[]): Promise<void> {
  if (limits.length === 0) return;
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
