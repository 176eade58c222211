import { randomUUID } from 'node:crypto';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { MiddlewareHandler } from 'hono';
import type { Context } from '../context.ts';
import { memoryReads } from '../measured.ts';
import { type Finished, isHeld } from './answers.ts';
import { networkOf } from './caller.ts';
import { toEncoding } from './encodings.ts';
import type { HttpEnvironment } from './environment.ts';
import { createHostCheck, logAnswer } from './guards.ts';
import { createKeptBytes } from './kept-bytes.ts';
import { limitOf, type RequestLimits } from './limits.ts';

type Environment = HttpEnvironment['Bindings'];
type Fetch = (request: Request, environment?: Environment) => Response | Promise<Response>;
type Named = Readonly<Record<string, string>>;

const budget_bytes = 32 * 1024 * 1024;
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

/** Sends it: its bytes to Node in one piece with the headers, for which nothing is encoded again. */
function send(bytes: string, headers: Named, outgoing: Environment['outgoing']): Response {
  if (!outgoing) return new Response(Buffer.from(bytes, 'latin1'), { headers });
  outgoing.writeHead(200, headers);
  outgoing.end(bytes, 'latin1');
  return RESPONSE_ALREADY_SENT;
}

/** An address from its path on, as it is written. */
const addressOf = (url: string) => url.slice(url.indexOf('/', url.indexOf('://') + 3));

const withoutQuery = (address: string) => {
  const end = address.indexOf('?');
  return end === -1 ? address : address.slice(0, end);
};

const toKey = ({ headers }: Request, address: string) =>
  `${toEncoding(headers.get('accept-encoding'))} ${address}`;

/** Answers that are kept as they were sent. */
export interface KeptAnswers {
  /** Keeps what is answered behind it and says of itself that it lasts. */
  readonly keep: MiddlewareHandler<HttpEnvironment>;
  /** The app with the kept answers in front of it. */
  before(fetch: Fetch): Fetch;
  close(): void;
}

/**
 * Finished answers by coding and address, at most 32 MiB, until a write touches what they are about. What is answered
 * from here was answered behind it before, so its address has passed every check; Host and limit are those of the
 * request, and a request that fails one of them is judged behind it.
 */
export function createKeptAnswers(context: Context, limits: RequestLimits): KeptAnswers {
  const kept = createKeptBytes<KeptAnswer>(context.store, budget_bytes);
  const isOurs = createHostCheck(context.config);

  const isAdmitted = ({ headers }: Request, path: string, environment?: Environment): boolean => {
    if (!isOurs(headers.get('host') ?? '')) return false;
    const network = networkOf(headers, context.config, environment?.incoming?.socket.remoteAddress);
    try {
      limitOf(limits, 'GET', path).take(network, context.clock().getTime());
      return true;
    } catch {
      return false;
    }
  };

  const answer = (request: Request, environment?: Environment): Response | undefined => {
    const { headers, url } = request;
    // An id that the caller chose is judged behind it.
    if (request.method !== 'GET' || headers.has('x-request-id')) return undefined;
    const start = performance.now();
    const address = addressOf(url);
    const found = kept.get(toKey(request, address));
    const path = withoutQuery(address);
    if (!found || !isAdmitted(request, path, environment)) return undefined;
    memoryReads.say({ memory: 'pages', isHit: true });
    const id = randomUUID();
    const held = isHeld(headers.get('if-none-match'), found.etag);
    const status = held ? 304 : 200;
    logAnswer(context, { request: id, method: 'GET', path, status, start });
    if (held) return new Response(null, { status, headers: { ...found.heldHeaders, 'x-request-id': id } });
    return send(found.bytes, { ...found.headers, 'x-request-id': id }, environment?.outgoing);
  };

  return {
    async keep(c, next) {
      const keepFinished = kept.reading();
      await next();
      const finished = c.get('finished');
      const { raw, method } = c.req;
      const address = addressOf(raw.url);
      const isSent = c.res.status === 200 || c.res.status === 304;
      if (!finished?.lasting || !isSent || method !== 'GET' || address.length > longestAddress) return;
      // An address with escapes would count against other limits than the path it stands for.
      if (withoutQuery(address) !== c.req.path) return;
      memoryReads.say({ memory: 'pages', isHit: false });
      const { about } = finished.lasting;
      const bytes = finished.body.byteLength;
      keepFinished(toKept(finished, c.res.headers), { key: toKey(raw, address), about, bytes });
    },
    before: (fetch) => (request, environment) => answer(request, environment) ?? fetch(request, environment),
    close: kept.close,
  };
}
