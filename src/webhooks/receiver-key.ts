import { hash } from 'node:crypto';
import { registrableDomain } from '../core/identity.ts';
import platforms from './platforms.json' with { type: 'json' };

/**
 * The receiver to which a webhook URL belongs. It is the registrable domain, except on automation platforms
 * (platforms.json), whose customers share one domain. On a platform, it is the host. If the host does not
 * name the customer, a digest of the path segments that name the customer is added. These are three segments
 * for `hooks.zapier.com/hooks/catch/<account>/<hook>`. Only their digest is used, because they may be secret.
 */
export function receiverKey({ hostname, pathname }: URL): string {
  const platform = Object.entries(platforms).find(([host]) => `.${hostname}`.endsWith(`.${host}`));
  if (!platform) return registrableDomain(hostname);
  const parts = pathname.split('/').slice(1, platform[1] + 1);
  return parts.length === 0 ? hostname : `${hostname} ${hash('sha256', parts.join('/')).slice(0, 16)}`;
}
