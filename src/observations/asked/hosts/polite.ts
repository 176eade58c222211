import { isDeepStrictEqual } from 'node:util';
import { parseClaimFile } from '../../../claims/claim.ts';
import type { Config } from '../../../config/config.ts';
import type { Timeouts } from '../../../config/timeouts.ts';
import type { Context } from '../../../context.ts';
import { registrableDomain } from '../../../core/identity.ts';
import { code, own, say, type Words } from '../../../core/words.ts';
import type { Listing } from '../../../listings/listing.ts';
import { withoutRoot } from '../../../net/addresses.ts';
import {
  type Fetched,
  longestAddress,
  type NoAnswer,
  noAnswer,
  notAsked,
  whyTooLong,
} from '../../../net/answer.ts';
import {
  type FailedRequest,
  type FetchFailure,
  type OutboundClient,
  type OutboundRequest,
  type OutboundResponse,
  type OutboundRules,
  reachPublic,
} from '../../../net/client.ts';
import { namesAt } from '../../../net/dns.ts';
import type { RepositoryCheck, RepositoryPlace, RepositoryReader } from '../../../net/git.ts';
import { measure } from '../../../telemetry/metrics.ts';
import type { HostQueue, HostTurn } from './host-queue.ts';

/** Waiting for a turn and for a name do not count. */
interface TimeBudget {
  left_ms: number;
  readonly spent: (host: string) => Words;
}

export function createTimeBudgets({
  observerHost_ms,
  observerCheck_ms,
}: Pick<Timeouts, 'observerHost_ms' | 'observerCheck_ms'>): (url: string) => readonly TimeBudget[] {
  const run: TimeBudget = {
    left_ms: observerCheck_ms,
    spent: (host) =>
      say`The hosts of this service used up the time that Dossier gives one check, so ${code(host)} was asked nothing more.`,
  };
  const hosts = new Map<string, TimeBudget>();
  return (url) => {
    const name = withoutRoot(URL.parse(url)?.host ?? '');
    const host = hosts.get(name) ?? {
      left_ms: observerHost_ms,
      spent: (asked) => say`${code(asked)} used up the time that Dossier gives one host in one check.`,
    };
    hosts.set(name, host);
    return [host, run];
  };
}

interface TurnLimits {
  readonly most_ms: number;
  /** If one of the budgets is spent, nothing is sent. */
  readonly times?: readonly TimeBudget[];
  readonly signal?: AbortSignal | undefined;
  readonly beside?: true | undefined;
}

type NotAsked = 'paused' | 'overtime' | FailedRequest;

const besideTurn: HostTurn = { signal: new AbortController().signal, pause: () => undefined };

const createHostTurns =
  ({
    client,
    queue,
    pauses,
  }: {
    readonly client: OutboundClient;
    readonly queue: HostQueue;
    readonly pauses: 'address' | 'host';
  }) =>
  /** Throws the reason of the queue's signal, and whatever `ask` throws. */
  <T>(
    url: URL,
    { most_ms, times = [], signal, beside }: TurnLimits,
    ask: (turn: HostTurn) => Promise<T>,
  ): Promise<T | NotAsked> => {
    const inTurn = async (turn: HostTurn): Promise<T | NotAsked> => {
      const left_ms = Math.min(most_ms, ...times.map((time) => time.left_ms));
      if (left_ms <= 0) return 'overtime';
      const end = signal ? AbortSignal.any([turn.signal, signal]) : turn.signal;
      const failed = await client.whyUnsent(url, end);
      if (failed) return failed;
      const started = performance.now();
      try {
        const deadline = AbortSignal.any([end, AbortSignal.timeout(Math.ceil(left_ms))]);
        return await ask({ ...turn, signal: deadline });
      } finally {
        for (const time of times) time.left_ms -= performance.now() - started;
      }
    };
    const { host, origin, pathname } = url;
    const asked = { host, ...(pauses === 'address' && { address: `${origin}${pathname}` }) };
    return beside ? inTurn(besideTurn) : queue.run<T | NotAsked>(asked, inTurn);
  };

