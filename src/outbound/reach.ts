import type { Reach } from './client.ts';
import { overridden } from './host-overrides.ts';
import { isAddress, isPublicAddress } from './public-address.ts';

const plainAddress = (hostname: string) => hostname.replace(/^\[|\]$/g, '');

/** Reaches http and https on any port of public addresses, and the hosts of HOST_OVERRIDES wherever they are. */
export function reachPublic(url: URL, overrides: Parameters<typeof overridden>[1]): Reach | undefined {
  const other = overridden(url, overrides);
  if (other) return { url: other, addresses: 'any' };
  if (!/^https?:$/.test(url.protocol) || url.username + url.password !== '') return undefined;
  if (isAddress(url.hostname) && !isPublicAddress(plainAddress(url.hostname))) return undefined;
  return { url, addresses: 'public' };
}
