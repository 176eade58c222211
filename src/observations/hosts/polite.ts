import { parseClaimFile } from '../../claims/claim.ts';
import type { Config } from '../../config/config.ts';
import type { Timeouts } from '../../config/timeouts.ts';
import type { Context } from '../../context.ts';
import type { Listing } from '../../listings/listing.ts';
import { type Fetched, longestAddress, type NoAnswer, notChecked, whyTooLong } from '../../net/answer.ts';
import {
  type Failed,
  type FetchFailure,
  type OutboundClient,
  type OutboundRequest,
  type OutboundResponse,
  type OutboundRules,
  reachPublic,
} from '../../net/client.ts';
import { namesAt } from '../../net/names.ts';
import type { RepositoryCheck, RepositoryPlace, RepositoryReader } from '../../net/repositories.ts';
import { measure } from '../../telemetry/events.ts';
import type { createCutOffWatch, Ended as EndedRequest } from './cut-off.ts';
import type { HostQueue } from './host-queue.ts';
import { createTurns, type NotAsked, type TimeLeft } from './turns.ts';

/** A request of the observer, and how long it may take. */
export interface PoliteRequest extends Omit<OutboundRequest, 'deadline' | 'url'> {
  readonly url: string;
  readonly timeout_ms?: number;
  /** What this request takes is taken from each; where one has none left, nothing is sent. */
  readonly times?: readonly TimeLeft[];
  /** Ends it early. */
  readonly signal?: AbortSignal;
  /** Belongs to another request of the same conversation that still has its turn at the host, so it waits for none. */
  readonly beside?: true;
}

/** Sends one request in its turn. Throws only the reason of the observer's signal. */
export type PoliteFetch = (request: PoliteRequest) => Promise<Fetched | NoAnswer>;

const mostRedirects = 3;

/** The cause of each failure, and what a request ended with, in words. */
const failures = {
  host_unreachable: [
    'connection',
    'no connection to a public address of the host, or a connection that broke off',
  ],
  host_timeout: ['timeout', 'no answer in time'],
  host_error: ['not_http', 'an answer that is not HTTP within our limits'],
  too_large: ['too_large', 'an answer of more than 2 MiB'],
} as const satisfies Readonly<Record<FetchFailure, readonly [NoAnswer['cause'], string]>>;

/** That nothing was sent to a place this time: who was not asked is not silent. */
const unsent = (reason: string): NoAnswer => ({ result: 'unreachable', reason, isUnchecked: true });

/** Why no request left this machine. */
export const noWayThere = 'the network or the DNS resolver that Dossier uses had no way there';

/** That no request was sent to a host because of this machine, its network or its DNS resolver. */
const noWay = (host: string): NoAnswer => unsent(`No request was sent to ${host}: ${noWayThere}.`);

/** That the name servers of a domain give no answer, while those of others do. */
const unresolved = ({ host }: URL): NoAnswer => ({
  result: 'unreachable',
  cause: 'connection',
  reason: `No request was sent to ${host}: the DNS servers that Dossier asks gave no answer about its name, and gave one about a name of another domain within the hour.`,
});

/** That a host cannot be found by its name. */
const noAddress = ({ host }: URL): NoAnswer => ({
  result: 'unreachable',
  cause: 'connection',
  reason: `No request was sent to ${host}: DNS has no address of that name.`,
});

/** That nobody answered, and why that is taken for a failure of our network. */
const cutOff = (host: string): NoAnswer => ({
  result: 'unreachable',
  reason: `${host} did not answer, and in the hour before no other domain answered a request of this node’s observer, so that Dossier’s own network may be at fault.`,
  isUnchecked: true,
});

const notAllowed = ({ host }: URL): NoAnswer =>
  unsent(
    `No request was sent to ${host}: Dossier asks only http and https addresses of public hosts, without a user name.`,
  );

const unreachable = (url: URL, { result: failure, certificate }: Failed): NoAnswer => ({
  result: 'unreachable',
  cause: certificate ? 'certificate' : failures[failure][0],
  reason: certificate
    ? `A request to ${url.host} was not sent, because the certificate of the host is not valid: ${certificate}.`
    : `A request to ${url.host} ended with ${failures[failure][1]}.`,
});

const paused = ({ host }: URL): NoAnswer =>
  unsent(`${host} asked Dossier to wait (Retry-After) before its next request.`);

const overtime = ({ host }: URL, times: readonly TimeLeft[] = []): NoAnswer =>
  unsent(times.find(({ left_ms }) => left_ms <= 0)?.spent(host) ?? '');

/** Why a host gave nothing; `otherwise` says it of what was sent. */
export function whyNone(
  url: URL,
  ended: NotAsked,
  { times, otherwise }: { times: readonly TimeLeft[] | undefined; otherwise: (failed: Failed) => NoAnswer },
): NoAnswer {
  if (ended === 'paused') return paused(url);
  if (ended === 'overtime') return overtime(url, times);
  if (ended.unsent === 'no_way') return noWay(url.host);
  if (ended.unsent === 'not_allowed') return notAllowed(url);
  if (ended.unsent === 'no_address') return noAddress(url);
  return ended.unsent === 'unresolved' ? unresolved(url) : otherwise(ended);
}