type RequestOutcome = { readonly result?: string } & Partial<Omit<FailedRequest, 'result'>>;

const remembered_ms = 3_600_000;
/** With so many silent domains, and none that answers, our own network is suspected. */
const leastSilent = 3;

const isSilent = ({ result = '', certificate, unsent }: RequestOutcome) =>
  /^host_(?:timeout|unreachable)$/.test(result) && !certificate && !unsent;

/** A refused connection counts as silence: our own firewall may have refused it. */
export function createCutOffWatch(clock: () => Date) {
  /** In ms since 1970, oldest first. */
  const answered = new Map<string, number>();
  const silent = new Map<string, number>();
  const othersIn = (asked: Map<string, number>, domain: string) => {
    for (const [oldest, at_ms] of asked) {
      if (clock().getTime() - at_ms <= remembered_ms) break;
      asked.delete(oldest);
    }
    return asked.size - (asked.has(domain) ? 1 : 0);
  };
  return {
    note(hostname: string, ended: RequestOutcome): void {
      if (ended.unsent) return;
      const domain = registrableDomain(hostname);
      const asked = isSilent(ended) ? silent : answered;
      asked.delete(domain);
      asked.set(domain, clock().getTime());
      othersIn(asked, domain);
    },
    isCutOff(hostname: string, ended: RequestOutcome): boolean {
      const domain = registrableDomain(hostname);
      return isSilent(ended) && othersIn(answered, domain) === 0 && othersIn(silent, domain) >= leastSilent;
    },
  };
}

export interface PoliteRequest extends Omit<OutboundRequest, 'deadline' | 'url'> {
  readonly url: string;
  readonly timeout_ms?: number;
  readonly times?: readonly TimeBudget[];
  readonly signal?: AbortSignal;
  /** The conversation has the turn at the host, so the request does not wait. */
  readonly beside?: true;
}

/** A failure of a host is a result. Throws the reason of the observer's signal, and faults of the store. */
export type PoliteFetch = (request: PoliteRequest) => Promise<Fetched | NoAnswer>;

const mostRedirects = 3;

const failures = {
  host_unreachable: ['silent', 'connection', own('no connection to a public address of the host')],
  host_timeout: ['silent', 'timeout', own('no answer in time')],
  host_error: ['silent', 'not_http', own('an answer that is not HTTP within Dossier’s limits')],
  too_large: ['otherwise', 'too_large', own('an answer of more than 2 MiB')],
} as const satisfies Readonly<Record<FetchFailure, readonly [NoAnswer['outcome'], NoAnswer['cause'], Words]>>;
const brokenOff = ['silent', 'broke_off', own('a connection that broke off')] as const;

export const noWayThere = own('Dossier’s own network or DNS resolver could not reach it');

const noWay = (host: string): NoAnswer => notAsked(say`No request was sent to ${code(host)}: ${noWayThere}.`);

const unresolved = ({ host }: URL): NoAnswer =>
  notAsked(
    say`No request was sent to ${code(host)}: its name could not be resolved, although Dossier’s DNS servers resolved a name of another domain in the hour before.`,
  );

const noAddress = ({ host }: URL): NoAnswer =>
  noAnswer('absent', say`No request was sent to ${code(host)}: DNS has no address for that name.`);

const cutOff = (host: string): NoAnswer =>
  notAsked(
    say`${code(host)} did not answer, and neither did any other domain that this node of Dossier asked in the hour before, so Dossier’s own network may be at fault.`,
  );

const notAllowed = ({ host }: URL): NoAnswer =>
  notAsked(
    say`No request was sent to ${code(host)}: Dossier requests only http and https addresses of public hosts, without a user name.`,
  );

