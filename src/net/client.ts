import { type LookupAddress, type LookupAllOptions, lookup as resolveByHost } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { Agent, type Dispatcher, errors, request } from 'undici';
import type { Config } from '../config/config.ts';
import { ownMember, readBounded } from '../core/json.ts';
import { day_s } from '../core/text.ts';
import { refuseInTransaction } from '../core/transaction.ts';
import { own, type Words } from '../core/words.ts';
import { isAddress, isLoopbackAddress, isPublicAddress, plainAddress } from './addresses.ts';
import { type Names, namesAt, type Unresolved, unresolvedName } from './dns.ts';
import { readRetryAfter_s } from './retry-after.ts';

export const refusedAddress = 'EREFUSEDADDRESS';

/**
 * All addresses must be allowed, and the socket connects to one that was checked here, so DNS rebinding has
 * no effect.
 */
export const createGuardedLookup =
  (
    isAllowed: (address: string) => boolean,
    resolve: (
      hostname: string,
      options: LookupAllOptions,
      done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
    ) => void = resolveByHost,
  ): LookupFunction =>
  (hostname, options, done) =>
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) return done(error ?? new Error('no address'), '');
      if (!addresses.every(({ address }) => isAllowed(address)))
        return done(Object.assign(new Error('not a public address'), { code: refusedAddress }), '');
      return options.all ? done(null, addresses) : done(null, first.address, first.family);
    });

/** Cookies and credentials are not added. */
export interface OutboundRequest {
  readonly url: URL;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
  readonly deadline: AbortSignal;
  /** Once a piece returns true, the rest is not read. */
  readonly isComplete?: (piece: Uint8Array) => boolean;
  /** Nothing is read of an event stream, which may never end. */
  readonly isOfDocument?: true;
  /** What comes until the deadline is the body. */
  readonly isReadInPart?: true;
}

/** `location` is set for 3xx, which is not followed. */
export interface OutboundResponse {
  readonly result: 'response';
  readonly status: number;
  /** By lower-case name, the first value each; WWW-Authenticate has all, joined. */
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly location?: string;
  readonly retry_after_s?: number;
  readonly body: Buffer;
}

export type FetchFailure = 'host_unreachable' | 'host_timeout' | 'host_error' | 'too_large';

export interface FailedRequest {
  readonly result: FetchFailure;
  /** The fault of the host's certificate. */
  readonly certificate?: Words;
  /** Why nothing was sent. */
  readonly unsent?: 'not_allowed' | Unresolved;
  /** By the other side, before the response ended. */
  readonly brokeOff?: true;
}

/** Failures are results; a method throws only within a transaction of the store. */
export interface OutboundClient {
  /**
   * The rules refuse it, or no address is known; addresses are judged at the connection. Call it before the
   * deadline of the request begins.
   */
  whyUnsent(url: URL, signal: AbortSignal): Promise<FailedRequest | undefined>;
  fetch(sent: OutboundRequest): Promise<OutboundResponse | FailedRequest>;
}

export interface Reach {
  readonly url: URL;
  readonly addresses: 'public' | 'loopback' | 'any';
}

export interface OutboundRules {
  readonly userAgent: string;
  readonly bodyLimit_bytes: number;
  readonly headerLimit_bytes?: number;
  /** To one origin; default 4. */
  readonly connections?: number;
  /** For public hosts. */
  readonly names?: Names;
  /** Undefined refuses (`host_unreachable`). */
  reach(url: URL): Reach | undefined;
}

const longestRetryAfter_s = day_s;

function toRetryAfter(value: string | undefined): { retry_after_s?: number } {
  const wait_s = readRetryAfter_s(value, Date.now());
  if (wait_s === undefined) return {};
  return { retry_after_s: Math.min(longestRetryAfter_s, Math.max(1, Math.ceil(wait_s))) };
}

/** A header for each way to authenticate (RFC 9110 section 5.3). */
const toValue = (name: string, values: readonly string[]) =>
  (name === 'www-authenticate' ? values.join(', ') : values[0]) ?? '';

const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, br: createBrotliDecompress } as const;

