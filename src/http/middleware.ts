import { randomUUID } from 'node:crypto';
import { Hono, type MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { getPath } from 'hono/utils/url';
import ipaddr from 'ipaddr.js';
import { acceptedHosts, type Config } from '../config/config.ts';
import type { Context } from '../context.ts';
import { attempt } from '../core/json.ts';
import { findSecret } from '../core/keys/capability.ts';
import { memoize } from '../core/lazy.ts';
import { Problem, wrongField } from '../core/problem.ts';
import { day_s } from '../core/text.ts';
import { logMembers } from '../telemetry/logger.ts';
import { fixedFilterNames, textFilterNames } from '../tools/find/meant-filters.ts';
import type { HttpEnvironment, Request as HttpRequest, Request } from './call.ts';

/**
 * No answer depends on cookies, so scripts of any site may read it. `hono/cors` sends other headers
 * (docs/decisions/answers.md).
 */
export const anyOrigin = { 'Access-Control-Allow-Origin': '*' } as const;

interface CorsOpening {
  readonly methods: string;
  readonly headers: string;
  readonly exposed?: string;
}

export const toCorsHeaders = ({
  methods,
  headers,
  exposed,
}: CorsOpening): Readonly<Record<string, string>> => ({
  ...anyOrigin,
  'Access-Control-Allow-Methods': methods,
  'Access-Control-Allow-Headers': headers,
  ...(exposed !== undefined && { 'Access-Control-Expose-Headers': exposed }),
});

export const toPreflight = (opening: CorsOpening, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, {
    status: 204,
    headers: { ...toCorsHeaders(opening), 'Access-Control-Max-Age': String(day_s), ...headers },
  });

/** GitHub Copilot needs these headers on every answer of a registry, also on preflights. */
export function openToAll(methods: string): MiddlewareHandler<HttpEnvironment> {
  const headers = toCorsHeaders({ methods, headers: 'Authorization, Content-Type' });
  return async (c, next) => {
    if (c.req.method === 'OPTIONS') return c.body(null, 204, { ...headers });
    // Afterwards c.header would make a new answer, whose body is a stream.
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    await next();
  };
}

const sendable =
  /^(content-type|accept|authorization|x-agent-capability|last-event-id|mcp-[a-z0-9-]{1,60})$/i;

/** Some names of the protocol's headers are not known in advance. */
export function toMcpPreflight(c: Request, methods: readonly string[]): Response {
  const requested = (c.req.header('access-control-request-headers') ?? '')
    .split(',')
    .map((name) => name.trim());
  const headers = requested.filter((name) => sendable.test(name)).join(', ');
  return toPreflight(
    { methods: methods.join(', '), headers },
    { Allow: methods.join(', '), Vary: 'Access-Control-Request-Headers' },
  );
}

const mcpExposed = 'Retry-After, RateLimit, RateLimit-Policy, Mcp-Session-Id';

/** Empty for a caller that is not a page. */
export const toMcpCorsHeaders = (origin: string | undefined): Readonly<Record<string, string>> =>
  origin ? { ...anyOrigin, 'Access-Control-Expose-Headers': mcpExposed } : {};

const listing = '/agents/[^/]+/[^/]+';
const view = '/views/[^/]+';

/** `*` accepts any; other paths declare no parameter. */
const declared: readonly (readonly [path: RegExp, names: readonly string[]])[] = [
  [/^\/agents$/, ['q', 'query', 'tag', 'handle', 'from', 'shown', ...textFilterNames, ...fixedFilterNames]],
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
  [/^\/changes$/, ['since', 'until']],
  [new RegExp(`^${view}$`), ['cursor']],
  [new RegExp(`^${view}/v0(\\.1)?/servers$`), ['limit', 'cursor']],
  [/^\/v0(\.1)?\/servers$/, ['cursor', 'limit', 'search', 'updated_since', 'version', 'include_deleted']],
  [/^\/log$/, ['before']],
  [/^\/v0(\.1)?\/servers\//, ['include_deleted', 'cursor']],
];

/** Programs follow these: a parameter that is not declared would seem to narrow what they get. */
const followed = new RegExp(`^/changes$|/feed\\.(?:atom|json)$|^${listing}/history\\.json$`);

const declaredAt = (path: string) => declared.find(([pattern]) => pattern.test(path))?.[1] ?? [];

function refuseUndeclared(request: HttpRequest['req']): void {
  const path = toRoutedPath(request.path);
  const names = declaredAt(path);
  const isOther = Object.keys(request.query()).some((name) => !names.includes(name));
  if (!isOther || !followed.test(path)) return;
  const takes = names.length > 0 ? `takes only ${names.join(', ')}` : 'takes no parameters';
  const where = names.includes('kind')
    ? ''
    : ': of all listings, /changes takes since and until as days; of one, /agents/<handle>/history.json takes a kind too';
  throw wrongField('query', `must have no others, because this address ${takes}${where}`);
}

/** As the routes name it. */
export const getRoutedPath = (request: globalThis.Request): string => toRoutedPath(getPath(request));

const registryPath = /^\/+(?:views\/+[^/]+\/+)?v0(?:\.1)?\//;

/** Some clients double slashes in paths of the registry API, or add one at the end. */
export const toRoutedPath = (path: string): string =>
  registryPath.test(path) ? path.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '') : path;

export function toKnownAddress(address: string): string {
  const end = address.indexOf('?');
  if (end === -1) return address;
  const path = address.slice(0, end);
  const routed = toRoutedPath(path);
  const names = declaredAt(routed);
  if (names.includes('*') || followed.test(routed)) return address;
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
  refuseUndeclared(c.req);
  const address = addressOf(url);
  const known = toKnownAddress(address);
  if (known !== address)
    c.req.raw = new Request(url.slice(0, url.length - address.length) + known, { method, headers, signal });
  await next();
};

const isReadable = (pathname: string): boolean =>
  attempt(() => !/\p{Cc}/u.test(decodeURIComponent(pathname))) ?? false;

const asciiEscape = /%([0-7][0-9a-f])/gi;
const undoEscapes = (text: string) =>
  text.replace(asciiEscape, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Plain, or percent-encoded once or twice. */
export const holdsSecret = (url: string): boolean =>
  findSecret(url.includes('%') ? undoEscapes(undoEscapes(url)) : url) !== undefined;

/** PostgreSQL cannot store NUL. */
function withoutNul({ raw, method, url }: HttpRequest['req']): globalThis.Request {
  if (method !== 'GET' && method !== 'HEAD')
    throw new Problem('invalid_request', 'The address contains the character U+0000 (%00).');
  return new Request(url.replaceAll('%00', '%EF%BF%BD'), {
    method,
    headers: raw.headers,
    signal: raw.signal,
  });
}

export const addressGuard: MiddlewareHandler<HttpEnvironment> = async (c, next) => {
  const { url } = c.req;
  if (holdsSecret(url)) throw new Problem('secret_in_body');
  if (url.includes('%') && !isReadable(new URL(url).pathname))
    throw new Problem('invalid_request', 'The path has an invalid escape or a control character.');
  if (url.includes('%00')) c.req.raw = withoutNul(c.req);
  await next();
};

type Answered = Record<'method' | 'path', string> & Partial<Record<'request' | 'tool', string>>;

/** `start` is of performance.now(). */
export function logAnswer(
  { log }: Pick<Context, 'log'>,
  { request, method, path, tool, status, start }: Answered & Record<'status' | 'start', number>,
): void {
  const ms = Math.round((performance.now() - start) * 10) / 10;
  logMembers(log, () => {
    // No other member has a character that JSON escapes.
    const asked = `"request":"${request ?? randomUUID()}","method":"${method}","path":${JSON.stringify(path)}`;
    const called = tool === undefined ? '' : `,"tool":"${tool}"`;
    return `${asked}${called},"status":${status},"ms":${ms},"msg":"answered"`;
  });
}

export const accessLog: MiddlewareHandler<HttpEnvironment> = async (c, next) => {
  const start = performance.now();
  await next();
  const path = holdsSecret(c.req.path) ? '[capability]' : c.req.path.slice(0, 300);
  const { method } = c.req;
  const request = c.get('requestId');
  const tool = c.get('tool');
  logAnswer(c.get('context'), { request, method, path, tool, status: c.res.status, start });
};

/** RFC 1035, with a port. */
const longestHost = 253 + 6;
const mostHosts = 100;
const portAtEnd = /:\d{1,5}$/;

function hostName(host: string): string {
  const [port = ''] = portAtEnd.exec(host) ?? [];
  return (Number(port.slice(1)) > 65_535 ? host : host.slice(0, host.length - port.length)).toLowerCase();
}

/** Any port of `acceptedHosts`. */
export function createHostCheck(config: Config) {
  const allowed = new Set(acceptedHosts(config).map(hostName));
  const isAllowed = memoize((host) => allowed.has(hostName(host)), mostHosts);
  return (host: string): boolean => host.length <= longestHost && isAllowed(host);
}
export type HostCheck = ReturnType<typeof createHostCheck>;

/** Against DNS rebinding. */
export const createHostGuard =
  (isOurs: HostCheck): MiddlewareHandler<HttpEnvironment> =>
  async (c, next) => {
    const host = c.req.header('host') ?? new URL(c.req.url).host;
    if (!isOurs(host)) throw new Problem('invalid_request', 'The Host header does not name this service.');
    await next();
  };

function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() !== 'unicast';
  return !host.includes('.') || /\.(localhost|internal|local|lan|home\.arpa)$/i.test(host);
}

const isLoopback = ({ hostname }: URL) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);