function failed({ host }: URL, { result: failure, certificate, brokeOff }: FailedRequest): NoAnswer {
  if (certificate)
    return noAnswer(
      'silent',
      say`The connection to ${code(host)} was ended before a request, because the certificate of the host is not valid: ${certificate}.`,
      { cause: 'certificate' },
    );
  const [outcome, cause, ended] = brokeOff && failure === 'host_unreachable' ? brokenOff : failures[failure];
  return noAnswer(outcome, say`A request to ${code(host)} ended with ${ended}.`, { cause });
}

const paused = ({ host }: URL): NoAnswer =>
  notAsked(say`${code(host)} asked Dossier to wait (Retry-After) before the next request.`);

const overtime = ({ host }: URL, times: readonly TimeBudget[] = []): NoAnswer =>
  notAsked(
    times.find(({ left_ms }) => left_ms <= 0)?.spent(host) ?? own('The time of this check was used up.'),
  );

function whyNone(
  url: URL,
  ended: NotAsked,
  {
    times,
    otherwise,
  }: { times: readonly TimeBudget[] | undefined; otherwise: (failed: FailedRequest) => NoAnswer },
): NoAnswer {
  if (ended === 'paused') return paused(url);
  if (ended === 'overtime') return overtime(url, times);
  if (ended.unsent === 'no_way') return noWay(url.host);
  if (ended.unsent === 'not_allowed') return notAllowed(url);
  if (ended.unsent === 'no_address') return noAddress(url);
  return ended.unsent === 'unresolved' ? unresolved(url) : otherwise(ended);
}

export interface PoliteParts {
  readonly client: OutboundClient;
  readonly queue: HostQueue;
  readonly timeouts: Pick<Timeouts, 'observerExchange_ms'>;
  readonly watch: ReturnType<typeof createCutOffWatch>;
  readonly pauses: 'address' | 'host';
  sign(url: URL): Promise<Readonly<Record<string, string>>>;
}

function redirect({ location }: OutboundResponse, from: URL): URL | undefined {
  const to = location === undefined ? null : URL.parse(location, from);
  return to?.host === from.host && to.href.length <= longestAddress ? to : undefined;
}

const toFetched = (url: URL, { status, headers, body }: OutboundResponse): Fetched => ({
  result: 'response',
  url: url.href,
  status,
  headers,
  text: body.toString('utf8'),
});

const toResult = (response: NotAsked | OutboundResponse) => {
  if (typeof response === 'string') return 'paused';
  return response.result === 'response' ? 'answered' : response.result;
};

/** Follows at most three redirects within a host. HOST_OVERRIDES do not change the `url` of a response. */
export function createPoliteFetch({ sign, timeouts, watch, ...parts }: PoliteParts): PoliteFetch {
  const inTurn = createHostTurns(parts);
  const send = (url: URL, { timeout_ms = Infinity, times, signal, beside, ...request }: PoliteRequest) => {
    const most_ms = Math.min(timeout_ms, timeouts.observerExchange_ms);
    return inTurn(url, { most_ms, times, signal, beside }, async (turn) => {
      const headers = { ...request.headers, ...(await sign(url)) };
      const response = await parts.client.fetch({ ...request, url, headers, deadline: turn.signal });
      // With these statuses, Retry-After says when to send the next request (RFC 6585, RFC 9110).
      const isBusy = response.result === 'response' && [429, 503].includes(response.status);
      if (isBusy && response.retry_after_s) turn.pause(response.retry_after_s);
      return response;
    });
  };
  const follow = async (url: URL, request: PoliteRequest, hops: number): Promise<Fetched | NoAnswer> => {
    const response = await send(url, request);
    measure('dossier_observer_requests_total', { result: toResult(response) });
    if (typeof response !== 'string') watch.note(url.hostname, response);
    if (typeof response === 'string' || response.result !== 'response')
      return whyNone(url, response, {
        times: request.times,
        otherwise: (ended) => (watch.isCutOff(url.hostname, ended) ? cutOff(url.host) : failed(url, ended)),
      });
    const isRead = request.method === undefined || request.method === 'HEAD';
    const keepsMethod = isRead || [307, 308].includes(response.status);
    const to = keepsMethod && hops < mostRedirects ? redirect(response, url) : undefined;
    return to ? follow(to, request, hops + 1) : toFetched(url, response);
  };
  return async (request) => {
    const url = URL.parse(request.url);
    if (!url) return notAsked(own('The recorded address is not a URL.'));
    return whyTooLong(url) ?? follow(url, request, 0);
  };
}

