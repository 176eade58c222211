import type { MiddlewareHandler } from 'hono';
import type { Config } from '../../config/config.ts';
import { Problem } from '../../problem.ts';
import type { HttpEnvironment } from '../environment.ts';

const loopback = ['localhost', '127.0.0.1', '[::1]'];
const hostName = (host: string) => host.toLowerCase().replace(/:\d{1,5}$/, '');

/** The host names of this service: ALLOWED_HOSTS, or those of PUBLIC_URL, HOST and loopback. */
export const allowedHosts = (config: Config): ReadonlySet<string> =>
  new Set(
    config.allowedHosts.length > 0
      ? config.allowedHosts.map(hostName)
      : [hostName(new URL(config.publicUrl).host), config.host.toLowerCase(), ...loopback],
  );

/** Whether a Host header names this service. */
export type HostCheck = (host: string) => boolean;

/** The check for the names that the settings allow. */
export function createHostCheck(config: Config): HostCheck {
  const allowed = allowedHosts(config);
  return (host) => allowed.has(hostName(host));
}

/** Refuses a Host that is not ours (DNS rebinding). */
export const createHostGuard =
  (isOurs: HostCheck): MiddlewareHandler<HttpEnvironment> =>
  async (c, next) => {
    const host = c.req.header('host') ?? new URL(c.req.url).host;
    if (!isOurs(host))
      throw new Problem('invalid_request', { detail: 'The Host header does not name this service.' });
    await next();
  };
