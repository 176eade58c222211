import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from '../../context.ts';
import { memoryReads, toolCalls } from '../../observability/events.ts';
import { logAnswer } from '../middleware/access-log.ts';
import { toRequestId } from '../middleware/request-id.ts';
import { headerOf } from '../request/raw-headers.ts';
import type { ChooseEncoding } from '../response/encodings.ts';
import type { ReadyAnswer } from './answer-cache.ts';
import { findMcpAnswer, mayBeCacheable, readBody } from './mcp-cache.ts';
import { findPage } from './page-cache.ts';
import { type Counted, findRefusal, type RefusalLookup, toCounted } from './refusal-cache.ts';

/** A handler of Node's server. */
export type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** What the door shares with the app behind it: the cache, the checks and what the limits have counted. */
export interface Shared extends RefusalLookup {
  readonly context: Context;
  readonly chooseEncoding: ChooseEncoding;
}

/** Checks what depends on the request, not on its answer: Host and limit. */
function isAdmitted(incoming: IncomingMessage, { limit, network }: Counted, shared: Shared) {
  if (!shared.isOurs(headerOf(incoming.rawHeaders, 'host'))) return false;
  return limit.tryTake(network, shared.context.clock().getTime()) === undefined;
}

/** The headers that differ from request to request; refusals have an id where the app gave them one. */
function toOwnHeaders({ memory, headers, bytes }: ReadyAnswer, method: string | undefined, request: string) {
  const hasId = memory === 'pages' || headers['x-request-id'] !== undefined;
  const hasLength = memory !== 'pages' && method !== 'HEAD';
  return { ...(hasId && { 'x-request-id': request }), ...(hasLength && { 'content-length': bytes.length }) };
}

/** Sends an answer in one write with its headers; nothing is encoded. */
function send(outgoing: ServerResponse, answer: ReadyAnswer, request: string) {
  const { status, headers, bytes } = answer;
  outgoing.writeHead(status, { ...headers, ...toOwnHeaders(answer, outgoing.req.method, request) });
  outgoing.end(bytes, 'latin1');
}

/**
 * Puts a door in front of the app: it sends cached answers at Node's server, since a Request, a Response and the app's
 * middleware cost more than such an answer (docs/decisions/0016). It has no answer and no check of its own: a request that
 * fails a check of the app's, or has anything unusual, is left to the app, and what the app refused for its rate is
 * refused with the app's own bytes (docs/decisions/0042).
 */
export function createDoor(shared: Shared, app: Listener): Listener {
  const answer = (found: ReadyAnswer, start: number, outgoing: ServerResponse) => {
    const { memory, tool, path, status } = found;
    const { method = '', headers } = outgoing.req;
    memoryReads.publish({ memory, isHit: true });
    if (tool) toolCalls.publish({ tool, outcome: 'ok' });
    const request = toRequestId(headers['x-request-id']?.toString());
    send(outgoing, found, request);
    logAnswer(shared.context, { request, method, path: path.slice(0, 300), tool, status, start });
  };
  return (incoming, outgoing) => {
    const start = performance.now();
    const counted = toCounted(incoming, shared);
    const refused = findRefusal(incoming, counted, shared);
    const answerOrPass = (found: ReadyAnswer | undefined) => {
      if (found && isAdmitted(incoming, counted, shared)) answer(found, start, outgoing);
      else app(incoming, outgoing);
    };
    if (refused) answer(refused, start, outgoing);
    // The app checks an id that the caller chose.
    else if (incoming.headers['x-request-id'] !== undefined) app(incoming, outgoing);
    else if (incoming.method === 'GET') answerOrPass(findPage(incoming, shared));
    else if (!mayBeCacheable(incoming)) app(incoming, outgoing);
    else
      readBody(incoming).then(
        (body) => answerOrPass(findMcpAnswer(incoming, body, shared.cache)),
        () => app(incoming, outgoing),
      );
  };
}
