import type { Config } from '../config/config.ts';
import { Problem } from '../core/problem.ts';
import { type CountedNetworks, toCountedNetworks } from './networks.ts';

/**
 * A token bucket: `burst` calls at once; an empty bucket is full again after `refill_s`, refilled call by
 * call. "60 an hour, 20 at once" is a burst of 20 refilled in 1,200 s. docs/reference.md lists the limits.
 */
export interface Limit {
  /** Its name in RateLimit-Policy and LIMIT_OVERRIDES. */
  readonly name: string;
  readonly burst: number;
  readonly refill_s: number;
}

/** The settings that affect limits. */
export type LimitSettings = Pick<Config, 'hasLimits' | 'limitOverrides'>;

/** The limit with its configured override. */
export const toEffective = (limit: Limit, { limitOverrides }: LimitSettings): Limit => ({
  ...limit,
  ...limitOverrides[limit.name],
});

/** The limit of a wider network: so many times the amount. */
export const widen = (limit: Limit, times: number): Limit => ({ ...limit, burst: limit.burst * times });

/** The cost of one call and the size of the bucket of a limit, both as the time it takes to refill them. */
export const toBucket = ({ burst, refill_s }: Limit) => ({
  step_ms: (refill_s * 1000) / burst,
  capacity_ms: refill_s * 1000,
});

/**
 * Why a call was refused: the limit that was reached, and the whole seconds (at least one) until the next
 * call fits.
 */
export interface Refusal {
  readonly retry_after_s: number;
  readonly limit: Limit;
}

/** The refusal of a call that would fit after a time. */
export const toRefusal = ({ name, burst, refill_s }: Limit, wait_ms: number): Refusal => ({
  retry_after_s: Math.max(1, Math.ceil(wait_ms / 1000)),
  limit: { name, burst, refill_s },
});

/** A refusal as `rate_limited`. */
export const toRateLimited = (refusal: Refusal): Problem => new Problem('rate_limited', { ...refusal });

/** Networks tracked for one limit; beyond that, the one that called least recently is evicted. */
const mostNetworks = 100_000;
/** A call is not refused for a rounding error. */
const tolerance_ms = 0.5;

export type MemoryLimit = ReturnType<typeof createMemoryLimit>;

/**
 * A limit that each process counts for itself. GCRA: for each network it stores only the time at which the
 * bucket is full again.
 */
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
  /**
   * The time (ms since 1970) at which the bucket is full again after a call of this cost, capped at the size
   * of the bucket.
   */
  const fullAfter_ms = (network: string, times: number, now_ms: number, cost: number) => {
    // After the clock was set back no caller is refused for longer than the bucket takes to refill.
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
    /**
     * Charges a call to its network and to the wider ones around it; throws rate_limited. A usual call costs
     * 1.
     */
    take(network: string, now_ms: number, cost = 1): void {
      const refusal = tryTake(network, now_ms, cost);
      if (refusal) throw toRateLimited(refusal);
    },
    /**
     * Counts the call as `take` does; returns why it is refused instead of throwing, undefined if it is not.
     */
    tryTake,
    /**
     * How much of its bucket a network has used, or of that of a wider network around it: 0 to 1, the largest
     * share.
     */
    usedShare(network: string, now_ms: number): number {
      const left_ms = toCountedNetworks(network).map(({ network: one }) => (fullAt.get(one) ?? 0) - now_ms);
      return Math.min(1, Math.max(0, ...left_ms) / capacity_ms);
    },
    /** Why `take` would refuse the call now; undefined if it would not. Counts nothing. */
    refusalOf: (network: string, now_ms: number, cost = 1): Refusal | undefined =>
      settings.hasLimits ? findRefusal(toCountedNetworks(network), now_ms, cost) : undefined,
  };
}
