import { Hono, type MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { Config } from '../../config/config.ts';
import type { Context } from '../../context.ts';
import { findSecret } from '../../evidence/claim/capability.ts';
import { logOften } from '../../observability/logger.ts';
import { Problem } from '../../problem.ts';
import type { Face, HttpEnvironment } from '../environment.ts';

type Guard = MiddlewareHandler<HttpEnvironment>;

const loopback = ['localhost', '127.0.0.1', '[::1]'];
const hostName = (host: string) => host.toLowerCase().replace(/:\d{1,5}$/, '');

/** Names this service answers to: ALLOWED_HOSTS, or those of PUBLIC_URL, HOST and loopback. */
export const allowedHosts = (config: Config): ReadonlySet<string> =>
  new Set(
    config.ALLOWED_HOSTS.length > 0
      ? config.ALLOWED_HOSTS.map(hostName)
      : [hostName(new URL(config.PUBLIC_URL).host), config.HOST.toLowerCase(), ...loopback],
  );

/** Whether a Host names this service. */
export function createHostCheck(config: Config): (host: string) => boolean {
  const allowed = allowedHosts(config);
  // Nearly always the same one.
  let seen = '';
  return (host) => {
    if (host === seen) return true;
    const isOurs = allowed.has(hostName(host));
    if (isOurs) seen = host;
    return isOurs;
  };
}

/** Refuses a Host that is not ours (DNS rebinding). */
export function createHostGuard(config: Config): Guard {
  const isOurs = createHostCheck(config);
  return async (c, next) => {
    const host = c.req.header('host') ?? new URL(c.req.url).host;
    if (!isOurs(host))
      throw new Problem('invalid_request', { detail: 'The Host header does not name this service.' });
    await next();
  };
}

/** Security headers of every answer (trust.md section 6); strict transport only where the service is on https. */
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
    strictTransportSecurity: config.PUBLIC_URL.startsWith('https:') ? 'max-age=31536000' : false,
    crossOriginResourcePolicy: 'cross-origin',
    xFrameOptions: 'DENY',
    xDownloadOptions: false,
    xDnsPrefetchControl: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    originAgentCluster: false,
    overwrite: false,
  });

/** Sets the security headers where an answer was not made with them. */
export function createHeaderGuard(config: Config): Guard {
  const secure = createSecureHeaders(config);
  return async (c, next) => {
    await next();
    if (!c.get('isSecured')) await secure(c, async () => {});
  };
}

/** The security headers and those given as one plain object: setting them one by one costs a tenth of an MCP answer. */
export async function toSecuredHeaders(
  config: Config,
  headers: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const app = new Hono().use(createSecureHeaders(config)).get('/', (c) => c.body(null, { headers }));
  return Object.fromEntries((await app.request('/')).headers);
}

function isReadable(pathname: string): boolean {
  try {
    return !/\p{Cc}/u.test(decodeURIComponent(pathname));
  } catch {
    return false;
  }
}

const asciiEscape = /%([0-7][0-9a-f])/gi;
const undoEscapes = (text: string) =>
  text.replace(asciiEscape, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Whether an address holds a capability, plain or escaped, once or twice. */
const holdsSecret = (url: string): boolean =>
  findSecret(url.includes('%') ? undoEscapes(undoEscapes(url)) : url) !== undefined;

/** Refuses an address that does not decode, holds a control character or holds a capability. */
export const addressGuard: Guard = async (c, next) => {
  const { url } = c.req;
  if (holdsSecret(url)) throw new Problem('secret_in_body');
  if (url.includes('%') && !isReadable(new URL(url).pathname))
    throw new Problem('invalid_request', { detail: 'The path does not decode.' });
  await next();
};

/** An answer as the access log names it; `start` as performance.now() gave it. */
export interface LoggedAnswer {
  readonly request: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly start: number;
}

/** Writes one log line: request id, method, path without query, status, milliseconds. Never an address. */
export function logAnswer({ log }: Pick<Context, 'log'>, answer: LoggedAnswer): void {
  const { request, method, path, status, start } = answer;
  const ms = Math.round((performance.now() - start) * 10) / 10;
  // Neither an id that was taken nor a method that was read holds a character that JSON escapes.
  const named = `"request":"${request}","method":"${method}","path":${JSON.stringify(path)}`;
  logOften(log, `${named},"status":${status},"ms":${ms},"msg":"answered"`);
}

/** One log line an answer. */
export const createAccessLog =
  ({ context }: Face): Guard =>
  async (c, next) => {
    const start = performance.now();
    await next();
    const path = holdsSecret(c.req.path) ? '[capability]' : c.req.path.slice(0, 300);
    const { method } = c.req;
    logAnswer(context, { request: c.get('requestId'), method, path, status: c.res.status, start });
  };