/** Some hosts compress though asked not to. */
function decode(body: Readable, coding: string | undefined): Readable | undefined {
  if (!coding || /^(?:identity|utf-?8)$/i.test(coding)) return body;
  const decoder = ownMember(decoders, coding.toLowerCase())?.();
  // The reader of the decoder gets the error.
  return decoder && pipeline(body, decoder, () => undefined);
}

async function* untilEnd(body: Readable, { deadline }: OutboundRequest): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    if (!deadline.aborted) throw error;
  }
}

async function exchange(
  dispatcher: Dispatcher,
  sent: OutboundRequest,
  { userAgent, bodyLimit_bytes }: OutboundRules,
): ReturnType<OutboundClient['fetch']> {
  const response = await request(sent.url, {
    dispatcher,
    method: sent.method ?? 'GET',
    headers: { 'user-agent': userAgent, 'accept-encoding': 'identity', ...sent.headers },
    body: sent.body,
    signal: sent.deadline,
  });
  const { statusCode, body } = response;
  const headers: Record<string, string> = Object.fromEntries(
    Object.entries(response.headers).map(([name, value = '']) => [name, toValue(name, [value].flat())]),
  );
  const { location } = headers;
  // HEAD has headers of a body that is not sent.
  const plain = decode(body, sent.method === 'HEAD' ? undefined : headers['content-encoding']);
  if (!plain) return { result: 'host_error' };
  const isStream = /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
  if (sent.isOfDocument && isStream) body.destroy();
  const chunks = sent.isOfDocument && isStream ? [] : sent.isReadInPart ? untilEnd(plain, sent) : plain;
  const read = await readBounded(chunks, bodyLimit_bytes, { isComplete: sent.isComplete });
  if (!read) return { result: 'too_large' };
  return {
    result: 'response',
    status: statusCode,
    headers,
    contentType: headers['content-type'] ?? '',
    ...(statusCode >= 300 && statusCode < 400 && location && { location }),
    ...toRetryAfter(headers['retry-after']),
    body: read,
  };
}

const errorCodeOf = (error: unknown) => String((error as { code?: unknown } | undefined)?.code);

/** A chunked body without its last chunk ends in an invalid state of the parser. */
const isCutOff = (error: unknown) =>
  error instanceof errors.ResponseContentLengthMismatchError ||
  (error instanceof errors.HTTPParserError && error.message.includes('Invalid EOF state'));

/** undici, after an unsolicited 100 Continue or 101 Switching Protocols. */
const isUnasked = (error: unknown) =>
  error instanceof Error && (error.message === 'bad response' || errorCodeOf(error) === 'ERR_ASSERTION');

/** gzip, brotli. */
const codingFaults = /^(?:Z_|ERR__ERROR_)/;

const isProtocolError = (error: unknown) =>
  (error instanceof errors.HTTPParserError && !isCutOff(error)) ||
  error instanceof errors.HeadersOverflowError ||
  isUnasked(error) ||
  codingFaults.test(errorCodeOf(error));

const certificateFaults: Readonly<Record<string, Words>> = {
  CERT_HAS_EXPIRED: own('expired'),
  CERT_NOT_YET_VALID: own('not yet valid'),
  CERT_REVOKED: own('revoked'),
  DEPTH_ZERO_SELF_SIGNED_CERT: own('self-signed'),
  SELF_SIGNED_CERT_IN_CHAIN: own('self-signed root'),
  UNABLE_TO_GET_ISSUER_CERT: own('unknown issuer'),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: own('unknown issuer'),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: own('unknown issuer'),
  ERR_TLS_CERT_ALTNAME_INVALID: own('issued for another name'),
};

const ourCodes = /^(?:EAI_AGAIN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|EMFILE|ENFILE|ENOBUFS)$/;

const isOurFailure = (error: unknown): boolean =>
  error instanceof AggregateError ? error.errors.every(isOurFailure) : ourCodes.test(errorCodeOf(error));

const brokenCodes = /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/;

