import type { Context } from '../context.ts';
import type { Transaction } from '../store/store.ts';
import { type Limit, toBucket, toEffective, toRefusal } from './limit.ts';
import { dayOf, toNetworkKey } from './network-key.ts';

/** One call against one limit; `day` is set where `who` is a network under that day's key. */
export interface LimitedCall {
  readonly limit: Limit;
  readonly who: string;
  readonly day?: string;
}

/**
 * Takes calls that all nodes count together, in the transaction of what they do: where one does not fit, rate_limited
 * is thrown and none was taken. With LIMITS=off everything is counted and nothing refused.
 */
export async function takeLimits(
  tx: Transaction,
  calls: readonly LimitedCall[],
  { config, clock }: Pick<Context, 'config' | 'clock'>,
): Promise<void> {
  const tried = calls.map(({ limit, who, day }) => {
    const effective = toEffective(limit, config);
    return { effective, bucket: { key: `${limit.name} ${who}`, day, ...toBucket(effective) } };
  });
  const buckets = tried.map(({ bucket }) => bucket);
  const waits_ms = await tx.limits.take(buckets, clock().getTime());
  for (const [at, { effective }] of tried.entries()) {
    const wait_ms = waits_ms[at] ?? 0;
    if (wait_ms > 0 && config.hasLimits) throw toRefusal(effective, wait_ms);
  }
}

/** Takes a call of the caller's network from each limit, for all nodes together. Throws rate_limited. */
export async function takeNetworkLimits(context: Context, limits: readonly Limit[]): Promise<void> {
  if (limits.length === 0) return;
  const now = context.clock();
  const day = dayOf(now);
  await context.store.write(async (tx) => {
    await tx.limits.purge(now.getTime(), day);
    const who = await toNetworkKey(tx, context.caller.network, day);
    await takeLimits(
      tx,
      limits.map((limit) => ({ limit, who, day })),
      context,
    );
  });
}
