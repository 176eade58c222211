import { BlockList, isIP } from 'node:net';

type Family = 'ipv4' | 'ipv6';

/** An address or range as a prefix. Callers are known by IPv4 address or IPv6 /64, so nothing longer is taken. */
function toPrefix(text: string): { address: string; bits: number; family: Family } | undefined {
  const [address = '', written, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || !/^\d{0,3}$/.test(written ?? '')) return undefined;
  const longest = version === 4 ? 32 : 64;
  const bits = Number(written ?? longest);
  return bits <= longest ? { address, bits, family: version === 4 ? 'ipv4' : 'ipv6' } : undefined;
}

/** Whether a text is a network that can be blocked: an IPv4 address or range, or an IPv6 range of at most /64. */
export const isBlockable = (text: string): boolean => toPrefix(text) !== undefined;

/** Whether a caller's network (an IPv4 address or an IPv6 /64) is in a blocked one. */
export function isInNetwork(caller: string, network: string): boolean {
  const [own, blocked] = [toPrefix(caller), toPrefix(network)];
  if (!own || !blocked) return false;
  const list = new BlockList();
  list.addSubnet(blocked.address, blocked.bits, blocked.family);
  return list.check(own.address, own.family);
}
