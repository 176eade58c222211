import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { connect, isIPv6 } from 'node:net';
import {
  type Answer,
  type DecodedPacket,
  decode,
  encode,
  type Packet,
  streamDecode,
  streamEncode,
  type TxtAnswer,
} from 'dns-packet';
import type { Config } from '../config/config.ts';
import { defaultTimeouts } from '../config/timeouts.ts';
import { cachedOnce } from '../core/cached-once.ts';
import { unlessAborted } from '../core/every.ts';
import { createFairPool } from '../core/fair-pool.ts';
import { registrableDomain } from '../core/identity.ts';
import { attempt } from '../core/json.ts';
import { withoutRoot } from './addresses.ts';

/**
 * Why a name leads to no address.
 * - `no_address`: by an answer of DNS.
 * - `unresolved`: no answer, although a name of another domain was resolved in the last hour.
 * - `no_way`: no answer, perhaps by our own fault, or nobody waited for it.
 */
export type Unresolved = 'no_address' | 'unresolved' | 'no_way';

type ResolvedAddresses = readonly LookupAddress[];

const cached_ms = 30_000;
/** Failures too, because a request resolves a name and its connection does again. */
const failed_ms = 1000;
const mostNames = 1000;
/** The servers of one registrable domain may be silent. */
const pendingOfDomain = 4;
const remembered_ms = 3_600_000;
/** After the first family. RFC 8305 section 3 recommends 50 ms. */
const otherFamily_ms = 1000;

const absent = /^(?:ENOTFOUND|EBADNAME|ENODATA)$/;
const noSuchName = /^(?:ENOTFOUND|EBADNAME)$/;
/** Faults of this machine, or unreachable DNS servers. */
const ours = /^(?:ECONNREFUSED|ENOMEM|EFILE|ENOTINITIALIZED)$/;

async function resolveName(
  name: string,
  servers: Config['dnsServers'],
  timeout_ms: number,
): Promise<ResolvedAddresses | 'no_address' | 'no_way' | 'unanswered'> {
  const resolver = new Resolver({ timeout: Math.ceil(timeout_ms * 0.3), tries: 2 });
  if (servers) resolver.setServers(servers);
  const cancelAfter = (time_ms: number) => setTimeout(() => resolver.cancel(), time_ms);
  const timers = [cancelAfter(timeout_ms)];
  const toFound = (family: 4 | 6) => (addresses: string[]) => {
    timers.push(cancelAfter(otherFamily_ms));
    return addresses.map((address): LookupAddress => ({ address, family }));
  };
  const asked = [resolver.resolve4(name).then(toFound(4)), resolver.resolve6(name).then(toFound(6))];
  const ended = await Promise.allSettled(asked);
  for (const timer of timers) clearTimeout(timer);
  const found = ended.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  if (found.length > 0) return found;
  const codes = ended.map((one) => (one.status === 'fulfilled' ? 'ENODATA' : String(one.reason.code)));
  if (codes.some((code) => noSuchName.test(code)) || codes.every((code) => absent.test(code)))
    return 'no_address';
  return codes.some((code) => ours.test(code)) ? 'no_way' : 'unanswered';
}

/** Domains without an answer in a row, after which our DNS servers may have failed. */
const mostSilent = 3;

function createKnownDomains() {
  /** The last two resolved domains (ms since 1970), the older first. */
  const resolved = new Map<string, number>();
  const silent = new Set<string>();
  return {
    noteResolved(domain: string) {
      silent.clear();
      resolved.delete(domain);
      resolved.set(domain, Date.now());
      for (const oldest of resolved.keys()) if (resolved.size > 2) resolved.delete(oldest);
    },
    noteSilent(domain: string) {
      if (silent.size < mostSilent) silent.add(domain);
    },
    /** Probably the domain's fault and not ours. */
    isTheirs: (domain: string) =>
      silent.size < mostSilent &&
      [...resolved].some(([other, at_ms]) => other !== domain && Date.now() - at_ms <= remembered_ms),
  };
}

/** Never sent to DNS (RFC 6761 section 6.3). */
const isOfThisMachine = (name: string): boolean => /(?:^|\.)localhost\.?$/i.test(name);
const loopback: ResolvedAddresses = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

