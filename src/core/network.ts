import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ReturnType<typeof ipaddr.process>;
export type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** An address, or a range in CIDR. Undefined with a zone, as in fe80::1%eth0, which is of one machine. */
export function readNetwork(text: string): Network | undefined {
  const [written = '', bits, ...rest] = text.split('/');
  if (isIP(written) === 0 || written.includes('%') || rest.length > 0) return undefined;
  const address = bits === undefined ? ipaddr.process(written) : ipaddr.parse(written);
  const longest = address.kind() === 'ipv4' ? 32 : 128;
  const length = bits === undefined ? longest : /^\d{1,3}$/.test(bits) ? Number(bits) : Infinity;
  return length <= longest ? [address, length] : undefined;
}

export const isInNetwork = (address: Address, [base, bits]: Network): boolean =>
  base.kind() === address.kind() && address.match(base, bits);
