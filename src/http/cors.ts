import type { MiddlewareHandler } from 'hono';
import { day_s } from '../core/text.ts';
import type { HttpEnvironment, Request } from './call.ts';

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
