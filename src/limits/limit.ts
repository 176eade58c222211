import { Problem } from '../problem.ts';

/**
 * A bucket of calls: `burst` of them at once, and all of them back after `refill_s`, one by one. "60 an hour, 20 at
 * once" is 20 that are back after 1,200 s. Every figure of trust.md section 5 is one of these.
 */
export interface Limit {
  /** As RateLimit-Policy and LIMIT_OVERRIDES name it. */
  readonly name: string;
  readonly burst: number;
  readonly refill_s: number;
}

/** The settings that change limits. */
export interface LimitSettings {
  readonly hasLimits: boolean;
  readonly limitOverrides: Readonly<Record<string, Pick<Limit, 'burst' | 'refill_s'>>>;
}

/** The limit as this service is configured. */
export const toEffective = (limit: Limit, { limitOverrides }: LimitSettings): Limit => ({
  ...limit,
  ...limitOverrides[limit.name],
});

/** What one call costs and what the bucket holds, both as the time it takes to come back. */
export interface Bucket {
  readonly step_ms: number;
  readonly capacity_ms: number;
}

/** The bucket of a limit. */
export const toBucket = ({ burst, refill_s }: Limit): Bucket => ({
  step_ms: (refill_s * 1000) / burst,
  capacity_ms: refill_s * 1000,
});

/** `rate_limited`, with the policy that was met and the whole seconds, at least one, until the next call fits. */
export function toRefusal({ name, burst, refill_s }: Limit, wait_ms: number): Problem {
  return new Problem('rate_limited', {
    retry_after_s: Math.max(1, Math.ceil(wait_ms / 1000)),
    limit: { name, burst, refill_s },
  });
}
