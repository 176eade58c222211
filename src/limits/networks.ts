/** A network that a call is counted for, and how many times the amount of the narrowest one it may call. */
export interface CountedNetwork {
  readonly network: string;
  readonly times: number;
}

const ipv4 = /^(\d+\.\d+\.\d+)\.\d+$/;
const ipv6 = /^([0-9a-f]+:[0-9a-f]+:[0-9a-f]+):([0-9a-f]+)::\/64$/;

function readNetworks(network: string): readonly CountedNetwork[] {
  const own = { network, times: 1 };
  const [, first3] = ipv4.exec(network) ?? [];
  if (first3) return [own, { network: `${first3}.0/24`, times: 16 }];
  const [, site, subnet] = ipv6.exec(network) ?? [];
  if (!site || !subnet) return [own];
  const part = (Number.parseInt(subnet, 16) & 0xff00).toString(16);
  return [own, { network: `${site}:${part}::/56`, times: 4 }, { network: `${site}::/48`, times: 16 }];
}

const mostRead = 10_000;
/** What was read of recent networks: every request asks, and most come from networks that came before. */
const read = new Map<string, readonly CountedNetwork[]>();

/**
 * The networks that a caller's network (`Caller.network`) is counted for, narrowest first: an IPv4 address and its /24, an
 * IPv6 /64 with its /56 and /48 (docs/trust.md section 5). Anything else is counted alone.
 */
export function toCountedNetworks(network: string): readonly CountedNetwork[] {
  const known = read.get(network);
  if (known) return known;
  if (read.size >= mostRead) read.clear();
  const counted = readNetworks(network);
  read.set(network, counted);
  return counted;
}

/** The widest network that a caller's network is counted for. */
export const toWidestNetwork = (network: string): string =>
  toCountedNetworks(network).at(-1)?.network ?? network;
