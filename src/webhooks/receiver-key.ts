import { hash } from 'node:crypto';
import { registrableDomain } from '../core/identity.ts';
import platforms from './platforms.json' with { type: 'json' };

/**
 * The registrable domain, or the host on platforms whose customers share a domain (platforms.json), with a
 * digest of the segments that name a customer, such as `hooks.zapier.com/hooks/catch/<account>/<hook>`: they
 * may be secret.
 */
export function receiverKey({ hostname, pathname }: URL): string {
  const platform = Object.entries(platforms).find(([host]) => `.${hostname}`.endsWith(`.${host}`));
  if (!platform) return registrableDomain(hostname);
  const parts = pathname.split('/').slice(1, platform[1] + 1);
  return parts.length === 0 ? hostname : `${hostname} ${hash('sha256', parts.join('/')).slice(0, 16)}`;
}
