import type { Timeouts } from '../../config/timeouts.ts';
import type { Fetched, NoAnswer } from '../../evidence/observation/answer.ts';
import { observerRequests } from '../../observability/events.ts';
import type {
  Failed,
  FetchFailure,
  OutboundClient,
  OutboundRequest,
  OutboundResponse,
} from '../../outbound/client.ts';
import type { Asked, HostQueue, Turn } from './host-queue.ts';
import type { TimeLeft } from './time-left.ts';

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

const failureTexts: Readonly<Record<FetchFailure, string>> = {
  host_unreachable: 'no connection to a public address of the host, or with one that broke',
  host_timeout: 'no answer in time',
  host_error: 'an answer that is not HTTP within our limits',
  too_large: 'an answer of more than 2 MiB',
};

const causes = {
  host_unreachable: 'connection',
  host_timeout: 'timeout',
  host_error: 'not_http',
  too_large: 'too_large',
} as const;

/** That no request was sent to a host because of this machine, its network or its DNS resolver. */
export const noWay = (host: string): NoAnswer => ({
  result: 'unreachable',
  reason: `No request was sent to ${host}: the network or the DNS resolver that Dossier uses had no way there.`,
  isOurs: true,
});

const unreachable = (url: URL, { result: failure, certificate, unsent }: Failed): NoAnswer => ({
  result: 'unreachable',
  ...(!unsent && { cause: certificate ? 'certificate' : causes[failure] }),
  reason: certificate
    ? `A request to ${url.host} was not sent, because the certificate of the host is not valid: ${certificate}.`
    : `A request to ${url.host} ended with ${failureTexts[failure]}.`,
});

const paused = (url: URL): NoAnswer => ({
  result: 'unreachable',
  reason: `${url.host} asked Dossier to wait (Retry-After) before its next request.`,
});

const overtime = (url: URL, times: readonly TimeLeft[] = []): NoAnswer => ({
  result: 'unreachable',
  reason: times.find(({ left_ms }) => left_ms <= 0)?.spent(url.host) ?? '',
});

/** What a client adds to each request. */
export interface PoliteParts {
  readonly client: OutboundClient;
  readonly queue: HostQueue;
  readonly timeouts: Pick<Timeouts, 'observerExchange_ms'>;
  /** Whether an answer with Retry-After is about the address asked, or about all of its host. */
  readonly pauses: 'address' | 'host';
  /** Headers that sign a request to a URL. */
  sign(url: URL): Promise<Readonly<Record<string, string>>>;
}

/** Where a redirect within the same host leads; undefined for none. */
function redirect({ location }: OutboundResponse, from: URL): URL | undefined {
  const to = location === undefined ? null : URL.parse(location, from);
  return to?.host === from.host ? to : undefined;
}

/** Seconds that a host asks everyone to wait (RFC 9110 section 10.2.3): too many requests, or not in service. */
const askedWait_s = (response: OutboundResponse | Failed): number | undefined =>
  response.result === 'response' && [429, 503].includes(response.status) ? response.retry_after_s : undefined;

const toFetched = (url: URL, { status, headers, body }: OutboundResponse): Fetched => ({
  result: 'response',
  url: url.href,
  status,
  headers,
  text: body.toString('utf8'),
});

const toAsked = ({ host, origin, pathname }: URL, pauses: PoliteParts['pauses']): Asked => ({
  host,
  ...(pauses === 'address' && { address: `${origin}${pathname}` }),
});

/** The turn of a request beside another one, whose turn ends it. */
const besideTurn: Turn = { signal: new AbortController().signal, pause: () => undefined };

/** `overtime`: it was not sent, as one to a host that is paused. */
type Ended = 'paused' | 'overtime' | OutboundResponse | Failed;

/** How a request ended, as metrics count it. */
const toResult = (response: Ended) => {
  if (typeof response === 'string') return 'paused';
  return response.result === 'response' ? 'answered' : response.result;
};

/**
 * A fetch that takes its turn at the host, follows at most three redirects within it, signs itself, and obeys
 * Retry-After. The recorded address names the result, whatever HOST_OVERRIDES says.
 */
export function createPoliteFetch({ client, queue, sign, timeouts, pauses }: PoliteParts): PoliteFetch {
  const send = (url: URL, { timeout_ms = timeouts.observerExchange_ms, ...sent }: PoliteRequest) => {
    const inTurn = async (turn: Turn): Promise<Ended> => {
      const { times = [], signal, beside: _, ...request } = sent;
      const started = performance.now();
      const left_ms = Math.min(timeout_ms, ...times.map((time) => time.left_ms));
      if (left_ms <= 0) return 'overtime';
      const ends = [turn.signal, AbortSignal.timeout(Math.ceil(left_ms)), ...(signal ? [signal] : [])];
      const deadline = AbortSignal.any(ends);
      const headers = { ...request.headers, ...(await sign(url)) };
      const response = await client.fetch({ ...request, url, headers, deadline });
      for (const time of times) time.left_ms -= performance.now() - started;
      const wait_s = askedWait_s(response);
      if (wait_s) turn.pause(wait_s);
      return response;
    };
    return sent.beside ? inTurn(besideTurn) : queue.run<Ended>(toAsked(url, pauses), inTurn);
  };
  const follow = async (url: URL, request: PoliteRequest, hops: number): Promise<Fetched | NoAnswer> => {
    const response = await send(url, request);
    observerRequests.publish({ result: toResult(response) });
    if (response === 'paused') return paused(url);
    if (response === 'overtime') return overtime(url, request.times);
    if (response.result !== 'response')
      return response.unsent === 'no_way' ? noWay(url.host) : unreachable(url, response);
    const keepsMethod = request.method === undefined || [307, 308].includes(response.status);
    const to = keepsMethod && hops < mostRedirects ? redirect(response, url) : undefined;
    return to ? follow(to, request, hops + 1) : toFetched(url, response);
  };
  return async (request) => {
    const url = URL.parse(request.url);
    return url
      ? follow(url, request, 0)
      : { result: 'not_checked', reason: 'The recorded address is not a URL.' };
  };
}
