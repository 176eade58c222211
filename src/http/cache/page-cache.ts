import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import type { Context } from '../../context.ts';
import { memoryReads } from '../../observability/events.ts';
import type { HttpEnvironment } from '../environment.ts';
import type { Encoding, Finished } from '../finished.ts';
import { logAnswer } from '../middleware/access-log.ts';
import type { CallerReader } from '../middleware/caller.ts';
import { type HostCheck, hostOf } from '../middleware/host.ts';
import { limitOf, type RequestLimits } from '../middleware/limits.ts';
import { isCurrent } from '../response/answers.ts';
import type { ChooseEncoding } from '../response/encodings.ts';
import type { AnswerCache, CachedAnswer } from './answer-cache.ts';

const longestAddress = 500;
const memory = 'pages';

/** Headers that describe one request or one body; a 304 has none of them. */
const notShared = ['x-request-id', 'content-type', 'content-length', 'content-encoding'];

function toCached({ etag, body, headers }: Finished, sent: Headers): CachedAnswer {
  const shared = Object.fromEntries([...sent].filter(([name]) => !notShared.includes(name)));
  return {
    bytes: body.toString('latin1'),
    headers: { ...shared, ...headers },
    notModified: { etag, headers: shared },
  };
}

/** A URL from its path on, as it was sent. */
const addressOf = (url: string) => url.slice(url.indexOf('/', url.indexOf('://') + 3));

const withoutQuery = (address: string) => {
  const end = address.indexOf('?');
  return end === -1 ? address : address.slice(0, end);
};

const toKey = (encoding: Encoding, address: string) => `page ${encoding} ${address}`;

/** What the page cache shares with the app: both use the same checks and count against the same limits. */
export interface Shared {
  readonly context: Context;
  readonly cache: AnswerCache;
  readonly chooseEncoding: ChooseEncoding;
  readonly isOurs: HostCheck;
  readonly callers: CallerReader;
  readonly limits: RequestLimits;
}

/** Stores finished pages: those that a handler gave a cache policy, with the headers they left the app with. */
export function createPageStore({ cache }: Pick<Shared, 'cache'>): MiddlewareHandler<HttpEnvironment> {
  return async (c, next) => {
    if (c.req.method !== 'GET') return next();
    const store = cache.begin();
    await next();
    const finished = c.get('finished');
    const address = addressOf(c.req.raw.url);
    const isSent = c.res.status === 200 || c.res.status === 304;
    if (!finished?.cachePolicy || !isSent || address.length > longestAddress) return;
    // An escaped path would count against other limits than the path it stands for.
    if (withoutQuery(address) !== c.req.path) return;
    memoryReads.publish({ memory, isHit: false });
    const key = toKey(c.get('encoding'), address);
    store(key, toCached(finished, c.res.headers), finished.cachePolicy);
  };
}

/** Answers a request of Node's server; false, and nothing was done, if the app has to. */
export type PageDoor = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

/**
 * Answers cached pages at Node's server, before a Request, a Response and the app's middleware are made: they cost more
 * than the answer (docs/decisions/0016). The app answered the same address before, so the address has passed its
 * checks; Host and limit are checked here by the app's own functions. A request that fails one is left to the app.
 */
export function createPageDoor({
  context,
  cache,
  chooseEncoding,
  isOurs,
  callers,
  limits,
}: Shared): PageDoor {
  const isAdmitted = ({ headers, socket, rawHeaders }: IncomingMessage, path: string): boolean => {
    if (!isOurs(hostOf(rawHeaders))) return false;
    const network = callers.networkOf(headers['x-forwarded-for']?.toString(), socket.remoteAddress);
    try {
      limitOf(limits, 'GET', path).take(network, context.clock().getTime());
      return true;
    } catch {
      return false;
    }
  };

  return (incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    // The app checks the id that a caller chose.
    if (method !== 'GET' || headers['x-request-id'] !== undefined) return false;
    const start = performance.now();
    const page = cache.get(toKey(chooseEncoding(headers['accept-encoding']), url));
    const path = withoutQuery(url);
    if (!page?.notModified || !isAdmitted(incoming, path)) return false;
    memoryReads.publish({ memory, isHit: true });
    const request = randomUUID();
    const isSame = isCurrent(headers['if-none-match'], page.notModified.etag);
    const status = isSame ? 304 : 200;
    outgoing.writeHead(status, {
      ...(isSame ? page.notModified.headers : page.headers),
      'x-request-id': request,
    });
    outgoing.end(isSame ? '' : page.bytes, 'latin1');
    logAnswer(context, { request, method, path, status, start });
    return true;
  };
}
