import { BlockList, isIP } from 'node:net';

/**
 * Parses an address or range. Callers are known by IPv4 address or IPv6 /64, so longer prefixes are refused.
 */
export function toPrefix(
  text: string,
): { address: string; bits: number; family: 'ipv4' | 'ipv6' } | undefined {
  const [address = '', written, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || !/^\d{0,3}$/.test(written ?? '')) return undefined;
  const longest = version === 4 ? 32 : 64;
  const bits = Number(written ?? longest);
  return bits <= longest ? { address, bits, family: version === 4 ? 'ipv4' : 'ipv6' } : undefined;
}

/** Tells whether a caller's network (an IPv4 address or an IPv6 /64) is in a blocked one. */
export function isInNetwork(caller: string, network: string): boolean {
  const own = toPrefix(caller);
  const blocked = toPrefix(network);
  if (!own || !blocked) return false;
  const list = new BlockList();
  list.addSubnet(blocked.address, blocked.bits, blocked.family);
  return list.check(own.address, own.family);
}
