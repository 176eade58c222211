import ipaddr from 'ipaddr.js';

const globalUnicast6 = ipaddr.parseCIDR('2000::/3');

/** Global unicast, without IPv6 that maps or translates IPv4. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(globalUnicast6));
}

export const isLoopbackAddress = (text: string): boolean =>
  ipaddr.isValid(text) && ipaddr.parse(text).range() === 'loopback';

/** Without the brackets of IPv6. */
export const plainAddress = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

/** Without the dot of the DNS root. A port stays. */
export const withoutRoot = (host: string): string => host.replace(/\.(?=$|:\d+$)/, '');

export const isAddress = (hostname: string): boolean => ipaddr.isValid(plainAddress(hostname));

export const isLoopbackBase = (base: URL): boolean =>
  base.hostname === 'localhost' || isLoopbackAddress(plainAddress(base.hostname));
