import { randomInt } from 'node:crypto';
import type { Answer, CaaAnswer, DecodedPacket, TxtAnswer } from 'dns-packet';
import { askDns, type QuestionType } from './dns.ts';

/** The records of one type at a name, as one server gave them: none where the name or its records do not exist. */
export interface DnsRecords {
  /** An address, a text, or a tag with its value (CAA). */
  readonly records: readonly string[];
  /** Whether the server says that it validated the answer (AD bit, RFC 4035 section 3.2.3). */
  readonly dnssec: boolean;
}

/** What is asked: the records of one type at a name. */
interface AskedName {
  readonly name: string;
  readonly type: QuestionType;
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

function toText(answer: Answer): string {
  if (answer.type === 'CAA') {
    const { tag, value } = (answer as CaaAnswer).data;
    return `${tag} ${value}`;
  }
  const { data } = answer as TxtAnswer;
  if (answer.type !== 'TXT') return String(data);
  return Buffer.concat([data].flat().map((piece) => Buffer.from(piece))).toString('utf8');
}

const recordsOf = ({ name, type }: AskedName, { answers = [] }: DecodedPacket): string[] =>
  answers.filter((answer) => answer.type === type && sameName(answer.name, name)).map(toText);

/** Asks again, with another id, when there is no answer in time: UDP may lose packets. */
async function ask(server: string, asked: AskedName, timeout_ms: number): Promise<DecodedPacket> {
  for (let left = tries; ; left--) {
    const deadline = AbortSignal.timeout(timeout_ms);
    try {
      return await askDns(server, { ...asked, id: randomInt(65_536) }, deadline);
    } catch {
      if (left <= 1) throw new Error(deadline.aborted ? 'no answer in time' : 'no connection');
    }
  }
}

/**
 * The records of a type at a name at one server, CNAMEs followed. NXDOMAIN and an empty answer are absence. Throws for
 * everything else, in words of ours: SERVFAIL, a refusal, no answer in time, a CNAME loop, more than 200 records.
 */
export async function readRecords(
  server: string,
  { name, type }: AskedName,
  timeout_ms: number,
): Promise<DnsRecords> {
  let dnssec = true;
  for (let at = name, hops = 0; hops <= mostAliases; hops++) {
    const packet = await ask(server, { name: at, type }, timeout_ms);
    const { rcode } = packet as DecodedPacket & { readonly rcode?: string };
    if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') throw new Error(`${rcode}`);
    dnssec &&= packet.flag_ad;
    const target = followAliases(at, packet);
    const records = recordsOf({ name: target, type }, packet);
    if (records.length > mostRecords) throw new Error('more than 200 records');
    if (records.length > 0 || rcode === 'NXDOMAIN' || sameName(target, at)) return { records, dnssec };
    at = target;
  }
  throw new Error('CNAME loop');
}
