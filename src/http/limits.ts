import type { MiddlewareHandler } from 'hono';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Problem } from '../problem.ts';
import type { HttpEnvironment, Request } from './environment.ts';

/**
 * Requests of one network per window (trust.md section 5): the amount is the burst, the window is the burst divided
 * by the sustained rate.
 */
const table = {
  pages: { amount: 100, window_s: 5 },
  badge: { amount: 200, window_s: 4 },
  mcp: { amount: 60, window_s: 12 },
  claim: { amount: 10, window_s: 60 },
  feedback: { amount: 3, window_s: 2160 },
  capability: { amount: 20, window_s: 60 },
} as const;

type LimitName = keyof typeof table;

/** Which limit a request counts against: the first row that fits. */
const routes: readonly (readonly [method: RegExp, path: RegExp, LimitName])[] = [
  [/^POST$/, /^\/(agents\/.+\/claim|api\/claim-github|api\/tools\/claim_agent)$/, 'claim'],
  [/^POST$/, /^\/(feedback|api\/feedback|api\/tools\/submit_feedback)$/, 'feedback'],
  [/./, /^\/api\/capability(\/|$)/, 'capability'],
  [/./, /^\/api\/(mcp|tools)(\/|$)/, 'mcp'],
  [/./, /^\/badge\//, 'badge'],
  [/./, /./, 'pages'],
];

const limitOf = ({ req }: Request): LimitName =>
  routes.find(([method, path]) => method.test(req.method) && path.test(req.path))?.[2] ?? 'pages';

const createLimiters = () =>
  Object.fromEntries(
    Object.entries(table).map(([name, { amount, window_s }]) => [
      name,
      new RateLimiterMemory({ keyPrefix: name, points: amount, duration: window_s }),
    ]),
  ) as Record<LimitName, RateLimiterMemory>;

function refuse(c: Request, name: LimitName, state: RateLimiterRes): never {
  const { amount, window_s } = table[name];
  const wait_s = Math.max(1, Math.ceil(state.msBeforeNext / 1000));
  c.header('RateLimit-Policy', `"${name}";q=${amount};w=${window_s}`);
  c.header('RateLimit', `"${name}";r=0;t=${wait_s}`);
  throw new Problem('rate_limited', { retry_after_s: wait_s });
}

/**
 * Counts requests per network, in memory; `on: false` lifts the thresholds. Answers rate_limited with the RateLimit
 * headers. Feedback that was not well-formed does not count: people correct a form.
 */
export function createLimitGuard(on: boolean): MiddlewareHandler<HttpEnvironment> {
  const limiters = createLimiters();
  return async (c, next) => {
    const name = limitOf(c);
    const { network } = c.get('context').caller;
    try {
      await limiters[name].consume(network);
    } catch (state) {
      if (!(state instanceof RateLimiterRes)) throw state;
      if (on) refuse(c, name, state);
    }
    await next();
    if (name === 'feedback' && c.res.status === 422) await limiters.feedback.reward(network);
  };
}
