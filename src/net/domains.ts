import type { Config } from '../config/config.ts';
import { defaultTimeouts, type Timeouts } from '../config/settings.ts';
import { cachedOnce } from '../core/cached-once.ts';
import type { FetchFailure, OutboundClient, OutboundResponse } from './client.ts';
import { type DnsRecords, dnsServersFor } from './dns.ts';
import { reachPublic } from './reach.ts';

/** What several DNS servers say about the TXT records of one name. */
export type AgreedTxt =
  | {
      /** The records that every server gave. */
      readonly records: readonly string[];
      /** Whether all servers gave the same: only then is a missing record known to be gone. */
      readonly isAgreed: boolean;
      readonly resolvers: number;
      readonly dnssec: boolean;
    }
  | 'no_answer';

/** Compares the answers of several servers; `undefined` is that of one that gave none. */
function agree(answers: readonly (DnsRecords | undefined)[]): AgreedTxt {
  const given = answers.filter((answer) => answer !== undefined);
  if (given.length < answers.length || given.length === 0) return 'no_answer';
  const sets = given.map(({ records }) => new Set(records));
  const all = new Set(given.flatMap(({ records }) => records));
  const records = [...all].filter((record) => sets.every((set) => set.has(record)));
  return {
    records,
    isAgreed: records.length === all.size,
    resolvers: given.length,
    dnssec: given.every(({ dnssec }) => dnssec),
  };
}

/** What a web server answered, or why it gave nothing that can be used. No redirect is followed. */
export type WebRead =
  | { readonly result: 'body'; readonly body: Buffer; readonly contentType: string }
  | {
      readonly result: 'absent' | 'redirect_refused' | 'host_rate_limited' | FetchFailure;
      readonly retry_after_s?: number;
    };

/** Reads what a domain publishes: TXT records, and files of its web server. Never throws. */
export interface DomainReader {
  /** The TXT records of a name, as all configured DNS servers give them. */
  txt(name: string): Promise<AgreedTxt>;
  /** A file of at most 64 KiB at an https address. */
  file(url: URL): Promise<WebRead>;
}

type Rules = Pick<Config, 'dnsServers' | 'hostOverrides' | 'version' | 'publicUrl'>;

function toWebRead({ status, location, body, contentType, retry_after_s }: OutboundResponse): WebRead {
  const wait = retry_after_s === undefined ? {} : { retry_after_s };
  if (status === 200) return { result: 'body', body, contentType };
  if (status === 404 || status === 410) return { result: 'absent' };
  if (status === 429) return { result: 'host_rate_limited', ...wait };
  return { result: location === undefined ? 'host_error' : 'redirect_refused', ...wait };
}

const openClient = async ({ hostOverrides, version, publicUrl }: Rules): Promise<OutboundClient> => {
  const { createOutboundClient } = await import('./client.ts');
  return createOutboundClient({
    userAgent: `Dossier/${version} (claim check; +${publicUrl}/about)`,
    bodyLimit_bytes: 65_536,
    headerLimit_bytes: 16_384,
    reach: (url) => reachPublic(url, hostOverrides),
  });
};

/** Creates the reader. It asks the servers of DNS_SERVERS, or else two public ones, and compares their answers. */
export function createDomainReader(rules: Rules, timeouts: Timeouts = defaultTimeouts): DomainReader {
  const open = cachedOnce(() => openClient(rules));
  return {
    async txt(name) {
      const servers = dnsServersFor(rules, name);
      if (!servers) return 'no_answer';
      const { readRecords } = await import('./dns.ts');
      const ask = (server: string) =>
        readRecords(server, { name, type: 'TXT' }, timeouts.claimDns_ms).catch(() => undefined);
      return agree(await Promise.all(servers.map(ask)));
    },
    async file(url) {
      const deadline = AbortSignal.timeout(timeouts.repositoryCheck_ms);
      const response = await (await open()).fetch({ url, deadline });
      return response.result === 'response' ? toWebRead(response) : response;
    },
  };
}
