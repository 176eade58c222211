import { randomInt } from 'node:crypto';
import type { DecodedPacket, TxtAnswer } from 'dns-packet';
import { askDns } from './dns.ts';

/** The TXT records of a name as one server gave them: none where the name or its records do not exist. */
export interface TxtRecords {
  readonly records: readonly string[];
  /** Whether the server says that it validated the answer (AD bit, RFC 4035 section 3.2.3). */
  readonly dnssec: boolean;
}

/** More records than this are not read. */
const mostRecords = 200;
const mostAliases = 8;
const tries = 2;

const sameName = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** The name that a chain of CNAME records in an answer leads to. Throws where it does not end. */
function followAliases(name: string, { answers = [] }: DecodedPacket): string {
  let at = name;
  for (let hops = 0; hops <= mostAliases; hops++) {
    const alias = answers.find((answer) => answer.type === 'CNAME' && sameName(answer.name, at));
    if (alias?.type !== 'CNAME') return at;
    at = alias.data;
  }
  throw new Error('CNAME loop');
}

const toText = ({ data }: TxtAnswer): string =>
  Buffer.concat([data].flat().map((piece) => Buffer.from(piece))).toString('utf8');

const recordsOf = (name: string, { answers = [] }: DecodedPacket): string[] =>
  answers
    .filter((answer) => answer.type === 'TXT' && sameName(answer.name, name))
    .map((answer) => toText(answer as TxtAnswer));

/** Asks again, with another id, when there is no answer in time: UDP may lose packets. */
async function ask(server: string, name: string, timeout_ms: number): Promise<DecodedPacket> {
  for (let left = tries; ; left--)
    try {
      return await askDns(server, { name, id: randomInt(65_536) }, AbortSignal.timeout(timeout_ms));
    } catch (error) {
      if (left <= 1) throw error;
    }
}

/**
 * The TXT records of a name at one server, CNAMEs followed. NXDOMAIN and an empty answer are absence. Throws for everything
 * else: SERVFAIL, a refusal, no answer in time, a CNAME loop, more than 200 records.
 */
export async function readTxt(server: string, name: string, timeout_ms: number): Promise<TxtRecords> {
  let dnssec = true;
  for (let at = name, hops = 0; hops <= mostAliases; hops++) {
    const packet = await ask(server, at, timeout_ms);
    const { rcode } = packet as DecodedPacket & { readonly rcode?: string };
    if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') throw new Error(`answered ${rcode}`);
    dnssec &&= packet.flag_ad;
    const target = followAliases(at, packet);
    const records = recordsOf(target, packet);
    if (records.length > mostRecords) throw new Error('more than 200 records');
    if (records.length > 0 || rcode === 'NXDOMAIN' || sameName(target, at)) return { records, dnssec };
    at = target;
  }
  throw new Error('CNAME loop');
}
