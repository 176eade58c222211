import { Agent, type Dispatcher, errors, request } from 'undici';
import {
  createGuardedLookup,
  isAddress,
  isLoopbackAddress,
  isLoopbackBase,
  isPublicAddress,
} from './public-address.ts';

/** One exchange: at most one body, no cookies, no credentials. */
export interface OutboundRequest {
  readonly url: URL;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Ends the exchange, whatever it waits for. */
  readonly deadline: AbortSignal;
}

/** What came back. `location` is set on redirects, which are never followed here. */
export interface OutboundAnswer {
  readonly result: 'answer';
  readonly status: number;
  readonly contentType: string;
  readonly location?: string;
  readonly retry_after_s?: number;
  readonly body: Buffer;
}

/** Why nothing usable came back. */
export type OutboundTrouble = 'host_unreachable' | 'host_timeout' | 'host_error' | 'too_large';

/** Fetches from hosts we do not trust. Never throws: every failure is a result. */
export interface Outbound {
  fetch(request: OutboundRequest): Promise<OutboundAnswer | { readonly result: OutboundTrouble }>;
}

const bodyLimit_bytes = 65_536;
const headerLimit_bytes = 16_384;
const userAgent = 'dossier (claim check)';

const single = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);

/** Seconds of a Retry-After in either form, 1 to a day. */
function toRetryAfter(value: string | undefined): { retry_after_s?: number } {
  if (!value) return {};
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? { retry_after_s: Math.min(86_400, Math.max(1, Math.ceil(seconds))) } : {};
}

async function readBody(body: Dispatcher.ResponseData['body']): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyLimit_bytes) return undefined; // leaving the loop destroys the stream
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function exchange(dispatcher: Dispatcher, sent: OutboundRequest): ReturnType<Outbound['fetch']> {
  const { statusCode, headers, body } = await request(sent.url, {
    dispatcher,
    method: sent.method ?? 'GET',
    headers: { 'user-agent': userAgent, 'accept-encoding': 'identity', ...sent.headers },
    body: sent.body,
    signal: sent.deadline,
  });
  const read = await readBody(body);
  if (!read) return { result: 'too_large' };
  if ((single(headers['content-encoding']) ?? 'identity') !== 'identity') return { result: 'host_error' };
  const location = single(headers.location);
  return {
    result: 'answer',
    status: statusCode,
    contentType: single(headers['content-type']) ?? '',
    ...(statusCode >= 300 && statusCode < 400 && location && { location }),
    ...toRetryAfter(single(headers['retry-after'])),
    body: read,
  };
}

/** Whether the other side spoke, but not HTTP as we read it. */
const isProtocolError = (error: unknown) =>
  error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError;

const toTrouble = (error: unknown, deadline: AbortSignal): OutboundTrouble => {
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
 * The safe client. https to names whose addresses are all global unicast; `loopbackOrigins` (configured bases on this
 * machine) are reached as they are, and only on this machine. Identity encoding, no redirects, 64 KiB.
 */
export function createOutbound(loopbackOrigins: ReadonlySet<string>): Outbound {
  const open = createAgent(isPublicAddress);
  const own = createAgent(isLoopbackAddress);
  return {
    async fetch(sent) {
      const isOwn = loopbackOrigins.has(sent.url.origin) && isLoopbackBase(sent.url);
      if (!isOwn && (sent.url.protocol !== 'https:' || isAddress(sent.url.hostname)))
        return { result: 'host_unreachable' };
      try {
        return await exchange(isOwn ? own : open, sent);
      } catch (error) {
        return { result: toTrouble(error, sent.deadline) };
      }
    },
  };
}
