import { Problem } from '../problem.ts';

/**
 * A token bucket: `burst` calls at once; an empty bucket is full again after `refill_s`, refilled call by call. "60 an
 * hour, 20 at once" is a burst of 20 refilled in 1,200 s. The figures stand in docs/trust.md section 5.
 */
export interface Limit {
  /** Its name in RateLimit-Policy and LIMIT_OVERRIDES. */
  readonly name: string;
  readonly burst: number;
  readonly refill_s: number;
}

/** The settings that affect limits. */
export interface LimitSettings {
  readonly hasLimits: boolean;
  readonly limitOverrides: Readonly<Record<string, Pick<Limit, 'burst' | 'refill_s'>>>;
}

/** The limit with its configured override. */
export const toEffective = (limit: Limit, { limitOverrides }: LimitSettings): Limit => ({
  ...limit,
  ...limitOverrides[limit.name],
});

/** The limit of a wider network: so many times the amount. */
export const widen = (limit: Limit, times: number): Limit => ({ ...limit, burst: limit.burst * times });

/** The cost of one call and the size of the bucket, both as the time it takes to refill them. */
export interface Bucket {
  readonly step_ms: number;
  readonly capacity_ms: number;
}

/** The bucket of a limit. */
export const toBucket = ({ burst, refill_s }: Limit): Bucket => ({
  step_ms: (refill_s * 1000) / burst,
  capacity_ms: refill_s * 1000,
});

/** Why a call was refused: the limit that was reached, and the whole seconds (at least one) until the next call fits. */
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
