import { Resolver } from 'node:dns/promises';
import type { NoAnswer } from '../../evidence/observation/answer.ts';
import type { DnsLook } from '../../evidence/observation/endpoint-look.ts';

const tries = 2;
/** RFC 8659 section 3: where a name has no CAA records, those of its parents count. */
const mostParents = 8;
const mostRecords = 20;
const longestText = 200;

/** What is asked of DNS about host names. Never throws. */
export type Dns = (hostname: string) => Promise<DnsLook | NoAnswer>;

/** The name exists without such records, or does not exist: both are answers. */
const isAbsence = (error: unknown) =>
  ['ENODATA', 'ENOTFOUND'].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '');

/** Records of an answer; none is an answer too. Throws what is no answer: SERVFAIL, a refusal, a time-out. */
async function records<T>(asked: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await asked;
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

type CaaRecord = Awaited<ReturnType<Resolver['resolveCaa']>>[number];

const toCaa = (record: CaaRecord) =>
  Object.entries(record)
    .filter(([tag, value]) => tag !== 'critical' && tag !== 'type' && typeof value === 'string')
    .map(([tag, value]) => `${tag} ${value}`.slice(0, longestText));

/** The CAA records that count for a name: its own, else those of its nearest parent that has some. */
async function readCaa(resolver: Resolver, hostname: string): Promise<readonly string[]> {
  const labels = hostname.split('.').slice(-mostParents);
  for (let at = 0; at < labels.length - 1; at++) {
    const found = await records(resolver.resolveCaa(labels.slice(at).join('.')));
    if (found.length > 0) return found.slice(0, mostRecords).flatMap(toCaa).toSorted();
  }
  return [];
}

/** Asks the servers (`address:port`) in turn: addresses and CAA. */
export function createDns(servers: readonly string[], timeout_ms: number): Dns {
  const resolver = new Resolver({ timeout: timeout_ms, tries });
  resolver.setServers(servers);
  return async (hostname) => {
    try {
      const ipv4 = await records(resolver.resolve4(hostname));
      const ipv6 = await records(resolver.resolve6(hostname));
      const caa = await readCaa(resolver, hostname);
      return { result: 'dns', ipv4: ipv4.length, ipv6: ipv6.length, caa };
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'no code';
      return {
        result: 'unreachable',
        reason: `The DNS servers that Dossier asks gave no answer about ${hostname} (${code}).`,
      };
    }
  };
}