export const unresolvedName = 'ESERVFAIL';

const codes: Readonly<Record<Unresolved, string>> = {
  no_address: 'ENOTFOUND',
  unresolved: unresolvedName,
  no_way: 'EAI_AGAIN',
};

export type Names = ReturnType<typeof createNames>;

function createNames(servers: Config['dnsServers'], timeout_ms: number) {
  const turns = createFairPool({ places: Number.POSITIVE_INFINITY, placesOfKey: pendingOfDomain });
  const domains = createKnownDomains();
  const resolveInTurn = async (name: string): Promise<ResolvedAddresses | Unresolved> => {
    const domain = registrableDomain(name);
    const leave = await turns.enter({ keys: [domain] });
    const found = await resolveName(name, servers, timeout_ms).finally(leave);
    if (typeof found !== 'string') domains.noteResolved(domain);
    if (found !== 'unanswered') return found;
    domains.noteSilent(domain);
    return domains.isTheirs(domain) ? 'unresolved' : 'no_way';
  };
  const isFailure = (found: ResolvedAddresses | Unresolved) => typeof found === 'string';
  const caching = { most: mostNames, ttl_ms: cached_ms, isFailure, failureTtl_ms: failed_ms };
  const resolveOnce = cachedOnce(resolveInTurn, caching);
  const resolve = async (hostname: string) => {
    const name = withoutRoot(hostname.toLowerCase());
    return isOfThisMachine(name) ? loopback : resolveOnce(name);
  };
  return {
    /** `no_way` after the signal. Never rejects. */
    resolve: (hostname: string, signal: AbortSignal): Promise<ResolvedAddresses | Unresolved> =>
      unlessAborted(resolve(hostname), signal).catch(() => 'no_way'),
    lookup(
      hostname: string,
      _: LookupAllOptions,
      done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
    ): void {
      void resolve(hostname).then((found) => {
        if (typeof found !== 'string') done(null, [...found]);
        else done(Object.assign(new Error('the name has no address'), { code: codes[found] }), []);
      });
    },
  };
}

const asking = new Map<string, Names>();

/** c-ares blocks no thread of the pool and does not read /etc/hosts. */
export function namesAt(servers: Config['dnsServers'], timeout_ms: number = defaultTimeouts.name_ms): Names {
  const key = `${timeout_ms} ${servers?.join() ?? ''}`;
  const names = asking.get(key) ?? createNames(servers, timeout_ms);
  asking.set(key, names);
  return names;
}

interface DnsQuestion {
  readonly name: string;
  readonly id: number;
}

const recursionDesired = 0x100;
/** Asks whether the server validated the answer (RFC 6840 section 5.7). */
const authenticData = 0x20;
/** Usually not split on its way (RFC 9715). */
const udpPayload_bytes = 1232;

const toPacket = ({ name, id }: DnsQuestion): Packet => ({
  type: 'query',
  id,
  flags: recursionDesired | authenticData,
  questions: [{ type: 'TXT', name }],
  // The types lack what EDNS has in place of a class and a time to live.
  additionals: [{ type: 'OPT', name: '.', udpPayloadSize: udpPayload_bytes, flags: 0, options: [] } as never],
});

function toHostAndPort(server: string): { host: string; port: number } {
  const colon = server.lastIndexOf(':');
  return { host: server.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(server.slice(colon + 1)) };
}

/** Others may be mistakes or forged. */
const isAnswerTo = ({ name, id }: DnsQuestion, packet: DecodedPacket) =>
  packet.type === 'response' &&
  packet.id === id &&
  packet.questions?.length === 1 &&
  packet.questions[0]?.type === 'TXT' &&
  packet.questions[0].name.toLowerCase() === name.toLowerCase();

