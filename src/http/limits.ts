import type { MiddlewareHandler } from 'hono';
import { askedRunLimit, badCapabilityLimit } from '../claims/authenticate.ts';
import { claimChangeLimit } from '../claims/checks/check.ts';
import { defaultLimit, maxLimit } from '../document/registry/entries.ts';
import { createMemoryLimit, type LimitSettings, type MemoryLimit } from '../limits/limit.ts';
import { createSearchTurns } from '../limits/searches.ts';
import { readCheckLimits } from '../observations/read-limits.ts';
import { tools } from '../tools/index.ts';
import { webhookLimits } from '../webhooks/register.ts';
import type { HttpEnvironment, Request } from './call.ts';
import { addressOf, toRoutedPath } from './middleware.ts';

/**
 * Per network and node (docs/reference.md). Programs that copy everything leave the limits of a person at the
 * same address.
 */
const requestLimits = {
  pages: { name: 'pages', burst: 100, refill_s: 5 },
  badge: { name: 'badge', burst: 200, refill_s: 4 },
  mcp: { name: 'mcp', burst: 60, refill_s: 12 },
  card: { name: 'card', burst: 30, refill_s: 60 },
  registry: { name: 'registry', burst: 1000, refill_s: 5 },
  views: { name: 'views', burst: 1000, refill_s: 10 },
  export: { name: 'export', burst: 60, refill_s: 600 },
} as const;

const largeBodyLimits = tools.flatMap(({ largeBody }) => (largeBody ? [largeBody.limit] : []));

/** LIMIT_OVERRIDES and the documents use their names. */
export const allLimits = [
  ...Object.values(requestLimits),
  ...largeBodyLimits,
  ...new Set(tools.flatMap(({ networkLimits = [], ownLimits = [] }) => [...networkLimits, ...ownLimits])),
  badCapabilityLimit,
  askedRunLimit,
  claimChangeLimit,
  ...Object.values(readCheckLimits),
  ...webhookLimits,
];

export type RequestLimits = Readonly<Record<keyof typeof requestLimits, MemoryLimit>>;

export const createRequestLimits = (settings: LimitSettings) =>
  Object.fromEntries(
    Object.entries(requestLimits).map(([name, limit]) => [name, createMemoryLimit(limit, settings)]),
  ) as RequestLimits;

const prefixes = [
  ['/badge/', 'badge'],
  ['/v0.1/', 'registry'],
  ['/v0/', 'registry'],
  ['/ard/', 'registry'],
  ['/views/', 'views'],
  ['/export/', 'export'],
] as const;

export function limitOf(limits: RequestLimits, method: string, path: string): MemoryLimit {
  const found = prefixes.find(([prefix]) => toRoutedPath(path).startsWith(prefix));
  if (found) return limits[found[1]];
  if (path.endsWith('/card.png')) return limits.card;
  return method === 'POST' && path.startsWith('/api/') ? limits.mcp : limits.pages;
}

const isOfEntries = /^\/+(?:v0(?:\.1)?|ard|views)\//;
const isList = /\/servers\/?$/;

/** One for each ten entries of a list, or as much as the largest page. */
export function costOf(address: string): number {
  if (!isOfEntries.test(address)) return 1;
  const [path = '', query] = address.split(/\?(.*)/s, 2);
  // Number() also reads 1e2; the largest of repeated parameters counts.
  const stated = new URLSearchParams(query).getAll('limit').map((text) => Number(text) || defaultLimit);
  const entries = isList.test(path) ? Math.max(...(stated.length > 0 ? stated : [defaultLimit])) : maxLimit;
  return Math.min(maxLimit / 10, Math.max(1, Math.ceil(entries / 10)));
}

const uncounted = /^\/(?:healthz|readyz|favicon\.ico|apple-touch-icon\.png|assets\/)/;

/** Health and assets are answered before requests are counted. */
export const isCounted = (path: string): boolean => !uncounted.test(path);

const mostWaiting = 100;
const isRead = (method: string) => method === 'GET' || method === 'HEAD';
/** They would hold a turn while they wait for a file or a drawing. */
const hasNoTurn = /^\/(?:api|export)\/|\/card\.png$/;

/**
 * Answers that are not cached take turns (docs/decisions/limits.md). Throws unavailable while too many wait.
 */
export function createRequestTurns(limits: RequestLimits, settings: LimitSettings) {
  const inTurn = createSearchTurns(settings, mostWaiting, 'Too many requests at the moment.');
  return <Answer>(c: Request, work: () => Promise<Answer>): Promise<Answer> => {
    const { caller, clock } = c.get('context');
    const limit = limitOf(limits, c.req.method, c.req.path);
    const used = settings.hasLimits ? limit.usedShare(caller.network, clock().getTime()) : 0;
    return inTurn(caller.network, used, work);
  };
}
export type RequestTurns = ReturnType<typeof createRequestTurns>;

/** The ARD search waits for its body first, so that a slow sender keeps nobody waiting. */
export const createTurnGuard =
  (inTurn: RequestTurns): MiddlewareHandler<HttpEnvironment> =>
  (c, next) =>
    isRead(c.req.method) && !hasNoTurn.test(c.req.path) ? inTurn(c, next) : next();

/** Throws rate_limited. `callTool` takes the limits of tools. */
export function createLimitGuard(
  limits: RequestLimits,
  settings: LimitSettings,
): MiddlewareHandler<HttpEnvironment> {
  const large = new Map(largeBodyLimits.map((limit) => [limit.name, createMemoryLimit(limit, settings)]));
  return async (c, next) => {
    const { caller, clock } = c.get('context');
    const limit = limitOf(limits, c.req.method, c.req.path);
    const now_ms = clock().getTime();
    limit.take(caller.network, now_ms, costOf(addressOf(c.req.url)));
    c.set('takeLargeBody', ({ largeBody }, cost) =>
      large.get(largeBody?.limit.name ?? '')?.take(caller.network, clock().getTime(), cost),
    );
    await next();
  };
}
