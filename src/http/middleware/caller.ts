import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Config } from '../../config/config.ts';
import type { Caller } from '../../context.ts';

type Address = ReturnType<typeof ipaddr.process>;
type Range = ReturnType<typeof ipaddr.parseCIDR>;
type Trust = Pick<Config, 'trustedProxies'>;

const maxCapabilityLength = 200;
const proxies = new WeakMap<readonly string[], readonly Range[]>();

function toRange(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** The ranges of TRUSTED_PROXIES, read once; one that is not an address or range counts for nothing. */
function rangesOf({ trustedProxies }: Trust): readonly Range[] {
  const known = proxies.get(trustedProxies);
  if (known) return known;
  const ranges = trustedProxies.flatMap((text) => {
    try {
      return [toRange(text)];
    } catch {
      return [];
    }
  });
  proxies.set(trustedProxies, ranges);
  return ranges;
}

const parse = (text: string): Address | undefined =>
  ipaddr.isValid(text) ? ipaddr.process(text) : undefined;

const isIn = (ranges: readonly Range[], address: Address): boolean =>
  ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));

/** The nearest address that is not a trusted proxy, walking X-Forwarded-For from its end. */
function clientAddress(peer: Address, forwarded: string | null, ranges: readonly Range[]): Address {
  let client = peer;
  const hops = forwarded?.split(',') ?? [];
  while (hops.length > 0 && isIn(ranges, client)) {
    const hop = parse(hops.pop()?.trim() ?? '');
    if (!hop) break;
    client = hop;
  }
  return client;
}

function toNetwork(address: Address): string {
  if (address.kind() === 'ipv4') return address.toString();
  const prefix = (address as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${prefix.join(':')}::/64`;
}

/** The network a request comes from, as `toCaller` names it. */
export function networkOf(
  headers: Pick<Headers, 'get'>,
  config: Trust,
  remoteAddress: string | undefined,
): string {
  const ranges = rangesOf(config);
  // Most callers: no proxies to look for and nothing to take apart.
  if (ranges.length === 0 && remoteAddress && isIPv4(remoteAddress)) return remoteAddress;
  const peer = parse(remoteAddress ?? '');
  if (!peer) return 'unknown';
  if (ranges.length === 0) return toNetwork(peer);
  return toNetwork(clientAddress(peer, headers.get('x-forwarded-for'), ranges));
}

/** Tokens of a header that may have come twice; another scheme than Bearer is not a capability. */
function tokensOf(value: string | null, bearer: 'required' | 'allowed'): string[] {
  return (value ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && (bearer === 'allowed' || /^bearer /i.test(part)))
    .map((part) => part.replace(/^bearer +/i, '').slice(0, maxCapabilityLength));
}

function capabilityOf(headers: Headers): Caller['capability'] {
  const sent = new Set([
    ...tokensOf(headers.get('authorization'), 'required'),
    ...tokensOf(headers.get('x-agent-capability'), 'allowed'),
  ]);
  return sent.size > 1 ? 'conflict' : [...sent][0];
}

/**
 * Who calls: the capability from `Authorization: Bearer` or `X-Agent-Capability`, 'conflict' where they differ, as
 * sent and unchecked; the network as IPv4 address or IPv6 /64. X-Forwarded-For counts only while the peer, and then
 * each hop before it, is in TRUSTED_PROXIES.
 */
export function toCaller(
  request: { readonly headers: Headers },
  config: Trust,
  remoteAddress: string | undefined,
): Caller {
  const capability = capabilityOf(request.headers);
  return {
    network: networkOf(request.headers, config, remoteAddress),
    ...(capability !== undefined && { capability }),
  };
}
