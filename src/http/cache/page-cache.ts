import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import type { Context } from '../../context.ts';
import { memoryReads } from '../../observability/events.ts';
import type { HttpEnvironment } from '../environment.ts';
import type { Finished } from '../finished.ts';
import { logAnswer } from '../middleware/access-log.ts';
import { networkOf } from '../middleware/caller.ts';
import { createHostCheck } from '../middleware/host.ts';
import { limitOf, type RequestLimits } from '../middleware/limits.ts';
import { isHeld } from '../response/answers.ts';
import { toEncoding } from '../response/encodings.ts';
import { createKeptBytes } from './answer-cache.ts';

type Named = Readonly<Record<string, string>>;

const budget_bytes = 8 * 1024 * 1024;
const longestAddress = 500;

/** A finished answer as it was sent, without what is of one request: its bytes a character each, its headers. */
interface KeptAnswer {
  readonly etag: string;
  readonly bytes: string;
  readonly headers: Named;
  /** Those of a 304. */
  readonly heldHeaders: Named;
}

const ofOneRequest = ['x-request-id', 'content-type', 'content-length', 'content-encoding'];

function toKept({ etag, body, headers }: Finished, sent: Headers): KeptAnswer {
  const heldHeaders = Object.fromEntries([...sent].filter(([name]) => !ofOneRequest.includes(name)));
  return { etag, bytes: body.toString('latin1'), headers: { ...heldHeaders, ...headers }, heldHeaders };
}

/** An address from its path on, as it is written. */
const addressOf = (url: string) => url.slice(url.indexOf('/', url.indexOf('://') + 3));

const withoutQuery = (address: string) => {
  const end = address.indexOf('?');
  return end === -1 ? address : address.slice(0, end);
};

const toKey = (accepted: string | null | undefined, address: string) => `${toEncoding(accepted)} ${address}`;

const isHostName = (text: string, at: number) =>
  at % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host';

/** What `find` finds; nothing where it throws. */
function orNothing<T>(find: () => T | undefined): T | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}

/** Answers that are kept as they were sent. */
export interface KeptAnswers {
  /** Keeps what is answered behind it and says of itself that it lasts. */
  readonly keep: MiddlewareHandler<HttpEnvironment>;
  /** Answers a request from memory; false, and nothing was done, where that cannot be. */
  answer(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
  close(): void;
}

/**
 * Finished answers by coding and address, at most 8 MiB, until a write touches what they are about. What is answered
 * from here was answered by the app before, so its address has passed every check; Host and limit are those of the
 * request, and a request that fails one of them is judged by the app. It stands at Node's own server: making a Request
 * and a Response would cost as much as all of this.
 */
export function createKeptAnswers(context: Context, limits: RequestLimits): KeptAnswers {
  const kept = createKeptBytes<KeptAnswer>(context.store, budget_bytes);
  const isOurs = createHostCheck(context.config);

  /** The kept answer to a request that has passed every check. Throws where it has not. */
  const find = ({ headers, rawHeaders, socket }: IncomingMessage, url: string): KeptAnswer | undefined => {
    const found = kept.get(toKey(headers['accept-encoding'], url));
    // Of several Hosts Node shows the first one.
    if (!found || !isOurs(headers.host ?? '') || rawHeaders.filter(isHostName).length !== 1) return undefined;
    const named = { get: (name: string) => headers[name]?.toString() ?? null };
    const network = networkOf(named, context.config, socket.remoteAddress);
    limitOf(limits, 'GET', withoutQuery(url)).take(network, context.clock().getTime());
    memoryReads.publish({ memory: 'pages', isHit: true });
    return found;
  };

  return {
    async keep(c, next) {
      if (c.req.method !== 'GET') return next();
      const keepFinished = kept.reading();
      await next();
      const finished = c.get('finished');
      const { raw } = c.req;
      const address = addressOf(raw.url);
      const isSent = c.res.status === 200 || c.res.status === 304;
      if (!finished?.cachePolicy || !isSent || address.length > longestAddress) return;
      // An address with escapes would count against other limits than the path it stands for.
      if (withoutQuery(address) !== c.req.path) return;
      memoryReads.publish({ memory: 'pages', isHit: false });
      const bytes = finished.body.byteLength;
      const key = toKey(raw.headers.get('accept-encoding'), address);
      keepFinished(toKept(finished, c.res.headers), { ...finished.cachePolicy, key, bytes });
    },
    answer(incoming, outgoing) {
      const { method, url = '', headers } = incoming;
      // An id that the caller chose is judged by the app.
      if (method !== 'GET' || headers['x-request-id'] !== undefined) return false;
      const start = performance.now();
      const found = orNothing(() => find(incoming, url));
      if (!found) return false;
      const request = randomUUID();
      const isSame = isHeld(headers['if-none-match'], found.etag);
      const status = isSame ? 304 : 200;
      const named = isSame ? found.heldHeaders : found.headers;
      outgoing.writeHead(status, { ...named, 'x-request-id': request });
      // In one piece with the headers, a character a byte: nothing is encoded again.
      outgoing.end(isSame ? '' : found.bytes, 'latin1');
      logAnswer(context, { request, method, path: withoutQuery(url), status, start });
      return true;
    },
    close: kept.close,
  };
}