/**
 * Undefined is no page. A private service refuses pages of other sites, because any page opened there could
 * call it (MCP, Streamable HTTP: "Servers MUST validate the Origin header"), except for ALLOWED_ORIGINS.
 */
export function createOriginCheck({
  publicUrl,
  allowedOrigins,
}: Pick<Config, 'publicUrl' | 'allowedOrigins'>): (origin: string | undefined) => boolean {
  const own = new URL(publicUrl);
  if (!isPrivateHost(own.hostname)) return () => true;
  const allowed = new Set([own.origin, ...allowedOrigins.map((text) => new URL(text).origin)]);
  return (origin) => {
    if (origin === undefined || allowed.has(origin)) return true;
    const url = URL.parse(origin);
    return url !== null && isLoopback(own) && isLoopback(url) && url.port === own.port;
  };
}

const chosen = /^[\w\-=]{1,40}$/;

export const toRequestId = (sent: string | undefined): string =>
  sent !== undefined && chosen.test(sent) ? sent : randomUUID();

export const nameRequest: MiddlewareHandler<HttpEnvironment> = async (c, next) => {
  const id = toRequestId(c.req.header('x-request-id'));
  c.set('requestId', id);
  c.header('X-Request-Id', id);
  await next();
};

/** The client has the others (RFC 9110, section 15.4.5). */
export const ofNotModified: readonly string[] = [
  'access-control-allow-origin',
  'cache-control',
  'etag',
  'vary',
];

