import { Agent, type Dispatcher, errors, request } from 'undici';
import { readBounded } from '../evidence/text/read-bounded.ts';
import { readRetryAfter_s } from '../evidence/text/retry-after.ts';
import {
  createGuardedLookup,
  isAddress,
  isLoopbackAddress,
  isLoopbackBase,
  isPublicAddress,
} from './public-address.ts';

/** A request without cookies and credentials. */
export interface SafeRequest {
  readonly url: URL;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Aborts the request and the reading of its response. */
  readonly deadline: AbortSignal;
}

/** A response. `location` is set on redirects, which this client never follows. */
export interface SafeResponse {
  readonly result: 'response';
  readonly status: number;
  readonly contentType: string;
  readonly location?: string;
  readonly retry_after_s?: number;
  readonly body: Buffer;
}

/** Why there is no usable response. */
export type FetchFailure = 'host_unreachable' | 'host_timeout' | 'host_error' | 'too_large';

/** Fetches from untrusted hosts. Never throws: every failure is a result. */
export interface SafeClient {
  fetch(request: SafeRequest): Promise<SafeResponse | { readonly result: FetchFailure }>;
}

const bodyLimit_bytes = 65_536;
const headerLimit_bytes = 16_384;
const longestRetryAfter_s = 86_400;
const userAgent = 'dossier (claim check)';

const single = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);

function toRetryAfter(value: string | undefined): { retry_after_s?: number } {
  const wait_s = readRetryAfter_s(value, Date.now());
  if (wait_s === undefined) return {};
  return { retry_after_s: Math.min(longestRetryAfter_s, Math.max(1, Math.ceil(wait_s))) };
}

async function exchange(dispatcher: Dispatcher, sent: SafeRequest): ReturnType<SafeClient['fetch']> {
  const { statusCode, headers, body } = await request(sent.url, {
    dispatcher,
    method: sent.method ?? 'GET',
    headers: { 'user-agent': userAgent, 'accept-encoding': 'identity', ...sent.headers },
    body: sent.body,
    signal: sent.deadline,
  });
  const read = await readBounded(body, bodyLimit_bytes);
  if (!read) return { result: 'too_large' };
  if ((single(headers['content-encoding']) ?? 'identity') !== 'identity') return { result: 'host_error' };
  const location = single(headers.location);
  return {
    result: 'response',
    status: statusCode,
    contentType: single(headers['content-type']) ?? '',
    ...(statusCode >= 300 && statusCode < 400 && location && { location }),
    ...toRetryAfter(single(headers['retry-after'])),
    body: read,
  };
}

/** Whether the host sent something that is not HTTP within our limits. */
const isProtocolError = (error: unknown) =>
  error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError;

const toFailure = (error: unknown, deadline: AbortSignal): FetchFailure => {
  if (deadline.aborted) return 'host_timeout';
  return isProtocolError(error) ? 'host_error' : 'host_unreachable';
};

const createAgent = (isAllowed: (address: string) => boolean) =>
  new Agent({
    allowH2: false,
    connections: 4,
    pipelining: 1,
    keepAliveTimeout: 1000,
    maxHeaderSize: headerLimit_bytes,
    connect: { lookup: createGuardedLookup(isAllowed), timeout: 8000 },
  });

/**
 * Creates the client. It reaches https hosts whose addresses are all global unicast, and `loopbackOrigins` (configured
 * bases on this machine) at loopback addresses only. Identity encoding, no redirects, bodies up to 64 KiB.
 */
export function createSafeClient(loopbackOrigins: ReadonlySet<string>): SafeClient {
  const open = createAgent(isPublicAddress);
  const loopback = createAgent(isLoopbackAddress);
  return {
    async fetch(sent) {
      const isLoopback = loopbackOrigins.has(sent.url.origin) && isLoopbackBase(sent.url);
      if (!isLoopback && (sent.url.protocol !== 'https:' || isAddress(sent.url.hostname)))
        return { result: 'host_unreachable' };
      try {
        return await exchange(isLoopback ? loopback : open, sent);
      } catch (error) {
        return { result: toFailure(error, sent.deadline) };
      }
    },
  };
}
