import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import { type DecodedPacket, decode, encode, type Packet, streamDecode, streamEncode } from 'dns-packet';

/** The types of records that are asked for. */
export type QuestionType = 'TXT' | 'A' | 'AAAA' | 'CAA';

/** A question to one DNS server. */
export interface DnsQuestion {
  readonly name: string;
  readonly type: QuestionType;
  readonly id: number;
}

const recursionDesired = 0x100;
/** Asks the server to say whether it validated the answer (RFC 6840 section 5.7). */
const authenticData = 0x20;
/** Answers up to this size come over UDP without being split on their way (RFC 9715). */
const udpPayload_bytes = 1232;

const toPacket = ({ name, type, id }: DnsQuestion): Packet => ({
  type: 'query',
  id,
  flags: recursionDesired | authenticData,
  questions: [{ type, name }],
  // The types leave out what EDNS has in place of a class and a time to live.
  additionals: [{ type: 'OPT', name: '.', udpPayloadSize: udpPayload_bytes, flags: 0, options: [] } as never],
});

function toAddress(server: string): { host: string; port: number } {
  const colon = server.lastIndexOf(':');
  return { host: server.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(server.slice(colon + 1)) };
}

/** Whether a packet is the answer to a question: others may arrive by mistake, or be forged. */
const isAnswerTo = ({ name, type, id }: DnsQuestion, packet: DecodedPacket) =>
  packet.type === 'response' &&
  packet.id === id &&
  packet.questions?.length === 1 &&
  packet.questions[0]?.type === type &&
  packet.questions[0].name.toLowerCase() === name.toLowerCase();

const tryDecode = (read: () => Packet): DecodedPacket | undefined => {
  try {
    return read() as DecodedPacket;
  } catch {
    return undefined;
  }
};

/** Asks over UDP; what is no answer to the question is ignored. Rejects on errors and when `deadline` ends. */
const askOverUdp = (server: string, question: DnsQuestion, deadline: AbortSignal) =>
  new Promise<DecodedPacket>((resolve, reject) => {
    const { host, port } = toAddress(server);
    const message = encode(toPacket(question));
    const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', signal: deadline });
    const end = (error: unknown) => {
      reject(error);
      socket.close();
    };
    socket.once('error', end);
    socket.on('close', () => reject(new Error('no answer in time')));
    socket.on('message', (received) => {
      const packet = tryDecode(() => decode(received));
      if (!packet || !isAnswerTo(question, packet)) return;
      resolve(packet);
      socket.close();
    });
    // Only packets of the connected address arrive. Without callbacks, failures to connect and to send are 'error' events.
    socket.once('connect', () => socket.send(message));
    socket.connect(port, host);
  });

/** Asks over TCP, for answers that are too long for UDP. */
async function askOverTcp(server: string, question: DnsQuestion, deadline: AbortSignal) {
  const socket = connect({ ...toAddress(server), signal: deadline });
  const pieces: Buffer[] = [];
  let size_bytes = 0;
  socket.write(streamEncode(toPacket(question)));
  try {
    for await (const piece of socket as AsyncIterable<Buffer>) {
      pieces.push(piece);
      size_bytes += piece.length;
      const body = Buffer.concat(pieces);
      if (body.length < 2 || size_bytes < body.readUInt16BE(0) + 2) continue;
      const packet = tryDecode(() => streamDecode(body));
      if (packet && isAnswerTo(question, packet)) return packet;
      break;
    }
  } finally {
    socket.destroy();
  }
  throw new Error('no answer');
}

/** One answer of a DNS server (`address:port`), over TCP where it is too long for UDP. Throws if there is none in time. */
export async function askDns(
  server: string,
  question: DnsQuestion,
  deadline: AbortSignal,
): Promise<DecodedPacket> {
  const packet = await askOverUdp(server, question, deadline);
  return packet.flag_tc ? askOverTcp(server, question, deadline) : packet;
}
