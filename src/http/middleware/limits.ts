import type { MiddlewareHandler } from 'hono';
import { badCapabilityLimit } from '../../claims/authenticate.ts';
import type { LimitSettings } from '../../limits/limit.ts';
import { createMemoryLimit, type MemoryLimit } from '../../limits/memory.ts';
import { tools } from '../../tools/index.ts';
import type { HttpEnvironment } from '../environment.ts';

/**
 * Requests of one network, counted by each node for itself: 20, 50 and 5 a second (docs/trust.md section 5), and one picture
 * in two seconds, for drawing one costs as much as a thousand pages.
 */
const requestLimits = {
  pages: { name: 'pages', burst: 100, refill_s: 5 },
  badge: { name: 'badge', burst: 200, refill_s: 4 },
  mcp: { name: 'mcp', burst: 60, refill_s: 12 },
  card: { name: 'card', burst: 30, refill_s: 60 },
} as const;

/** Every limit there is, as documents show it and LIMIT_OVERRIDES names it. */
export const allLimits = [
  ...Object.values(requestLimits),
  ...tools.flatMap(({ networkLimits = [], ownLimits = [] }) => [...networkLimits, ...ownLimits]),
  badCapabilityLimit,
];

/** The limits of requests, each with what it has counted. */
export type RequestLimits = Readonly<Record<keyof typeof requestLimits, MemoryLimit>>;

/** Limits that have counted nothing yet. */
export const createRequestLimits = (settings: LimitSettings): RequestLimits => ({
  pages: createMemoryLimit(requestLimits.pages, settings),
  badge: createMemoryLimit(requestLimits.badge, settings),
  mcp: createMemoryLimit(requestLimits.mcp, settings),
  card: createMemoryLimit(requestLimits.card, settings),
});

/** A call of a tool costs the same as MCP and as plain JSON; a preflight or a look at an endpoint is a page. */
export function limitOf(limits: RequestLimits, method: string, path: string): MemoryLimit {
  if (path.startsWith('/badge/')) return limits.badge;
  if (path.endsWith('/card.png')) return limits.card;
  return method === 'POST' && path.startsWith('/api/') ? limits.mcp : limits.pages;
}

/** Counts each request for its network; throws rate_limited. What tools count besides is behind callTool. */
export const createLimitGuard =
  (limits: RequestLimits): MiddlewareHandler<HttpEnvironment> =>
  async (c, next) => {
    const { caller, clock } = c.get('context');
    limitOf(limits, c.req.method, c.req.path).take(caller.network, clock().getTime());
    await next();
  };
