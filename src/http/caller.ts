import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Config } from '../config/config.ts';
import type { Caller } from '../context.ts';
import { type Address, isInNetwork, type Network, readNetwork } from '../core/network.ts';

const maxCapabilityLength = 200;

/** As some balancers write it: `203.0.113.7:1234`, `[2001:db8::1]:1234`. */
const withPort = /^(?:\[([^\]]+)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/;
const withoutPort = (text: string) => {
  const [, bracketed, plain] = withPort.exec(text) ?? [];
  return bracketed ?? plain ?? text;
};

const parse = (text: string): Address | undefined =>
  ipaddr.isValid(text) ? ipaddr.process(text) : undefined;

function clientAddress(
  peer: Address,
  forwarded: string | null | undefined,
  ranges: readonly Network[],
): Address {
  let client = peer;
  const hops = forwarded?.split(',') ?? [];
  while (hops.length > 0 && ranges.some((range) => isInNetwork(client, range))) {
    const hop = parse(withoutPort(hops.pop()?.trim() ?? ''));
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

/** `required` leaves out tokens without `Bearer`. */
function tokensOf(value: string | null, bearer: 'required' | 'allowed'): string[] {
  if (value === null) return [];
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && (bearer === 'allowed' || /^bearer /i.test(part)))
    .map((part) => part.replace(/^bearer +/i, '').slice(0, maxCapabilityLength));
}

type CallerRequest = Pick<Request, 'method'> & { readonly headers: Pick<Headers, 'get'> };

function capabilityOf(headers: CallerRequest['headers']): Caller['capability'] {
  const sent = new Set([
    ...tokensOf(headers.get('authorization'), 'required'),
    ...tokensOf(headers.get('x-agent-capability'), 'allowed'),
  ]);
  return sent.size > 1 ? 'conflict' : [...sent][0];
}

const crawlers = /bot\b|crawl|spider|slurp|archive|preview|externalhit|scanner|monitor|uptime/i;
const purposes = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;

/** No person waits, as far as headers show. */
const isAutomatic = ({ method, headers }: CallerRequest): boolean =>
  method === 'HEAD' ||
  purposes.some((name) => /prefetch|prerender|preview/i.test(headers.get(name) ?? '')) ||
  (method === 'GET' && crawlers.test(headers.get('user-agent') ?? ''));

/** X-Forwarded-For is read from its end, as long as the peer and all hops so far are in TRUSTED_PROXIES. */
export function createCallerReader({ trustedProxies }: Pick<Config, 'trustedProxies'>) {
  const ranges = trustedProxies.map(readNetwork).filter((one) => one !== undefined);
  /** An IPv4 address, an IPv6 /64, or `unknown` if the peer has no address. */
  const networkOf = (forwarded: string | null | undefined, remoteAddress: string | undefined): string => {
    // The usual case, without parsing.
    if (ranges.length === 0 && remoteAddress && isIPv4(remoteAddress)) return remoteAddress;
    const peer = parse(remoteAddress ?? '');
    if (!peer) return 'unknown';
    return toNetwork(ranges.length === 0 ? peer : clientAddress(peer, forwarded, ranges));
  };
  /** The capability is not checked yet; `conflict` if different ones were sent. */
  const callerOf = (request: CallerRequest, remoteAddress: string | undefined): Caller => {
    const { headers } = request;
    return {
      network: networkOf(headers.get('x-forwarded-for'), remoteAddress),
      capability: capabilityOf(headers),
      ...(isAutomatic(request) && { isAutomatic: true as const }),
    };
  };
  return { networkOf, callerOf };
}