const repositoryPaused = { result: 'host_rate_limited' as const };

/** Claims take no turn, because somebody waits for them. */
export function createPoliteRepositories(
  repositories: RepositoryReader,
  hosts: Config['repositoryHosts'],
  { queue, watch }: Pick<PoliteParts, 'queue' | 'watch'>,
): RepositoryReader {
  const hostOf = (place: RepositoryPlace, part: 'git' | 'raw') =>
    URL.parse(hosts[place.host]?.[part] ?? '')?.host ?? place.host;
  const inTurn = async <T extends object>(
    host: string,
    read: () => Promise<T & RequestOutcome & { readonly retry_after_s?: number }>,
  ): Promise<T | typeof repositoryPaused> => {
    const ended = await queue.run({ host }, async (turn) => {
      const found = await read();
      watch.note(new URL(`https://${host}`).hostname, 'commit' in found ? {} : found);
      if (found.retry_after_s) turn.pause(found.retry_after_s);
      return found;
    });
    return ended === 'paused' ? repositoryPaused : ended;
  };
  return {
    place: (recordedUrl) => repositories.place(recordedUrl),
    check: async (place, fileName) => {
      const read = await inTurn(hostOf(place, 'git'), () => repositories.check(place, fileName));
      return 'pinned' in read ? read : { ...read, pinned: false };
    },
    head: (place) => inTurn(hostOf(place, 'git'), () => repositories.head(place)),
    commit: (place, commit) => inTurn(hostOf(place, 'git'), () => repositories.commit(place, commit)),
    readAt: (place, file) => inTurn(hostOf(place, 'raw'), () => repositories.readAt(place, file)),
  };
}

function isRefusedIn(read: RepositoryCheck): boolean | undefined {
  if (read.result === 'file_absent') return false;
  const file = read.result === 'file' ? parseClaimFile(read.text) : 'too_large';
  return file === 'too_large' ? undefined : file.isObservationRefused;
}

/** A refusal (`observe: no`) holds until the claim file is read without that line, or is gone. */
export async function findRefusal(
  { handle, repository }: Pick<Listing, 'handle' | 'repository'>,
  { repositories, config, store }: Pick<Context, 'repositories' | 'config' | 'store'>,
): Promise<NoAnswer | undefined> {
  const place = repository === undefined ? undefined : repositories.place(repository);
  if (!place) return undefined;
  const why = say`${code(config.claimFile)} in ${code(place.key)} asks Dossier not to check this service (a line “observe: no”).`;
  const isRefused = isRefusedIn(await repositories.check(place, config.claimFile));
  const known = isRefused === undefined ? await store.observations.ofListing(handle) : undefined;
  const wasRefused = known?.observations.some(
    (one) =>
      (one.outcome === 'refused' && isDeepStrictEqual(one.why, why.parts)) ||
      isDeepStrictEqual(one.missed?.why, why.parts),
  );
  return (isRefused ?? wasRefused) ? noAnswer('refused', why) : undefined;
}

export const observerRules = (
  { hostOverrides, dnsServers, version, publicUrl }: Config,
  { name_ms }: Pick<Timeouts, 'name_ms'>,
): OutboundRules => ({
  userAgent: `Dossier/${version} (+${publicUrl}/about#observer)`,
  bodyLimit_bytes: 2 * 1024 * 1024,
  headerLimit_bytes: 64 * 1024,
  names: namesAt(dnsServers, name_ms),
  reach: (url) => reachPublic(url, hostOverrides),
});
