import ipaddr from 'ipaddr.js';

const globalUnicast6 = ipaddr.parseCIDR('2000::/3');

/**
 * Whether an address is global unicast: not private, loopback, link-local, mapped, translated or reserved.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(globalUnicast6));
}

/** Whether an address is a loopback address. */
export const isLoopbackAddress = (text: string): boolean =>
  ipaddr.isValid(text) && ipaddr.parse(text).range() === 'loopback';

/** The host of a URL without the brackets of an IPv6 address. */
export const plainAddress = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

/**
 * A host name without a final dot (the DNS root), which does not change the host that it names. A port stays.
 */
export const withoutRoot = (host: string): string => host.replace(/\.(?=$|:\d+$)/, '');

/** Whether a URL's host is an IP address, not a name. */
export const isAddress = (hostname: string): boolean => ipaddr.isValid(plainAddress(hostname));

/** Whether a base URL names this machine: `localhost` or a loopback address. */
export const isLoopbackBase = (base: URL): boolean =>
  base.hostname === 'localhost' || isLoopbackAddress(plainAddress(base.hostname));
