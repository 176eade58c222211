import { hash } from 'node:crypto';
import { registrableDomain } from '../core/identity.ts';
import platforms from './platforms.json' with { type: 'json' };

/**
 * The receiver to which a webhook URL belongs. It is the registrable domain, except on automation platforms
 * (platforms.json), whose customers share one domain. There it is the host and, if the host does not name the
 * customer, a digest of the path segments that do: three for `hooks.zapier.com/hooks/catch/<account>/<hook>`.
 * It is a digest because these segments may be secret.
 */
export function receiverKey({ hostname, pathname }: URL): string {
  const platform = Object.entries(platforms).find(([host]) => `.${hostname}`.endsWith(`.${host}`));
  if (!platform) return registrableDomain(hostname);
  const parts = pathname.split('/').slice(1, platform[1] + 1);
  return parts.length === 0 ? hostname : `${hostname} ${hash('sha256', parts.join('/')).slice(0, 16)}`;
}