/** What a client adds to each request. */
export interface PoliteParts {
  readonly client: OutboundClient;
  readonly queue: HostQueue;
  readonly timeouts: Pick<Timeouts, 'observerExchange_ms'>;
  readonly watch: ReturnType<typeof createCutOffWatch>;
  /** Whether an answer with Retry-After is about the address asked, or about all of its host. */
  readonly pauses: 'address' | 'host';
  /** Headers that sign a request to a URL. */
  sign(url: URL): Promise<Readonly<Record<string, string>>>;
}

/** Where a redirect within the same host leads; undefined for none, and for an address that is too long. */
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

/** How a request ended, as metrics count it. */
const toResult = (response: NotAsked | OutboundResponse) => {
  if (typeof response === 'string') return 'paused';
  return response.result === 'response' ? 'answered' : response.result;
};

/**
 * A fetch that takes its turn at the host, follows at most three redirects within it, signs itself, and obeys
 * Retry-After. The recorded address names the result, whatever HOST_OVERRIDES says.
 */
export function createPoliteFetch({ sign, timeouts, watch, ...parts }: PoliteParts): PoliteFetch {
  const inTurn = createTurns(parts);
  const send = (url: URL, { timeout_ms = Infinity, times, signal, beside, ...request }: PoliteRequest) => {
    const most_ms = Math.min(timeout_ms, timeouts.observerExchange_ms);
    return inTurn(url, { most_ms, times, signal, beside }, async (turn) => {
      const headers = { ...request.headers, ...(await sign(url)) };
      const response = await parts.client.fetch({ ...request, url, headers, deadline: turn.signal });
      // Too many requests, or not in service (RFC 9110 section 10.2.3): everyone is asked to wait.
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
        otherwise: (failed) =>
          watch.isCutOff(url.hostname, failed) ? cutOff(url.host) : unreachable(url, failed),
      });
    const keepsMethod = request.method === undefined || [307, 308].includes(response.status);
    const to = keepsMethod && hops < mostRedirects ? redirect(response, url) : undefined;
    return to ? follow(to, request, hops + 1) : toFetched(url, response);
  };
  return async (request) => {
    const url = URL.parse(request.url);
    if (!url) return notChecked('The recorded address is not a URL.');
    return whyTooLong(url) ?? follow(url, request, 0);
  };
}

const repositoryPaused = { result: 'host_rate_limited' as const };

/**
 * A reader of repositories that takes its turn at the host, as all other requests of the observer do, and obeys
 * Retry-After. A read of both the git host and the host of its raw files has the turn of the first; claims are checked
 * without a turn, because somebody waits for them.
 */
export function createPoliteRepositories(
  repositories: RepositoryReader,
  hosts: Config['repositoryHosts'],
  { queue, watch }: Pick<PoliteParts, 'queue' | 'watch'>,
): RepositoryReader {
  const hostOf = (place: RepositoryPlace, part: 'git' | 'raw') =>
    URL.parse(hosts[place.host]?.[part] ?? '')?.host ?? place.host;
  const inTurn = async <T extends object>(
    host: string,
    read: () => Promise<T & EndedRequest & { readonly retry_after_s?: number }>,
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

/** Whether a claim file says it; undefined if it could not be read. */
function isRefusedIn(read: RepositoryCheck): boolean | undefined {
  if (read.result === 'file_absent') return false;
  const file = read.result === 'file' ? parseClaimFile(read.text) : 'too_large';
  return file === 'too_large' ? undefined : file.isObservationRefused;
}

/**
 * Whether the publisher asks to be left alone: a line `observe: no` in the claim file of the recorded repository. A refusal holds until
 * the file is read without that line, or is not there any more; where it was never read, a file that cannot be read asks for nothing.
 */
export async function findRefusal(
  { handle, repository }: Pick<Listing, 'handle' | 'repository'>,
  { repositories, config, store }: Pick<Context, 'repositories' | 'config' | 'store'>,
): Promise<NoAnswer | undefined> {
  const place = repository === undefined ? undefined : repositories.place(repository);
  if (!place) return undefined;
  const reason = `${config.claimFile} in ${place.key} asks Dossier not to check this service (a line "observe: no").`;
  const isRefused = isRefusedIn(await repositories.check(place, config.claimFile));
  const known = isRefused === undefined ? await store.observations.ofListing(handle) : undefined;
  const wasRefused = known?.observations.some((one) => one.state === 'refused' && one.reason === reason);
  return (isRefused ?? wasRefused) ? { result: 'refused', reason } : undefined;
}

/** What the observer may fetch: http and https on any port of public addresses, and the hosts of HOST_OVERRIDES. */
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
