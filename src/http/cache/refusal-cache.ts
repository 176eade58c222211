import type { IncomingMessage } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import type { Context } from '../../context.ts';
import type { Refusal } from '../../limits/limit.ts';
import { countRead } from '../../telemetry/events.ts';
import type { HttpEnvironment } from '../call.ts';
import type { createCallerReader } from '../caller.ts';
import { isCounted, limitOf, type RequestLimits } from '../limits.ts';
import { type HostCheck, holdsSecret } from '../middleware.ts';
import { isMcpPath, wantsHtml } from '../problems.ts';
import { headerOf } from '../request.ts';
import { type AnswerCache, type ReadyAnswer, toHeaderList } from './answer-cache.ts';

const memory = 'refusals';
const status = 429;
/** A longer body, or one of unknown length, is left to the app, which ends the connection if it does not arrive soon. */
const longestBody_bytes = 64 * 1024;
const methods = ['GET', 'HEAD', 'POST'];

interface Asked {
  readonly method: string | undefined;
  readonly path: string;
  readonly accept: string | undefined;
  readonly origin: string | undefined;
}

function toKey({ limit, retry_after_s }: Refusal, { method, path, accept, origin }: Asked): string {
  const plain = method === 'GET' || method === 'HEAD' ? 'document' : 'answer';
  const form = isMcpPath(path)
    ? `mcp ${origin ? 'of a page' : ''}`
    : wantsHtml(path, accept)
      ? 'page'
      : plain;
  return `refusal ${form} ${limit.name} ${limit.burst} ${limit.refill_s} ${retry_after_s}`;
}

/** Stores the app's answers to requests that a limit of requests refused. */
export function createRefusalStore(cache: AnswerCache): MiddlewareHandler<HttpEnvironment> {
  return async (c, next) => {
    const store = cache.begin();
    await next();
    const refusal = c.get('refusal');
    if (!refusal || c.req.method === 'HEAD') return;
    const { path, method } = c.req;
    const asked = { method, path, accept: c.req.header('accept'), origin: c.req.header('origin') };
    const key = toKey(refusal, asked);
    const bytes = Buffer.from(await c.res.clone().arrayBuffer()).toString('latin1');
    countRead(memory, false);
    const { 'x-request-id': id, ...headers } = Object.fromEntries(c.res.headers);
    store(key, { bytes, headers: toHeaderList(headers), hasId: id !== undefined }, { cacheTags: [] });
  };
}

export interface RefusalLookup {
  readonly context: Pick<Context, 'clock'>;
  readonly cache: AnswerCache;
  readonly isOurs: HostCheck;
  readonly callers: ReturnType<typeof createCallerReader>;
  readonly limits: RequestLimits;
}

/** The path of an address. */
export const withoutQuery = (address: string): string => {
  const end = address.indexOf('?');
  return end === -1 ? address : address.slice(0, end);
};

/** A request as the limits count it. */
export type Counted = ReturnType<typeof toCounted>;

/** The limit that counts a request, the network that it is counted for, and the time. */
export function toCounted(
  { url = '', headers, method = '', socket }: IncomingMessage,
  { limits, callers, context }: Pick<RefusalLookup, 'limits' | 'callers' | 'context'>,
) {
  const path = withoutQuery(url);
  const network = callers.networkOf(headers['x-forwarded-for']?.toString(), socket.remoteAddress);
  return { path, limit: limitOf(limits, method, path), network, now_ms: context.clock().getTime() };
}

/** Characters and segments that URL leaves as they are. */
const plainPath = /^\/(?!\/)[\w\-.~@:+/]*$/;
const plainAddress = /^[!$-~]*$/;

/** Whether the app's limits come to see a request: nothing before them answers it, or reads it as another one. */
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

/** The app's answer to a request that a limit refuses now, if it made the same answer before. Counts nothing. */
export function findRefusal(
  incoming: IncomingMessage,
  { path, limit, network, now_ms }: Counted,
  lookup: RefusalLookup,
): ReadyAnswer | undefined {
  const { headers, method } = incoming;
  const refusal = limit.refusalOf(network, now_ms);
  if (!refusal || !isPlain(incoming, path, lookup.isOurs)) return undefined;
  const found = lookup.cache.get(
    toKey(refusal, { method, path, accept: headers.accept, origin: headers.origin }),
    now_ms,
  );
  return found && { ...found, memory, path, status };
}
