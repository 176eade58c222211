import { hash } from 'node:crypto';
import { registrableDomain } from '../core/identity.ts';
import platforms from './platforms.json' with { type: 'json' };

/**
 * The receiver that a webhook URL belongs to; limits and delivery slots count for each receiver. It is the
 * registrable domain, but for automation platforms (platforms.json), whose customers share one domain. There
 * it is the host and a digest of the leading path segments that name the account or hook (a digest, since
 * they may be secret): three of `hooks.zapier.com/hooks/catch/<account>/<hook>`, one of
 * `hook.eu1.make.com/<hook>`.
 */
export function receiverKey({ hostname, pathname }: URL): string {
  const platform = Object.entries(platforms).find(([host]) => `.${hostname}`.endsWith(`.${host}`));
  if (!platform) return registrableDomain(hostname);
  const parts = pathname.split('/').slice(1, platform[1] + 1);
  return parts.length === 0 ? hostname : `${hostname} ${hash('sha256', parts.join('/')).slice(0, 16)}`;
}
