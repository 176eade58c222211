import { hash } from 'node:crypto';
import { registrableDomain } from '../core/identity.ts';
import platforms from './platforms.json' with { type: 'json' };

/**
 * Whom an address of webhooks belongs to, by which places, limits and turns are shared: the registrable domain. Customers of an automation
 * platform (platforms.json) share its domain: there it is the host, and of the path as many parts as name the account or the hook, as a
 * digest, since they may be secret. `hooks.zapier.com/hooks/catch/<account>/<hook>` has three, `hook.eu1.make.com/<hook>` one.
 */
export function receiverKey({ hostname, pathname }: URL): string {
  const platform = Object.entries(platforms).find(([host]) => `.${hostname}`.endsWith(`.${host}`));
  if (!platform) return registrableDomain(hostname);
  const parts = pathname.split('/').slice(1, platform[1] + 1);
  return parts.length === 0 ? hostname : `${hostname} ${hash('sha256', parts.join('/')).slice(0, 16)}`;
}
