import type { IncomingMessage } from 'node:http';
import type { Context } from '../../context.ts';
import { toRateLimited } from '../../limits/limit.ts';
import type { Face } from '../call.ts';
import type { createCallerReader } from '../caller.ts';
import { isCounted, limitOf, type RequestLimits } from '../limits.ts';
import { type HostCheck, holdsSecret, isDocument, toSecuredHeaders } from '../middleware.ts';
import { toRefusalAnswer } from '../problems.ts';
import { headerOf } from '../request.ts';
import { type ReadyAnswer, toHeaderList } from './answer-cache.ts';

/** A longer body, or one of unknown length, is left to the app, which ends the connection if it does not arrive soon. */
const longestBody_bytes = 64 * 1024;
const methods = ['GET', 'HEAD', 'POST'];

/** The path of an address. */
export const withoutQuery = (address: string): string => {
  const end = address.indexOf('?');
  return end === -1 ? address : address.slice(0, end);
};

/** A request as the limits count it. */
export type Counted = ReturnType<typeof toCounted>;

interface Counting {
  readonly context: Pick<Context, 'clock'>;
  readonly callers: ReturnType<typeof createCallerReader>;
  readonly limits: RequestLimits;
}

/** The limit that counts a request, the network that it is counted for, and the time. */
export function toCounted(
  { url = '', headers, method = '', socket }: IncomingMessage,
  { limits, callers, context }: Counting,
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

/**
 * Refuses a request that its limit refuses now, before the app and with the answer of the app: both make it with
 * `toRefusalAnswer`. Counts nothing. Undefined for every other request.
 */
export function createRefuser(face: Face, isOurs: HostCheck) {
  let secured: Readonly<Record<string, string>> | undefined;
  // A request that comes earlier is refused by the app.
  void toSecuredHeaders(face.site.config, {}).then((headers) => {
    secured = headers;
  });
  return (incoming: IncomingMessage, { path, limit, network, now_ms }: Counted): ReadyAnswer | undefined => {
    const refusal = limit.refusalOf(network, now_ms);
    if (!refusal || !secured || !isPlain(incoming, path, isOurs)) return undefined;
    const { method = '', headers } = incoming;
    const asked = { path, accept: headers.accept, origin: headers.origin };
    const { status, body, headers: own } = toRefusalAnswer(asked, toRateLimited(refusal), face);
    const opened = isDocument(method, own['Content-Type']) && { 'Access-Control-Allow-Origin': '*' };
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
