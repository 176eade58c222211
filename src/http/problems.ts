import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import { parseAccept } from 'hono/utils/accept';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Context } from '../context.ts';
import { memoize } from '../core/lazy.ts';
import { Problem, type ProblemCode, type ProblemFacts, problemTable, toProblem } from '../core/problem.ts';
import { badgePolicy, toBadgeSvg } from '../views/listing/badge.ts';
import { toProblemPage } from '../views/pages.ts';
import type { CachePolicy, Encoding, Finished, Request } from './call.ts';
import { toMcpCorsHeaders } from './middleware.ts';

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

/** Of equal ones, the coding with the fewest bytes. */
export type ChooseEncoding = (accepted: string | null | undefined) => Encoding;

const cachedHeaders = 100;
const cachedHeaderLength = 100;

/** Browsers send few different headers. */
export function createEncodingChoice(): ChooseEncoding {
  const choose = memoize(negotiate, cachedHeaders);
  return (accepted) => {
    if (!accepted) return 'identity';
    return accepted.length > cachedHeaderLength ? negotiate(accepted) : choose(accepted);
  };
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

export const answerPage = (
  c: Request,
  page: { toString(): string },
  cachePolicy?: CachePolicy,
): Promise<Response> =>
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
    ...toWaitHeaders(facts),
  });

export const answerOnce = (c: Request, value: object): Response =>
  c.json(value, 200, { 'Cache-Control': 'no-store' });

/**
 * draft-ietf-httpapi-ratelimit-headers: a burst of q calls, refilled in w seconds, none left for t seconds.
 */
const toWaitHeaders = ({ retry_after_s, limit }: ProblemFacts): Record<string, string> => ({
  ...(retry_after_s !== undefined && { 'Retry-After': String(retry_after_s) }),
  ...(limit && {
    'RateLimit-Policy': `"${limit.name}";q=${limit.burst};w=${limit.refill_s}`,
    RateLimit: `"${limit.name}";r=0;t=${retry_after_s}`,
  }),
});

/** Others have -32000, reserved for implementations. */
const rpcCodes: Partial<Record<ProblemCode, number>> = {
  invalid_request: -32600,
  secret_in_body: -32600,
  internal: -32603,
};

interface ProblemAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function toRpcAnswer(problem: Problem, rpcCode = rpcCodes[problem.code] ?? -32000): ProblemAnswer {
  const { status, message, facts } = problem;
  const error = { code: rpcCode, message, data: problem.toJSON() };
  return {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...(facts.allow && { Allow: facts.allow.join(', ') }),
      ...toWaitHeaders(facts),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: null, error }),
  };
}

/** The id is null, because most problems precede the reading of a request. */
export function toRpcError(problem: Problem, rpcCode?: number): Response {
  const { body, ...sent } = toRpcAnswer(problem, rpcCode);
  return new Response(body, sent);
}

export function withCors(c: Request, response: Response): Response {
  for (const [name, value] of Object.entries(toMcpCorsHeaders(c.req.header('origin'))))
    response.headers.set(name, value);
  return response;
}

export const isMcpPath = (path: string): boolean => /^\/api\/mcp\/?$/.test(path);

export const toMcpRefusal = (c: Request, problem: Problem): Response => withCors(c, toRpcError(problem));

/** RFC 9457, with `code` and the facts of the problem. */
function toProblemJson(problem: Problem, publicUrl: string): Record<string, unknown> {
  const { title, next } = problemTable[problem.code];
  const { code, message: _, ...facts } = problem.toJSON();
  return {
    type: `${publicUrl}/tools#${problem.code}`,
    title,
    status: problem.status,
    detail: [problem.facts.detail, next].filter(Boolean).join(' '),
    code,
    ...facts,
  };
}

const ardCodes: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  404: 'NOT_FOUND',
  429: 'RATE_LIMIT_EXCEEDED',
};

/** ARD (Appendix B) has neither 410 nor 422. */
function toArdProblem({ status: own, message }: Problem) {
  const status = own === 410 ? 404 : own === 422 ? 400 : own;
  const errorCode = ardCodes[status] ?? (status >= 500 ? 'INTERNAL_ERROR' : 'INVALID_ARGUMENT');
  return { status, errorCode, message };
}

