import { BlockList, isIP } from 'node:net';

const mappedFromIPv4 = new BlockList();
mappedFromIPv4.addSubnet('::ffff:0:0', 96, 'ipv6');

/**
 * IPv6 without a prefix is its /64, because callers are known by that. Undefined for a longer prefix, a
 * zone and IPv4 as IPv6, too.
 */
export function toPrefix(
  text: string,
): { address: string; bits: number; family: 'ipv4' | 'ipv6' } | undefined {
  const [address = '', written, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || rest.length > 0) return undefined;
  if (written !== undefined && !/^\d{1,3}$/.test(written)) return undefined;
  if (version === 6 && mappedFromIPv4.check(address, 'ipv6')) return undefined;
  const longest = version === 4 ? 32 : 64;
  const bits = Number(written ?? longest);
  return bits <= longest ? { address, bits, family: version === 4 ? 'ipv4' : 'ipv6' } : undefined;
}

/** `caller` is IPv4 or an IPv6 /64. */
export function isInNetwork(caller: string, network: string): boolean {
  const own = toPrefix(caller);
  const blocked = toPrefix(network);
  // BlockList would find each IPv4 address in ::/64.
  if (!own || own.family !== blocked?.family) return false;
  const list = new BlockList();
  list.addSubnet(blocked.address, blocked.bits, blocked.family);
  return list.check(own.address, own.family);
}
