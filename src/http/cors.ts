import type { MiddlewareHandler } from 'hono';
import { day_s } from '../core/text.ts';
import type { HttpEnvironment, Request } from './call.ts';

/**
 * The header that lets scripts of any site read an answer. This is harmless, because no answer depends on
 * cookies. `hono/cors` sends other headers (docs/decisions/answers.md).
 */
export const anyOrigin = { 'Access-Control-Allow-Origin': '*' } as const;

/**
 * Tells whether an answer is a document that any script may read: the answer to a GET or HEAD, if it is not
 * HTML.
 */
export const isDocument = (method: string, type: string | null | undefined): boolean =>
  ['GET', 'HEAD'].includes(method) && /^(?!text\/html\b)./.test(type ?? '');

/** The headers that scripts of other sites may send, and the headers of an answer that they may read. */
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

/** The answer to a preflight of a browser, valid for a day. */
export const toPreflight = (opening: CorsOpening, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, {
    status: 204,
    headers: { ...toCorsHeaders(opening), 'Access-Control-Max-Age': String(day_s), ...headers },
  });

/**
 * Gives all answers of routes, preflights included, the same headers, which GitHub requires of a registry.
 */
export function openToAll(methods: string): MiddlewareHandler<HttpEnvironment> {
  const headers = toCorsHeaders({ methods, headers: 'Authorization, Content-Type' });
  return async (c, next) => {
    if (c.req.method === 'OPTIONS') return c.body(null, 204, { ...headers });
    // Set before the answer is made, because afterwards c.header makes a new one, whose body is a stream.
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    await next();
  };
}

/** Headers that a script of another site may send to the MCP endpoint. */
const sendable =
  /^(content-type|accept|authorization|x-agent-capability|last-event-id|mcp-[a-z0-9-]{1,60})$/i;

/** The answer to a preflight of the MCP endpoint: headers of the protocol are reflected, not listed. */
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

/** Lets a script read an answer of the MCP endpoint. Empty for a caller that is not a page. */
export const toMcpCorsHeaders = (origin: string | undefined): Readonly<Record<string, string>> =>
  origin ? { ...anyOrigin, 'Access-Control-Expose-Headers': mcpExposed } : {};
