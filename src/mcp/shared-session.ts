import {
  type AuthInfo,
  type InboundModernRoute,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type MessageExtraInfo,
  PerRequestHTTPServerTransport,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
} from '@modelcontextprotocol/server';
import { Problem } from '../core/problem.ts';
import { modernRevision } from '../core/revisions.ts';
import {
  type CachedCall,
  headersOf,
  jsonResponse,
  type McpMessage,
  toAuthInfo,
  toByteString,
  toResponse,
  toResultParts,
} from './register.ts';

const internalError = -32603;
const invalidParams = -32602;
const classification = { era: 'modern', revision: modernRevision } as const;

export function deadline<T>(work: Promise<T>, timeout_ms: number): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(new Problem('unavailable', { retry_after_s: 1 })), timeout_ms);
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}

/** Connect one server to `transport`. */
export type SharedSession = ReturnType<typeof createSharedSession>;

/** The SDK's messages may contain internals. Our own errors have `data`. */
export function withOwnMessages(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code !== internalError || message.error.data !== undefined)
    return message;
  const error = message.error.message.startsWith('[')
    ? { code: invalidParams, message: 'The params do not fit the method.' }
    : { code: internalError, message: new Problem('internal').message };
  return { ...message, error };
}

/** One server for each request costs more. Ids are ours, because callers' may collide. */
export function createSharedSession(era: 'legacy' | 'modern', timeout_ms: number) {
  /** In the order of their deadlines. */
  const waiting = new Map<
    unknown,
    { id: unknown; due_ms: number; settle(answer: object): void; fail(problem: Problem): void }
  >();
  let next = 0;
  let sweeping: NodeJS.Timeout | undefined;
  // A timer for each request is slower.
  const sweep = () => {
    for (const [id, { due_ms, fail }] of waiting) {
      if (due_ms > performance.now()) break;
      waiting.delete(id);
      fail(new Problem('unavailable', { retry_after_s: 1 }));
    }
    if (waiting.size > 0) return;
    clearInterval(sweeping);
    sweeping = undefined;
  };
  const send = async (message: JSONRPCMessage): Promise<void> => {
    if ('method' in message) return;
    const request = waiting.get(message.id);
    waiting.delete(message.id);
    request?.settle({ ...withOwnMessages(message), id: request.id });
  };
  const members = { start: async () => {}, close: async () => {}, send };
  // The SDK binds a server to the modern era only over this class, which serves one request; other methods
  // let many requests share it.
  const transport: Transport =
    era === 'legacy'
      ? members
      : Object.assign(new PerRequestHTTPServerTransport({ classification }), members);
  const extra: MessageExtraInfo = era === 'legacy' ? {} : { classification };
  /** Resolves to the answer with the caller's id. Throws unavailable after `timeout_ms`. */
  const request = (sent: JSONRPCRequest, authInfo: AuthInfo): Promise<object> => {
    const id = next++;
    const { promise, resolve: settle, reject: fail } = Promise.withResolvers<object>();
    waiting.set(id, { id: sent.id, due_ms: performance.now() + timeout_ms, settle, fail });
    sweeping ??= setInterval(sweep, timeout_ms / 20).unref();
    transport.onmessage?.({ ...sent, id }, { ...extra, authInfo });
    return promise;
  };
  return { transport, request };
}

const isGood = (message: object): message is { readonly result: object } =>
  'result' in message && (message.result as { isError?: boolean }).isError !== true;

export async function answerShared(
  session: SharedSession,
  { body, context }: McpMessage,
  { cached, onResult }: CachedCall,
): Promise<string> {
  const request = body as JSONRPCRequest;
  const sent: { readonly cached: string | undefined; members?: string } = { cached };
  const message = await session.request(request, toAuthInfo({ context, sent }));
  if (!isGood(message)) return toByteString(JSON.stringify(message));
  const result = toResultParts(message.result, sent.members);
  onResult?.(result);
  return toResponse(result, request.id);
}

const servedRevisions = SUPPORTED_PROTOCOL_VERSIONS.join(', ');

export function isServedLegacy({ headers, body }: Pick<McpMessage, 'headers' | 'body'>): boolean {
  const { id, method } = body as JSONRPCRequest;
  const revision = headers.get('mcp-protocol-version');
  const isServed = !revision || method === 'initialize' || SUPPORTED_PROTOCOL_VERSIONS.includes(revision);
  return method !== undefined && id !== undefined && isServed;
}

export function refuseLegacy({ body }: Pick<McpMessage, 'body'>): Response {
  const { id, method } = body as JSONRPCRequest;
  // Without sessions nobody receives a notification or a response.
  if (method === undefined || id === undefined) return new Response(null, { status: 202 });
  const error = { code: -32000, message: `Unsupported protocol version; use one of ${servedRevisions}` };
  return jsonResponse({ jsonrpc: '2.0', id, error }, 400);
}

/** Each with the parameter that Mcp-Name repeats. */
const sharedMethods: ReadonlyMap<string, 'name' | 'uri' | undefined> = new Map([
  ['tools/list', undefined],
  ['tools/call', 'name'],
  ['resources/list', undefined],
  ['resources/templates/list', undefined],
  ['resources/read', 'uri'],
  ['prompts/list', undefined],
  ['prompts/get', 'name'],
  ['completion/complete', undefined],
  ['server/discover', undefined],
]);

/** False if it may be refused before its method runs, or needs a stream. */
export function isSharable(
  { messageKind, message, classification }: InboundModernRoute,
  sent: Pick<McpMessage, 'headers'>,
): boolean {
  const { protocolVersionHeader, mcpMethodHeader, mcpNameHeader } = headersOf(sent);
  // The classifier compares these headers, but allows them to be absent.
  if (!protocolVersionHeader || !mcpMethodHeader || messageKind !== 'request') return false;
  if (classification.revision !== modernRevision || !sharedMethods.has(message.method)) return false;
  const source = sharedMethods.get(message.method);
  return !source || (mcpNameHeader !== undefined && message.params?.[source] === mcpNameHeader);
}