function problemHeaders({ code, status, facts }: Problem): Record<string, string> {
  const error = code === 'capability_required' ? '' : ', error="invalid_token"';
  return {
    'Cache-Control': 'no-store',
    Vary: 'Accept',
    ...toWaitHeaders(facts),
    ...(facts.allow && { Allow: facts.allow.join(', ') }),
    ...(status === 401 && { 'WWW-Authenticate': `Bearer realm="dossier"${error}` }),
  };
}

export const toProblemAnswer = (problem: Problem, publicUrl: string): ProblemAnswer => ({
  status: problem.status,
  headers: { ...problemHeaders(problem), 'Content-Type': 'application/problem+json' },
  body: JSON.stringify(toProblemJson(problem, publicUrl)),
});

/** The JSON API and ARD have no pages. */
const wantsHtml = (path: string, accept = ''): boolean =>
  !/^\/(?:api|ard)\//.test(path) && accept.includes('text/html');

export const wantsPage = (c: Request): boolean => wantsHtml(c.req.path, c.req.header('accept'));

const wantedBy = (path: string): string =>
  /^\/agents\/([\w./-]{1,200})$/
    .exec(path)?.[1]
    ?.replaceAll(/[^A-Za-z0-9]+/g, ' ')
    .trim() ?? '';

interface Refused {
  readonly path: string;
  readonly accept: string | undefined;
}

const isBadge = (path: string) => path.startsWith('/badge/') && !path.endsWith('.json');

/** Pages that embed a badge cannot show a problem document. */
function toBadgeProblem(problem: Problem): ProblemAnswer {
  const headers = {
    ...problemHeaders(problem),
    'Content-Type': 'image/svg+xml; charset=utf-8',
    'Content-Security-Policy': badgePolicy,
  };
  const body = toBadgeSvg(problemTable[problem.code].title.toLowerCase(), 'flat');
  return { status: problem.status, headers, body };
}

function toNegotiated(
  { path, accept }: Refused,
  problem: Problem,
  site: Pick<Context, 'config'>,
): ProblemAnswer {
  if (isBadge(path)) return toBadgeProblem(problem);
  if (wantsHtml(path, accept)) {
    const headers = { ...problemHeaders(problem), 'Content-Type': 'text/html; charset=UTF-8' };
    return { status: problem.status, headers, body: String(toProblemPage(site, problem, wantedBy(path))) };
  }
  const answer = toProblemAnswer(problem, site.config.publicUrl);
  if (!path.startsWith('/ard/')) return answer;
  const ard = toArdProblem(problem);
  const body = JSON.stringify({ ...toProblemJson(problem, site.config.publicUrl), ...ard });
  return { ...answer, status: ard.status, body };
}

/** The same for the fast path and the app. */
export function toRefusalAnswer(
  { origin, ...asked }: Refused & { readonly origin: string | undefined },
  problem: Problem,
  site: Pick<Context, 'config'>,
): ProblemAnswer {
  if (!isMcpPath(asked.path)) return toNegotiated(asked, problem, site);
  const answer = toRpcAnswer(problem);
  return { ...answer, headers: { ...answer.headers, ...toMcpCorsHeaders(origin) } };
}

const sendProblem = (c: Request, { status, headers, body }: ProblemAnswer): Response =>
  c.body(body, status as ContentfulStatusCode, { ...headers });

export const answerProblem = (c: Request, problem: Problem): Response =>
  sendProblem(
    c,
    toNegotiated({ path: c.req.path, accept: c.req.header('accept') }, problem, c.get('context')),
  );

export function answerError(error: Error, c: Request): Response {
  const context = c.get('context');
  const { path } = c.req;
  const asked = { path, accept: c.req.header('accept'), origin: c.req.header('origin') };
  return sendProblem(c, toRefusalAnswer(asked, toProblem(error, context), context));
}

export function answerMethod(c: Request, allow: string[]): Response {
  if (c.req.method === 'OPTIONS') return c.body(null, 204, { Allow: allow.join(', ') });
  return answerProblem(c, new Problem('method_not_allowed', { allow }));
}