/** Runs after a page was stored, so that cached answers keep all headers. */
export const trimNotModified: MiddlewareHandler<HttpEnvironment> = async (c, next) => {
  await next();
  if (c.res.status !== 304) return;
  for (const name of [...c.res.headers.keys()])
    if (!ofNotModified.includes(name) && name !== 'x-request-id') c.res.headers.delete(name);
};

const createSecureHeaders = (config: Config) =>
  secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      scriptSrc: ["'self'"],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
    referrerPolicy: 'same-origin',
    strictTransportSecurity: config.publicUrl.startsWith('https:') ? 'max-age=31536000' : false,
    crossOriginResourcePolicy: 'cross-origin',
    xFrameOptions: 'DENY',
    xDownloadOptions: false,
    xDnsPrefetchControl: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    originAgentCluster: false,
    overwrite: false,
  });

/** Scripts of any site may read it. */
export const isDocument = (method: string, type: string | null | undefined): boolean =>
  ['GET', 'HEAD'].includes(method) && /^(?!text\/html\b)./.test(type ?? '');

/** Also opens documents, and redirects to them, to scripts of any site. */
export function createHeaderGuard(config: Config): MiddlewareHandler<HttpEnvironment> {
  const secure = createSecureHeaders(config);
  return async (c, next) => {
    await next();
    if (!c.get('isSecured')) await secure(c, async () => {});
    // c.header would make a new answer, whose body is a stream.
    const isRedirect = ['GET', 'HEAD'].includes(c.req.method) && c.res.headers.has('location');
    if (isRedirect || isDocument(c.req.method, c.res.headers.get('content-type')))
      for (const [name, value] of Object.entries(anyOrigin)) c.res.headers.set(name, value);
  };
}

/** Setting each header on a Response is slow. */
export async function toSecuredHeaders(
  config: Config,
  headers: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const app = new Hono().use(createSecureHeaders(config)).get('/', (c) => c.body(null, { headers }));
  return Object.fromEntries((await app.request('/')).headers);
}
