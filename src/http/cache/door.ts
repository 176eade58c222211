import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from '../../context.ts';
import { memoryReads, toolCalls } from '../../observability/events.ts';
import { logAnswer } from '../middleware/access-log.ts';
import type { CallerReader } from '../middleware/caller.ts';
import type { HostCheck } from '../middleware/host.ts';
import { limitOf, type RequestLimits } from '../middleware/limits.ts';
import { headerOf } from '../request/raw-headers.ts';
import type { ChooseEncoding } from '../response/encodings.ts';
import type { AnswerCache, ReadyAnswer } from './answer-cache.ts';
import { findMcpAnswer, mayBeCacheable, readBody } from './mcp-cache.ts';
import { findPage } from './page-cache.ts';

/** A handler of Node's server. */
export type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** What the door shares with the app behind it: the cache, the checks and what the limits have counted. */
export interface Shared {
  readonly context: Context;
  readonly cache: AnswerCache;
  readonly chooseEncoding: ChooseEncoding;
  readonly isOurs: HostCheck;
  readonly callers: CallerReader;
  readonly limits: RequestLimits;
}

/** Checks what depends on the request, not on its answer: Host and limit. */
function isAdmitted({ headers, rawHeaders, method, socket }: IncomingMessage, path: string, shared: Shared) {
  if (!shared.isOurs(headerOf(rawHeaders, 'host'))) return false;
  const network = shared.callers.networkOf(headers['x-forwarded-for']?.toString(), socket.remoteAddress);
  try {
    limitOf(shared.limits, method ?? '', path).take(network, shared.context.clock().getTime());
    return true;
  } catch {
    return false;
  }
}

/** Sends an answer in one write with its headers; nothing is encoded. */
function send(outgoing: ServerResponse, { status, headers, bytes, memory }: ReadyAnswer, request: string) {
  const own = memory === 'pages' ? { 'x-request-id': request } : { 'content-length': bytes.length };
  outgoing.writeHead(status, { ...headers, ...own });
  outgoing.end(bytes, 'latin1');
}

/**
 * Puts a door in front of the app: it sends cached answers at Node's server, since a Request, a Response and the app's
 * middleware cost more than such an answer (docs/decisions/0016). It refuses nothing: a request that fails a check or
 * has anything unusual is left to the app. The checks are the app's own functions.
 */
export function createDoor(shared: Shared, app: Listener): Listener {
  const answer = (found: ReadyAnswer, start: number, outgoing: ServerResponse) => {
    const { memory, tool, path, status } = found;
    memoryReads.publish({ memory, isHit: true });
    if (tool) toolCalls.publish({ tool, outcome: 'ok' });
    const request = randomUUID();
    send(outgoing, found, request);
    logAnswer(shared.context, { request, method: outgoing.req.method ?? '', path, tool, status, start });
  };
  return (incoming, outgoing) => {
    const start = performance.now();
    const answerOrPass = (found: ReadyAnswer | undefined) => {
      if (found && isAdmitted(incoming, found.path, shared)) answer(found, start, outgoing);
      else app(incoming, outgoing);
    };
    // The app checks an id that the caller chose.
    if (incoming.headers['x-request-id'] !== undefined) app(incoming, outgoing);
    else if (incoming.method === 'GET') answerOrPass(findPage(incoming, shared));
    else if (!mayBeCacheable(incoming)) app(incoming, outgoing);
    else
      readBody(incoming).then(
        (body) => answerOrPass(findMcpAnswer(incoming, body, shared.cache)),
        () => app(incoming, outgoing),
      );
  };
}
