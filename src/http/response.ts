import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import { parseAccept } from 'hono/utils/accept';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { memoize } from '../core/lazy.ts';
import type { ProblemFacts } from '../core/problem.ts';
import type { CachePolicy, Encoding, Finished, Request } from './call.ts';

const preferred: readonly Encoding[] = ['br', 'gzip', 'identity'];
/** Acceptable, but last, unless Accept-Encoding names it (RFC 9110, section 12.5.3). */
const unnamedIdentity = 0.001;

function negotiate(accepted: string): Encoding {
  const weights = new Map(parseAccept(accepted).map(({ type, q }) => [type.toLowerCase(), q]));
  const weightOf = (encoding: Encoding) =>
    weights.get(encoding) ?? weights.get('*') ?? (encoding === 'identity' ? unnamedIdentity : 0);
  const best = preferred.reduce((one, other) => (weightOf(other) > weightOf(one) ? other : one));
  return weightOf(best) > 0 ? best : 'identity';
}

const cachedHeaders = 100;
const cachedHeaderLength = 100;
/** Browsers send few different headers. */
const negotiateOnce = memoize(negotiate, cachedHeaders);

/** Of equal ones, the coding with the fewest bytes. */
export function chooseEncoding(accepted: string | null | undefined): Encoding {
  if (!accepted) return 'identity';
  return accepted.length > cachedHeaderLength ? negotiate(accepted) : negotiateOnce(accepted);
}

/** Less fits one packet as it is. */
const leastCompressed_bytes = 1400;
/** More takes much longer and saves little. */
const brotliQuality = 5;
const gzipLevel = 6;
/** More is compressed off the main thread. */
const mostAtOnce_bytes = 64 * 1024;

const toBrotli = (quality: number, size: number) => ({
  params: {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: size,
  },
});

const brotliLater = promisify(brotliCompress);
const gzipLater = promisify(gzip);

async function encode(
  text: string,
  encoding: Encoding,
): Promise<{ readonly body: Buffer<ArrayBuffer>; readonly encoding: Encoding }> {
  const plain = Buffer.from(text);
  const size = plain.byteLength;
  if (encoding === 'identity' || size < leastCompressed_bytes) return { body: plain, encoding: 'identity' };
  const isLong = size > mostAtOnce_bytes;
  if (encoding === 'gzip') {
    const options = { level: gzipLevel };
    return { body: isLong ? await gzipLater(plain, options) : gzipSync(plain, options), encoding };
  }
  const options = toBrotli(brotliQuality, size);
  return { body: isLong ? await brotliLater(plain, options) : brotliCompressSync(plain, options), encoding };
}

/** Takes long. */
export async function encodeBest(bytes: Uint8Array, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  if (encoding === 'identity') return new Uint8Array(bytes);
  if (encoding === 'gzip') return new Uint8Array(await gzipLater(bytes, { level: 9 }));
  const options = toBrotli(constants.BROTLI_MAX_QUALITY, bytes.byteLength);
  return new Uint8Array(await brotliLater(bytes, options));
}

export interface TextAnswer {
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cacheControl?: string;
  /** Undefined if the text depends on the caller or must be current. */
  readonly cachePolicy?: CachePolicy | undefined;
}

const namesTag = (ifNoneMatch: string, etag: string) =>
  ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);

export const isCurrent = (ifNoneMatch: string | null | undefined, etag: string): boolean =>
  ifNoneMatch ? ifNoneMatch === etag || namesTag(ifNoneMatch, etag) : false;

export const toTag = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22);

const suffixes: Readonly<Record<Encoding, string>> = { br: '-br', gzip: '-gzip', identity: '' };

async function finish(
  { type, body: text, headers, cachePolicy }: TextAnswer,
  wanted: Encoding,
): Promise<Finished> {
  const { body, encoding } = await encode(text, wanted);
  return {
    // Strong, so each coding has its own (RFC 9110, section 8.8.3.3).
    etag: `"${toTag(text)}${suffixes[encoding]}"`,
    body,
    headers: {
      ...headers,
      'Content-Type': type,
      'Content-Length': String(body.byteLength),
      ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
    },
    cachePolicy,
  };
}

/** 304 for a current copy. Browsers ask each time, unless `cacheControl` says otherwise. */
export async function answerWithETag(c: Request, answer: TextAnswer): Promise<Response> {
  const finished = await finish(answer, c.get('encoding'));
  const isPrivate = c.get('isPrivate');
  if (!isPrivate) c.set('finished', finished);
  c.header('ETag', finished.etag);
  c.header('Cache-Control', isPrivate ? 'private, no-cache' : (answer.cacheControl ?? 'no-cache'));
  c.header('Vary', 'Accept-Encoding', { append: true });
  if (isCurrent(c.req.header('if-none-match'), finished.etag)) return c.body(null, 304, finished.headers);
  return c.body(finished.body, { headers: finished.headers });
}

export const answerPage = (c: Request, page: { toString(): string }, cachePolicy?: CachePolicy) =>
  answerWithETag(c, { type: 'text/html; charset=utf-8', body: String(page), cachePolicy });

export const answerJsonText = (c: Request, json: string, cachePolicy?: CachePolicy): Promise<Response> =>
  answerWithETag(c, { type: 'application/json', body: `${json}\n`, cachePolicy });

export const answerJson = (c: Request, value: unknown, cachePolicy?: CachePolicy): Promise<Response> =>
  answerJsonText(c, JSON.stringify(value), cachePolicy);

/** With the status of a problem, and when to try again. */
export const answerPageOnce = (
  c: Request,
  page: { toString(): string },
  { status = 200, facts = {} }: { readonly status?: number; readonly facts?: ProblemFacts } = {},
): Response =>
  c.html(String(page), status as ContentfulStatusCode, {
    'Cache-Control': 'no-store',
    ...toFactHeaders(facts),
  });

export const answerOnce = (c: Request, value: object): Response =>
  c.json(value, 200, { 'Cache-Control': 'no-store' });

/**
 * draft-ietf-httpapi-ratelimit-headers: a burst of q calls, refilled in w seconds, none left for t seconds.
 */
export const toFactHeaders = ({ retry_after_s, limit, allow }: ProblemFacts): Record<string, string> => ({
  ...(allow && { Allow: allow.join(', ') }),
  ...(retry_after_s !== undefined && { 'Retry-After': String(retry_after_s) }),
  ...(limit && {
    'RateLimit-Policy': `"${limit.name}";q=${limit.burst};w=${limit.refill_s}`,
    RateLimit: `"${limit.name}";r=0;t=${retry_after_s}`,
  }),
});