async function askOverTcp(server: string, question: DnsQuestion, deadline: AbortSignal) {
  const socket = connect({ ...toHostAndPort(server), signal: deadline });
  let body = Buffer.alloc(0);
  socket.write(streamEncode(toPacket(question)));
  try {
    for await (const piece of socket as AsyncIterable<Buffer>) {
      body = Buffer.concat([body, piece]);
      if (body.length < 2 || body.length < body.readUInt16BE(0) + 2) continue;
      const packet = attempt(() => streamDecode(body) as DecodedPacket);
      if (packet && isAnswerTo(question, packet)) return packet;
      break;
    }
  } finally {
    socket.destroy();
  }
  throw new Error('no answer');
}

async function askDns(server: string, question: DnsQuestion, deadline: AbortSignal): Promise<DecodedPacket> {
  const packet = await new Promise<DecodedPacket>((resolve, reject) => {
    const { host, port } = toHostAndPort(server);
    const message = encode(toPacket(question));
    const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', signal: deadline });
    const end = (error: unknown) => {
      reject(error);
      socket.close();
    };
    socket.once('error', end);
    socket.on('close', () => reject(new Error('no answer in time')));
    socket.on('message', (received) => {
      const packet = attempt(() => decode(received) as DecodedPacket);
      if (!packet || !isAnswerTo(question, packet)) return;
      resolve(packet);
      socket.close();
    });
    // Only its packets arrive. Without callbacks, failures are 'error' events.
    socket.once('connect', () => socket.send(message));
    socket.connect(port, host);
  });
  return packet.flag_tc ? askOverTcp(server, question, deadline) : packet;
}

const mostRecords = 200;
const mostAliases = 8;
const tries = 2;

const sameName = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

function followAliases(name: string, { answers = [] }: DecodedPacket): string {
  let at = name;
  for (let hops = 0; hops <= mostAliases; hops++) {
    const alias = answers.find((answer) => answer.type === 'CNAME' && sameName(answer.name, at));
    if (alias?.type !== 'CNAME') return at;
    at = alias.data;
  }
  throw new Error('CNAME loop');
}

function toRecordText(answer: Answer): string {
  const { data } = answer as TxtAnswer;
  return Buffer.concat([data].flat().map((piece) => Buffer.from(piece))).toString('utf8');
}

/** Twice, because UDP may lose packets. */
async function askServer(server: string, name: string, timeout_ms: number): Promise<DecodedPacket> {
  for (let left = tries; ; left--) {
    const deadline = AbortSignal.timeout(timeout_ms);
    try {
      return await askDns(server, { name, id: randomInt(65_536) }, deadline);
    } catch (error) {
      if (left <= 1) throw error;
    }
  }
}

/**
 * `dnssec`: all answers were validated (AD bit, RFC 4035 section 3.2.3). NXDOMAIN has no records. Throws
 * for other codes, silence, and too many records or CNAMEs.
 */
export async function readTxt(server: string, name: string, timeout_ms: number) {
  let dnssec = true;
  for (let at = withoutRoot(name), hops = 0; hops <= mostAliases; hops++) {
    const packet = await askServer(server, at, timeout_ms);
    const { rcode } = packet as DecodedPacket & { readonly rcode?: string };
    if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') throw new Error(`${rcode}`);
    dnssec &&= packet.flag_ad;
    const target = followAliases(at, packet);
    const { answers = [] } = packet;
    const records = answers
      .filter((one) => one.type === 'TXT' && sameName(one.name, target))
      .map(toRecordText);
    if (records.length > mostRecords) throw new Error('more than 200 records');
    if (records.length > 0 || rcode === 'NXDOMAIN' || sameName(target, at)) return { records, dnssec };
    at = target;
  }
  throw new Error('CNAME loop');
}

/**
 * Undefined for names in and below HOST_OVERRIDES, unless DNS_SERVERS is set: a question to a public server
 * would leak names of the operator's network.
 */
export function dnsServersFor(
  { dnsServers, hostOverrides }: Pick<Config, 'dnsServers' | 'hostOverrides'>,
  name: string,
): readonly string[] | undefined {
  if (dnsServers !== undefined) return dnsServers;
  const ours = Object.keys(hostOverrides).map((host) => host.replace(/:\d+$/, ''));
  return ours.some((host) => `.${withoutRoot(name)}`.endsWith(`.${host}`))
    ? undefined
    : ['1.1.1.1:53', '8.8.8.8:53'];
}
