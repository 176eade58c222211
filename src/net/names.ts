import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { Config } from '../config/config.ts';
import { defaultTimeouts } from '../config/timeouts.ts';
import { cachedOnce } from '../core/cached-once.ts';
import { unlessAborted } from '../core/every.ts';
import { createFairPool } from '../core/fair-pool.ts';
import { registrableDomain } from '../core/identity.ts';
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
export const isOfThisMachine = (name: string): boolean => /(?:^|\.)localhost\.?$/i.test(name);
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
