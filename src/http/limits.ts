import type { MiddlewareHandler } from 'hono';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Problem } from '../problem.ts';
import type { HttpEnvironment } from './environment.ts';

/**
 * Requests of one network per window (trust.md section 5): the burst is the amount, the window is burst divided by
 * the sustained rate.
 */
const table = {
  pages: { amount: 100, window_s: 5 },
  badge: { amount: 200, window_s: 4 },
  mcp: { amount: 60, window_s: 12 },
  claim: { amount: 10, window_s: 60 },
  feedback: { amount: 3, window_s: 2160 },
  capability: { amount: 20, window_s: 60 },
} as const;

/** A row of the table of limits. */
export type LimitName = keyof typeof table;
/** Makes the middleware that counts a route's requests against a limit. */
export type Limits = (name: LimitName) => MiddlewareHandler<HttpEnvironment>;

const maxInFlight = 200;

/** Counts per network, in memory; `on: false` counts nothing. Answers rate_limited with the RateLimit headers. */
export function createLimits(on: boolean): Limits {
  const limiters = Object.fromEntries(
    Object.entries(table).map(([name, { amount, window_s }]) => [
      name,
      new RateLimiterMemory({ keyPrefix: name, points: amount, duration: window_s }),
    ]),
  ) as Record<LimitName, RateLimiterMemory>;
  return (name) => async (c, next) => {
    if (on)
      await limiters[name].consume(c.get('context').caller.network).catch((reason: unknown) => {
        if (!(reason instanceof RateLimiterRes)) throw reason;
        const { amount, window_s } = table[name];
        const wait_s = Math.max(1, Math.ceil(reason.msBeforeNext / 1000));
        c.header('RateLimit-Policy', `"${name}";q=${amount};w=${window_s}`);
        c.header('RateLimit', `"${name}";r=0;t=${wait_s}`);
        throw new Problem('rate_limited', { retry_after_s: wait_s });
      });
    await next();
  };
}

/** Answers `unavailable` while 200 requests are being answered (trust.md section 5). */
export function createInFlightGuard(on: boolean): MiddlewareHandler<HttpEnvironment> {
  let inFlight = 0;
  return async (_c, next) => {
    if (on && inFlight >= maxInFlight) throw new Problem('unavailable', { retry_after_s: 1 });
    inFlight++;
    try {
      await next();
    } finally {
      inFlight--;
    }
  };
}
