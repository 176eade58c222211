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

/** Which limit a request counts against: the first row that its path fits. */
const routes: readonly (readonly [path: RegExp, LimitName])[] = [
  [/^\/api\/capability(\/|$)/, 'capability'],
  [/^\/api\//, 'mcp'],
  [/^\/badge\//, 'badge'],
];

/** Tools whose calls count against a limit of their own besides, whatever face they come through. */
const tools: ReadonlyMap<string, LimitName> = new Map([
  ['claim_agent', 'claim'],
  ['submit_feedback', 'feedback'],
]);

/** The limits of tools for one request's network. */
export interface ToolLimits {
  /** Counts a call; throws rate_limited. */
  count(tool: string): Promise<void>;
  /** Takes a call back that did nothing: people correct a form. */
  takeBack(tool: string): Promise<void>;
}

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
 * headers, and leaves the limits of tools to whoever calls one.
 */
export function createLimitGuard(on: boolean): MiddlewareHandler<HttpEnvironment> {
  const limiters = createLimiters();
  const count = (c: Request, name: LimitName) =>
    limiters[name].consume(c.get('context').caller.network).catch((state: unknown) => {
      if (!(state instanceof RateLimiterRes)) throw state;
      if (on) refuse(c, name, state);
    });
  const toolLimits = (c: Request): ToolLimits => ({
    async count(tool) {
      const name = tools.get(tool);
      if (name) await count(c, name);
    },
    async takeBack(tool) {
      const name = tools.get(tool);
      if (name) await limiters[name].reward(c.get('context').caller.network);
    },
  });
  return async (c, next) => {
    c.set('limits', toolLimits(c));
    await count(c, routes.find(([path]) => path.test(c.req.path))?.[1] ?? 'pages');
    await next();
  };
}