const unsentCodes: Readonly<Record<string, NonNullable<FailedRequest['unsent']>>> = {
  [refusedAddress]: 'not_allowed',
  ENOTFOUND: 'no_address',
  [unresolvedName]: 'unresolved',
};

/** Undefined if something may have been sent. */
export const whyUnsentBy = (error: unknown): FailedRequest['unsent'] =>
  isOurFailure(error) ? 'no_way' : ownMember(unsentCodes, errorCodeOf(error));

const isAllowedAt: Readonly<Record<Reach['addresses'], (address: string) => boolean>> = {
  public: isPublicAddress,
  loopback: isLoopbackAddress,
  any: () => true,
};

/** Hosts that are not public come from settings, so the system resolves them as for other programs. */
export const lookupFor = (addresses: Reach['addresses'], names: Names): LookupFunction =>
  createGuardedLookup(isAllowedAt[addresses], addresses === 'public' ? names.lookup : resolveByHost);

/** Undefined for unallowed addresses, too, and unless `addresses` is `public`. */
export async function whyUnresolved(
  { url: { hostname }, addresses }: Reach,
  names: Names,
  signal: AbortSignal,
): Promise<FailedRequest | undefined> {
  if (addresses !== 'public' || isAddress(hostname)) return undefined;
  const found = await names.resolve(hostname, signal);
  return typeof found === 'string' ? { result: 'host_unreachable', unsent: found } : undefined;
}

export function createOutboundClient(rules: OutboundRules): OutboundClient {
  const { headerLimit_bytes: maxHeaderSize = 16_384, connections = 4, names = namesAt(undefined) } = rules;
  const createAgent = (addresses: Reach['addresses']) =>
    new Agent({
      allowH2: false,
      connections,
      pipelining: 1,
      keepAliveTimeout: 1000,
      maxHeaderSize,
      connect: { lookup: lookupFor(addresses, names), timeout: 8000 },
    });
  const agents: Readonly<Record<Reach['addresses'], Agent>> = {
    public: createAgent('public'),
    loopback: createAgent('loopback'),
    any: createAgent('any'),
  };
  const open = async (url: URL, signal: AbortSignal): Promise<Reach | FailedRequest> => {
    refuseInTransaction('a request to a host');
    const reach = rules.reach(url);
    if (!reach) return { result: 'host_unreachable', unsent: 'not_allowed' };
    return (await whyUnresolved(reach, names, signal)) ?? reach;
  };
  return {
    async whyUnsent(url, signal) {
      const reach = await open(url, signal);
      return 'result' in reach ? reach : undefined;
    },
    async fetch(sent) {
      const reach = await open(sent.url, sent.deadline);
      if ('result' in reach) return reach;
      try {
        return await exchange(agents[reach.addresses], { ...sent, url: reach.url }, rules);
      } catch (error) {
        const certificate = ownMember(certificateFaults, errorCodeOf(error));
        const failure = isProtocolError(error) ? 'host_error' : 'host_unreachable';
        const isBroken = isCutOff(error) || brokenCodes.test(errorCodeOf(error));
        const brokeOff = (failure === 'host_unreachable' && isBroken) || undefined;
        const result = sent.deadline.aborted ? 'host_timeout' : failure;
        return { result, certificate, unsent: whyUnsentBy(error), brokeOff };
      }
    },
  };
}

/** By HOST_OVERRIDES or WEBHOOK_OVERRIDES. */
export function overridden(url: URL, overrides: Config['hostOverrides']): URL | undefined {
  const base = ownMember(overrides, url.host) ?? ownMember(overrides, url.hostname);
  return base === undefined ? undefined : new URL(`${base}${url.pathname}${url.search}`);
}

/** Any public port without user name and password, and HOST_OVERRIDES anywhere. */
export function reachPublic(url: URL, overrides: Config['hostOverrides']): Reach | undefined {
  const other = overridden(url, overrides);
  if (other) return { url: other, addresses: 'any' };
  if (!/^https?:$/.test(url.protocol) || url.username + url.password !== '') return undefined;
  if (isAddress(url.hostname) && !isPublicAddress(plainAddress(url.hostname))) return undefined;
  return { url, addresses: 'public' };
}
