import type { MiddlewareHandler } from 'hono';
import { findSecret } from '../../evidence/claim/capability.ts';
import { Problem } from '../../problem.ts';
import type { HttpEnvironment } from '../environment.ts';

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

/** Refuses a URL that does not decode, or that contains a control character or a capability. */
export const addressGuard: MiddlewareHandler<HttpEnvironment> = async (c, next) => {
  const { url } = c.req;
  if (holdsSecret(url)) throw new Problem('secret_in_body');
  if (url.includes('%') && !isReadable(new URL(url).pathname))
    throw new Problem('invalid_request', { detail: 'The path does not decode.' });
  await next();
};
