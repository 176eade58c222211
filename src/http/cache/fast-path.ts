import type { IncomingMessage, OutgoingHttpHeader, RequestListener, ServerResponse } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import { type Context, unchangedFor_ms } from '../../context.ts';
import { toRateLimited } from '../../limits/limit.ts';
import { countRead, measure } from '../../telemetry/metrics.ts';
import type { Encoding, Finished, HttpEnvironment } from '../call.ts';
import type { createCallerReader } from '../caller.ts';
import { costOf, isCounted, limitOf, type RequestLimits } from '../limits.ts';
import {
  addressOf,
  anyOrigin,
  type HostCheck,
  holdsSecret,
  isDocument,
  logAnswer,
  ofNotModified,
  toKnownAddress,
  toRequestId,
  toSecuredHeaders,
} from '../middleware.ts';
import { toRefusalAnswer } from '../problems.ts';
import { headerOf } from '../request.ts';
import { chooseEncoding, isCurrent } from '../response.ts';
import { type AnswerCache, type CachedAnswer, type ReadyAnswer, toHeaderList } from './answer-cache.ts';
import { findMcpAnswer, isPlainMessage, readBody } from './mcp-cache.ts';

/** Longer ones, and those of unknown length, are left to the app. */
const longestBody_bytes = 64 * 1024;
const methods = ['GET', 'HEAD', 'POST'];

const withoutQuery = (address: string): string => {
  const end = address.indexOf('?');
  return end === -1 ? address : address.slice(0, end);
};

type CountedRequest = ReturnType<typeof toCountedRequest>;

function toCountedRequest(
  { url = '', headers, method = '', socket }: IncomingMessage,
  { limits, callers, context }: FastPathParts,
) {
  const path = withoutQuery(url);
  const network = callers.networkOf(headers['x-forwarded-for']?.toString(), socket.remoteAddress);
  const limit = limitOf(limits, method, path);
  return { path, limit, cost: costOf(url), network, now_ms: context.clock().getTime() };
}

/** Paths that `URL` does not change. */
const plainPath = /^\/(?!\/)[\w\-.~@:+/]*$/;
const plainAddress = /^[!$-~]*$/;

/** Would reach the app's limits unchanged. */
function isPlain(incoming: IncomingMessage, path: string, isOurs: HostCheck) {
  const { url = '', method = '', headers, rawHeaders } = incoming;
  const isShort =
    Number(headers['content-length'] ?? 0) <= longestBody_bytes && !headers['transfer-encoding'];
  const isAddress = plainAddress.test(url) && plainPath.test(path) && !path.includes('/.') && isCounted(path);
  return (
    isShort &&
    isAddress &&
    methods.includes(method) &&
    isOurs(headerOf(rawHeaders, 'host')) &&
    !holdsSecret(url) &&
    (method !== 'POST' || !url.includes('%00'))
  );
}

/** Refuses as the app would, and charges nothing. */
function createRefuser({ context, isOurs }: FastPathParts) {
  let secured: Readonly<Record<string, string>> | undefined;
  // Until these headers are ready, the app refuses.
  void toSecuredHeaders(context.config, {}).then((headers) => {
    secured = headers;
  });
  return (
    incoming: IncomingMessage,
    { path, limit, cost, network, now_ms }: CountedRequest,
  ): ReadyAnswer | undefined => {
    const refusal = limit.refusalOf(network, now_ms, cost);
    if (!refusal || !secured || !isPlain(incoming, path, isOurs)) return undefined;
    const { method = '', headers } = incoming;
    const asked = { path, accept: headers.accept, origin: headers.origin };
    const { status, body, headers: own } = toRefusalAnswer(asked, toRateLimited(refusal), context);
    const opened = isDocument(method, own['Content-Type']) && anyOrigin;
    return {
      status,
      headers: toHeaderList({ ...secured, ...own, ...opened }),
      bytes: Buffer.from(body).toString('latin1'),
      hasId: true,
      memory: 'refusals',
      path,
    };
  };
}

const longestAddress = 500;
const memory = 'pages';

/** Of one request or one body. */
const notShared = ['x-request-id', 'content-type', 'content-length', 'content-encoding'];

function toCached({ etag, body, headers }: Finished, sent: Headers): CachedAnswer {
  const shared = [...sent].filter(([name]) => !notShared.includes(name));
  const confirmed = shared.filter(([name]) => ofNotModified.includes(name));
  // `Headers` joins the same header in different case.
  const whole = new Headers(shared);
  for (const [name, value] of Object.entries(headers)) whole.set(name, value);
  return {
    bytes: body.toString('latin1'),
    headers: toHeaderList(Object.fromEntries(whole)),
    notModified: { etag, headers: toHeaderList(Object.fromEntries(confirmed)) },
  };
}

const toPageKey = (encoding: Encoding, address: string) => `page ${encoding} ${address}`;

