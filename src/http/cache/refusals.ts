import type { IncomingMessage } from 'node:http';
import type { Context } from '../../context.ts';
import { toRateLimited } from '../../limits/limit.ts';
import type { HttpAdapter } from '../call.ts';
import type { createCallerReader } from '../caller.ts';
import { anyOrigin, isDocument } from '../cors.ts';
import { costOf, isCounted, limitOf, type RequestLimits } from '../limits.ts';
import { type HostCheck, holdsSecret, toSecuredHeaders } from '../middleware.ts';
import { toRefusalAnswer } from '../problems.ts';
import { headerOf } from '../request.ts';
import { type ReadyAnswer, toHeaderList } from './answer-cache.ts';

/** Longer ones, and those of unknown length, are left to the app. */
const longestBody_bytes = 64 * 1024;
const methods = ['GET', 'HEAD', 'POST'];

export const withoutQuery = (address: string): string => {
  const end = address.indexOf('?');
  return end === -1 ? address : address.slice(0, end);
};

export type CountedRequest = ReturnType<typeof toCountedRequest>;

interface Counting {
  readonly context: Pick<Context, 'clock'>;
  readonly callers: ReturnType<typeof createCallerReader>;
  readonly limits: RequestLimits;
}

export function toCountedRequest(
  { url = '', headers, method = '', socket }: IncomingMessage,
  { limits, callers, context }: Counting,
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
export function createRefuser(adapter: HttpAdapter, isOurs: HostCheck) {
  let secured: Readonly<Record<string, string>> | undefined;
  // Until these headers are ready, the app refuses.
  void toSecuredHeaders(adapter.site.config, {}).then((headers) => {
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
    const { status, body, headers: own } = toRefusalAnswer(asked, toRateLimited(refusal), adapter);
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
