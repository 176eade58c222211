import type { Context } from '../context.ts';
import type { Transaction } from '../store/store.ts';
import { type Limit, toBucket, toEffective, toRefusal } from './limit.ts';
import { dayOf, toNetworkKey } from './network-key.ts';

/** One call to count against a limit. `day` is set if `key` is a network's pseudonym of that day. */
export interface LimitedCall {
  readonly limit: Limit;
  /** Identifies the caller within the limit. */
  readonly key: string;
  readonly day?: string;
}

/**
 * Counts calls for all nodes together, in the transaction of what they do. If one does not fit, throws rate_limited and
 * counts none. With LIMITS=off every call is counted and none refused.
 */
export async function takeLimits(
  tx: Transaction,
  calls: readonly LimitedCall[],
  { config, clock }: Pick<Context, 'config' | 'clock'>,
): Promise<void> {
  const tried = calls.map(({ limit, key, day }) => {
    const effective = toEffective(limit, config);
    return { effective, bucket: { key: `${limit.name} ${key}`, day, ...toBucket(effective) } };
  });
  const buckets = tried.map(({ bucket }) => bucket);
  const waits_ms = await tx.limits.take(buckets, clock().getTime());
  for (const [at, { effective }] of tried.entries()) {
    const wait_ms = waits_ms[at] ?? 0;
    if (wait_ms > 0 && config.hasLimits) throw toRefusal(effective, wait_ms);
  }
}

/** Counts one call of the caller's network against each limit, for all nodes together. Throws rate_limited. */
export async function takeNetworkLimits(context: Context, limits: readonly Limit[]): Promise<void> {
  if (limits.length === 0) return;
  const now = context.clock();
  const day = dayOf(now);
  await context.store.write(async (tx) => {
    await tx.limits.purge(now.getTime(), day);
    const key = await toNetworkKey(tx, context.caller.network, day);
    await takeLimits(
      tx,
      limits.map((limit) => ({ limit, key, day })),
      context,
    );
  });
}
