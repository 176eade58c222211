import type { MiddlewareHandler } from 'hono';
import { fixedFilterNames } from '../tools/search-agents.ts';
import type { HttpEnvironment } from './call.ts';

const listing = '/agents/[^/]+/[^/]+';
const view = '/views/[^/]+';

/** `*` accepts any; other paths declare no parameter. */
const declared: readonly (readonly [path: RegExp, names: readonly string[]])[] = [
  [
    /^\/agents$/,
    [
      'q',
      'query',
      'tag',
      'transport',
      'package',
      'state',
      'publisher',
      'sort',
      'cursor',
      'handle',
      'from',
      'shown',
      ...fixedFilterNames,
    ],
  ],
  // Redirects to names of criteria; not cached.
  [/^\/compare$/, ['*']],
  [new RegExp(`^${listing}$`), ['as_of']],
  [new RegExp(`^${listing}/ratings$`), ['outcome', 'group', 'proof_class', 'cursor']],
  [new RegExp(`^${listing}/history(\\.json)?$`), ['kind', 'since', 'until', 'cursor']],
  [new RegExp(`^${listing}/versions$`), ['page']],
  [new RegExp(`^${listing}/badge$`), ['style']],
  [/^\/badge\//, ['style', 'show']],
  [/^\/publishers\/[^/]+$/, ['after']],
  [/^\/feedback$/, ['received', 'handle', 'category', 'message', 'rating_id']],
  [/^\/sitemap\.xml$/, ['page']],
  [/^\/changes$/, ['since']],
  [new RegExp(`^${view}$`), ['cursor']],
  [new RegExp(`^${view}/v0(\\.1)?/servers$`), ['limit', 'cursor']],
  [/^\/v0(\.1)?\/servers$/, ['cursor', 'limit', 'search', 'updated_since', 'version', 'include_deleted']],
  [/^\/v0(\.1)?\/servers\//, ['include_deleted', 'cursor']],
];

const registryPath = /^\/+(?:views\/+[^/]+\/+)?v0(?:\.1)?\//;

/** Some clients double slashes in paths of the registry API, or add one at the end. */
export const toRoutedPath = (path: string): string =>
  registryPath.test(path) ? path.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '') : path;

export function toKnownAddress(address: string): string {
  const end = address.indexOf('?');
  if (end === -1) return address;
  const path = address.slice(0, end);
  const routed = toRoutedPath(path);
  const names = declared.find(([pattern]) => pattern.test(routed))?.[1] ?? [];
  if (names.includes('*')) return address;
  const known = address
    .slice(end + 1)
    .split('&')
    .filter((pair) => names.includes(pair.split('=', 1)[0] ?? ''));
  return known.length > 0 ? `${path}?${known.join('&')}` : path;
}

export const addressOf = (url: string): string => url.slice(url.indexOf('/', url.indexOf('://') + 3));

/** No separate answer is made or cached for undeclared parameters. */
export const dropUnknownParameters: MiddlewareHandler<HttpEnvironment> = async (c, next) => {
  const { url, method, headers, signal } = c.req.raw;
  if (method !== 'GET' && method !== 'HEAD') return next();
  const address = addressOf(url);
  const known = toKnownAddress(address);
  if (known !== address)
    c.req.raw = new Request(url.slice(0, url.length - address.length) + known, { method, headers, signal });
  await next();
};