export function createPageStore({ cache }: Pick<FastPathParts, 'cache'>): MiddlewareHandler<HttpEnvironment> {
  return async (c, next) => {
    if (c.req.method !== 'GET') return next();
    const store = cache.begin();
    await next();
    const finished = c.get('finished');
    const address = toKnownAddress(addressOf(c.req.raw.url));
    const isSent = c.res.status === 200 || c.res.status === 304;
    if (!finished?.cachePolicy || !isSent || address.length > longestAddress) return;
    // The fast path chooses the limit by the path as it was sent, the app by the decoded one.
    if (withoutQuery(address) !== c.req.path) return;
    countRead(memory, false);
    const key = toPageKey(c.get('encoding'), address);
    const { cachePolicy } = finished;
    const maxAge_ms = cachePolicy.cacheTags.length > 0 ? unchangedFor_ms(c.get('context')) : undefined;
    store(key, toCached(finished, c.res.headers), { maxAge_ms, ...cachePolicy });
  };
}

/** A stored answer has passed the app's checks; a secret in an undeclared parameter is left to the app. */
function readPage(url: string, encoding: Encoding, now_ms: number, { cache }: FastPathParts) {
  const page = cache.get(toPageKey(encoding, url), now_ms);
  if (page) return page;
  const known = toKnownAddress(url);
  return known === url || holdsSecret(url) ? undefined : cache.get(toPageKey(encoding, known), now_ms);
}

function findPage(
  { url = '', headers }: IncomingMessage,
  { path, now_ms }: CountedRequest,
  shared: FastPathParts,
): ReadyAnswer | undefined {
  const encoding = chooseEncoding(headers['accept-encoding']?.toString());
  const page = readPage(url, encoding, now_ms, shared);
  if (!page?.notModified) return undefined;
  const isSame = isCurrent(headers['if-none-match'], page.notModified.etag);
  const sent = isSame
    ? { status: 304, headers: page.notModified.headers, bytes: '' }
    : { ...page, status: 200 };
  return { ...sent, hasId: true, memory, path };
}

interface FastPathParts {
  readonly context: Context;
  readonly cache: AnswerCache;
  readonly isOurs: HostCheck;
  readonly callers: ReturnType<typeof createCallerReader>;
  readonly limits: RequestLimits;
}

/** Counts the request in its limit. */
function isAdmitted(
  incoming: IncomingMessage,
  { path, limit, cost, network, now_ms }: CountedRequest,
  { isOurs }: FastPathParts,
) {
  if (!isOurs(headerOf(incoming.rawHeaders, 'host'))) return false;
  return !isCounted(path) || limit.tryTake(network, now_ms, cost) === undefined;
}

function sendReady(
  outgoing: ServerResponse,
  { status, headers, hasId, memory, bytes }: ReadyAnswer,
  request: string | undefined,
) {
  const sent: OutgoingHttpHeader[] = [...headers];
  if (hasId && request) sent.push('x-request-id', request);
  if (memory !== 'pages' && outgoing.req.method !== 'HEAD') sent.push('content-length', bytes.length);
  outgoing.writeHead(status, sent).end(bytes, 'latin1');
}

/**
 * docs/decisions/cache.md, docs/decisions/limits.md. Without a Request, a Response or the app's middleware.
 */
export function createFastPath(shared: FastPathParts, app: RequestListener): RequestListener {
  const refuse = createRefuser(shared);
  const answer = (found: ReadyAnswer, start: number, outgoing: ServerResponse) => {
    const { memory, tool, path, status } = found;
    countRead(memory, true);
    if (tool) measure('dossier_tool_calls_total', { tool, outcome: 'ok' });
    const { method = '', headers } = outgoing.req;
    const sent = headers['x-request-id'];
    const request = sent || found.hasId ? toRequestId(sent?.toString()) : undefined;
    sendReady(outgoing, found, request);
    logAnswer(shared.context, { request, method, path: path.slice(0, 300), tool, status, start });
  };
  return (incoming, outgoing) => {
    const start = performance.now();
    const counted = toCountedRequest(incoming, shared);
    const page = incoming.method === 'GET' ? findPage(incoming, counted, shared) : undefined;
    if (page && isAdmitted(incoming, counted, shared)) return answer(page, start, outgoing);
    const refused = refuse(incoming, counted);
    if (refused) return answer(refused, start, outgoing);
    if (!isPlainMessage(incoming)) return app(incoming, outgoing);
    const answerMessage = (body: Buffer) => {
      // A body may arrive seconds after its headers.
      const arrived = { ...counted, now_ms: shared.context.clock().getTime() };
      const found = findMcpAnswer(incoming, body, arrived.now_ms, shared.cache);
      if (found && isAdmitted(incoming, arrived, shared)) answer(found, start, outgoing);
      else app(incoming, outgoing);
    };
    readBody(incoming, answerMessage, () => app(incoming, outgoing));
  };
}
