import type { MiddlewareHandler } from 'hono';
import { findSecret } from '../../evidence/claim/capability.ts';
import { Problem } from '../../problem.ts';
import type { HttpEnvironment, Request as HttpRequest } from '../environment.ts';

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

/** Whether a URL contains a capability, plain or percent-encoded once or twice. */
export const holdsSecret = (url: string): boolean =>
  findSecret(url.includes('%') ? undoEscapes(undoEscapes(url)) : url) !== undefined;

/** The request with U+FFFD for each NUL of its query, so that no route reads a text that PostgreSQL does not store. */
function withoutNul({ raw, method, url }: HttpRequest['req']): globalThis.Request {
  if (method !== 'GET' && method !== 'HEAD')
    throw new Problem('invalid_request', { detail: 'The address contains the character U+0000 (%00).' });
  return new Request(url.replaceAll('%00', '%EF%BF%BD'), {
    method,
    headers: raw.headers,
    signal: raw.signal,
  });
}

/** Refuses a URL whose path does not decode or has a control character, or that contains a capability. */
export const addressGuard: MiddlewareHandler<HttpEnvironment> = async (c, next) => {
  const { url } = c.req;
  if (holdsSecret(url)) throw new Problem('secret_in_body');
  if (url.includes('%') && !isReadable(new URL(url).pathname))
    throw new Problem('invalid_request', { detail: 'The path does not decode.' });
  if (url.includes('%00')) c.req.raw = withoutNul(c.req);
  await next();
};
