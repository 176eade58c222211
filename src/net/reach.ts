import { isAddress, isPublicAddress, overridden, type Reach } from './client.ts';

const plainAddress = (hostname: string) => hostname.replace(/^\[|\]$/g, '');

/** Reaches http and https on any port of public addresses, and the hosts of HOST_OVERRIDES wherever they are. */
export function reachPublic(url: URL, overrides: Parameters<typeof overridden>[1]): Reach | undefined {
  const other = overridden(url, overrides);
  if (other) return { url: other, addresses: 'any' };
  if (!/^https?:$/.test(url.protocol) || url.username + url.password !== '') return undefined;
  if (isAddress(url.hostname) && !isPublicAddress(plainAddress(url.hostname))) return undefined;
  return { url, addresses: 'public' };
}
