import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
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
import { attempt } from '../core/json.ts';
import { withoutRoot } from './addresses.ts';

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
