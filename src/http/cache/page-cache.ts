import type { IncomingMessage } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import { memoryReads } from '../../observability/events.ts';
import type { HttpEnvironment } from '../environment.ts';
import type { Encoding, Finished } from '../finished.ts';
import { holdsSecret } from '../middleware/address.ts';
import { addressOf, toKnownAddress } from '../request/parameters.ts';
import { isCurrent } from '../response/answers.ts';
import type { ChooseEncoding } from '../response/encodings.ts';
import type { AnswerCache, CachedAnswer, ReadyAnswer } from './answer-cache.ts';
import { withoutQuery } from './refusal-cache.ts';

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

const toKey = (encoding: Encoding, address: string) => `page ${encoding} ${address}`;

/** What finds a page. */
export interface PageLookup {
  readonly cache: AnswerCache;
  readonly chooseEncoding: ChooseEncoding;
}

/** Stores finished pages: those that a handler gave a cache policy, with the headers they left the app with. */
export function createPageStore({ cache }: Pick<PageLookup, 'cache'>): MiddlewareHandler<HttpEnvironment> {
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

/**
 * The cached page for a GET, or the 304 in its place. The app answered the same address before, without parameters that it
 * does not declare, so it passed its checks; a secret in such a parameter is left to the app.
 */
export function findPage(
  { url = '', headers }: IncomingMessage,
  { cache, chooseEncoding }: PageLookup,
): ReadyAnswer | undefined {
  const address = toKnownAddress(url);
  const page = cache.get(toKey(chooseEncoding(headers['accept-encoding']), address));
  if (!page?.notModified || (address !== url && holdsSecret(url))) return undefined;
  const path = withoutQuery(url);
  if (!isCurrent(headers['if-none-match'], page.notModified.etag))
    return { memory, path, status: 200, headers: page.headers, bytes: page.bytes };
  return { memory, path, status: 304, headers: page.notModified.headers, bytes: '' };
}
