import type { MiddlewareHandler } from 'hono';
import type { Config } from '../../config/config.ts';
import { Problem } from '../../problem.ts';
import type { HttpEnvironment } from '../environment.ts';

const loopback = ['localhost', '127.0.0.1', '[::1]'];
const hostName = (host: string) => host.toLowerCase().replace(/:\d{1,5}$/, '');

/** Names this service answers to: ALLOWED_HOSTS, or those of PUBLIC_URL, HOST and loopback. */
export const allowedHosts = (config: Config): ReadonlySet<string> =>
  new Set(
    config.allowedHosts.length > 0
      ? config.allowedHosts.map(hostName)
      : [hostName(new URL(config.publicUrl).host), config.host.toLowerCase(), ...loopback],
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
export function createHostGuard(config: Config): MiddlewareHandler<HttpEnvironment> {
  const isOurs = createHostCheck(config);
  return async (c, next) => {
    const host = c.req.header('host') ?? new URL(c.req.url).host;
    if (!isOurs(host))
      throw new Problem('invalid_request', { detail: 'The Host header does not name this service.' });
    await next();
  };
}
