import type { Config } from '../config/config.ts';
import { defaultTimeouts, type Timeouts } from '../config/timeouts.ts';
import { createOutboundClient, type FetchFailure, type OutboundResponse, reachPublic } from './client.ts';
import { dnsServersFor, namesAt, readTxt } from './dns.ts';

export type AgreedTxt = ReturnType<typeof agree>;

function agree(answers: readonly (Awaited<ReturnType<typeof readTxt>> | undefined)[]) {
  const given = answers.filter((answer) => answer !== undefined);
  if (given.length < answers.length || given.length === 0) return 'no_answer' as const;
  const sets = given.map(({ records }) => new Set(records));
  const all = new Set(given.flatMap(({ records }) => records));
  const records = [...all].filter((record) => sets.every((set) => set.has(record)));
  return {
    /** Of every server. */
    records,
    /** Otherwise a missing record may still exist. */
    isAgreed: records.length === all.size,
    resolvers: given.length,
    dnssec: given.every(({ dnssec }) => dnssec),
  };
}

export type WebRead =
  | { readonly result: 'body'; readonly body: Buffer; readonly contentType: string }
  | {
      readonly result: 'absent' | 'redirect_refused' | 'host_rate_limited' | FetchFailure;
      readonly retry_after_s?: number;
    };

function toWebRead({ status, location, body, contentType, retry_after_s }: OutboundResponse): WebRead {
  const wait = retry_after_s === undefined ? {} : { retry_after_s };
  if (status === 200) return { result: 'body', body, contentType };
  if (status === 404 || status === 410) return { result: 'absent' };
  if (status === 429) return { result: 'host_rate_limited', ...wait };
  return { result: location === undefined ? 'host_error' : 'redirect_refused', ...wait };
}

export function createDomainReader(
  rules: Pick<Config, 'dnsServers' | 'hostOverrides' | 'version' | 'publicUrl'>,
  timeouts: Timeouts = defaultTimeouts,
) {
  const { hostOverrides, version, publicUrl } = rules;
  const client = createOutboundClient({
    userAgent: `Dossier/${version} (claim check; +${publicUrl}/about)`,
    bodyLimit_bytes: 65_536,
    names: namesAt(rules.dnsServers),
    reach: (url) => reachPublic(url, hostOverrides),
  });
  return {
    async txt(name: string): Promise<AgreedTxt> {
      const servers = dnsServersFor(rules, name);
      if (!servers) return 'no_answer';
      const ask = (server: string) => readTxt(server, name, timeouts.claimDns_ms).catch(() => undefined);
      return agree(await Promise.all(servers.map(ask)));
    },
    async file(url: URL): Promise<WebRead> {
      const response = await client.fetch({
        url,
        deadline: AbortSignal.timeout(timeouts.repositoryCheck_ms),
      });
      return response.result === 'response' ? toWebRead(response) : response;
    },
  };
}
