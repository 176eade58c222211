import {
  type AuthInfo,
  classifyInboundRequest,
  createMcpHandler,
  type InboundModernRoute,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type McpHttpHandler,
  type McpServer,
  type MessageExtraInfo,
  PerRequestHTTPServerTransport,
  type ServerOptions,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
} from '@modelcontextprotocol/server';
import type { Context } from '../context.ts';
import { Problem } from '../core/problem.ts';
import { modernRevision } from '../core/revisions.ts';
import {
  type CachedCall,
  headersOf,
  jsonResponse,
  type McpMessage,
  type McpPost,
  toAuthInfo,
  toByteString,
  toResponse,
  toResultParts,
} from './register.ts';
import { createMcpServer, type Era } from './server.ts';
import { createSubscriptions, type Subscriptions, untilEnded } from './subscriptions.ts';

const internalError = -32603;
const invalidParams = -32602;
const classification = { era: 'modern', revision: modernRevision } as const;

function deadline<T>(work: Promise<T>, timeout_ms: number): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(new Problem('unavailable', { retry_after_s: 1 })), timeout_ms);
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}

/** Connect one server to `transport`. */
type SharedSession = ReturnType<typeof createSharedSession>;

/** The SDK's messages may contain internals. Our own errors have `data`. */
function withOwnMessages(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code !== internalError || message.error.data !== undefined)
    return message;
  const error = message.error.message.startsWith('[')
    ? { code: invalidParams, message: 'The params do not fit the method.' }
    : { code: internalError, message: new Problem('internal').message };
  return { ...message, error };
}

/** One server for each request costs more. Ids are ours, because callers' may collide. */
function createSharedSession(era: 'legacy' | 'modern', timeout_ms: number) {
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

async function answerShared(
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

function isServedLegacy({ headers, body }: Pick<McpMessage, 'headers' | 'body'>): boolean {
  const { id, method } = body as JSONRPCRequest;
  const revision = headers.get('mcp-protocol-version');
  const isServed = !revision || method === 'initialize' || SUPPORTED_PROTOCOL_VERSIONS.includes(revision);
  return method !== undefined && id !== undefined && isServed;
}

function refuseLegacy({ body }: Pick<McpMessage, 'body'>): Response {
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
function isSharable(
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

/** Of test/conformance. */
export interface Fixtures {
  readonly options: Pick<ServerOptions, 'requestState'>;
  register(server: McpServer, announce: (what: 'tools' | 'prompts') => void): void;
  needsStream(message: JSONRPCRequest): boolean;
}

interface Routes {
  readonly legacy: SharedSession;
  readonly modern: SharedSession;
  /** The SDK's own, with a server for each request. */
  readonly handler: McpHttpHandler;
  readonly subscriptions: Subscriptions;
  readonly timeout_ms: number;
  readonly needsStream: Fixtures['needsStream'] | undefined;
}

async function subscribe(post: McpPost, { message }: InboundModernRoute, routes: Routes): Promise<Response> {
  const { notifications } = (message.params ?? {}) as { notifications?: { resourceSubscriptions?: unknown } };
  const { network } = post.context.caller;
  const stream = routes.subscriptions.open(network, notifications?.resourceSubscriptions);
  try {
    return untilEnded(await stream.run(() => handle(post, routes)), stream);
  } catch (error) {
    stream.end();
    throw error;
  }
}

/** Our messages for the SDK's failures. */
async function handle({ request, body, context }: McpPost, { handler, timeout_ms }: Routes) {
  const sent = { parsedBody: body, authInfo: toAuthInfo({ context }) };
  const response = await deadline(handler.fetch(request, sent), timeout_ms);
  if (!response.headers.get('content-type')?.startsWith('application/json')) return response;
  return jsonResponse(withOwnMessages((await response.json()) as JSONRPCMessage), response.status);
}

type Route = ReturnType<typeof classifyInboundRequest>;

/** Undefined if the message may be refused before its method runs, or answered by a stream. */
function findSession(message: McpMessage, route: Route, routes: Routes): SharedSession | undefined {
  const isServed =
    route.kind === 'legacy' ? isServedLegacy(message) : route.kind === 'modern' && isSharable(route, message);
  if (!isServed || routes.needsStream?.(message.body as JSONRPCRequest)) return undefined;
  return route.kind === 'legacy' ? routes.legacy : routes.modern;
}

async function answer(post: McpPost, routes: Routes): Promise<Response> {
  const route = classifyInboundRequest({ httpMethod: 'POST', body: post.body, ...headersOf(post) });
  const session = findSession(post, route, routes);
  if (session) return post.respond(await answerShared(session, post, post));
  const isSubscription = route.kind === 'modern' && route.message.method === 'subscriptions/listen';
  if (isSubscription) return subscribe(post, route, routes);
  return route.kind === 'legacy' && !isServedLegacy(post) ? refuseLegacy(post) : handle(post, routes);
}

/** Of a listing's resources, which change with it. */
const parts = ['', '/ratings', '/tools', '/history'];
const readAtOnce = 500;

/** Passes on the handles changed since the last call; `unknown` if the position could not be read. */
function followChanges({ store: { changes } }: Pick<Context, 'store'>) {
  const readNewest = async () => (await changes.newest(1))[0]?.seq ?? 0;
  const first = readNewest().catch(() => undefined);
  let last: number | undefined;
  return async (name: (handles: readonly string[] | 'unknown') => void): Promise<void> => {
    last ??= await first;
    if (last === undefined) {
      last = await readNewest();
      return name('unknown');
    }
    for (let isMore = true; isMore; ) {
      const found = await changes.after(last, readAtOnce);
      last = Math.max(last, found.at(-1)?.seq ?? 0);
      name([...new Set(found.map(({ handle }) => handle))]);
      isMore = found.length === readAtOnce;
    }
  };
}

export async function openMcpAnswerer(context: Context, fixtures?: Fixtures) {
  const timeout_ms = context.timeouts.mcpAnswer_ms;
  const createServer = (era: Era): McpServer => {
    const server = createMcpServer(context, era, fixtures?.options);
    fixtures?.register(server, (what) =>
      what === 'tools' ? handler.notify.toolsChanged() : handler.notify.promptsChanged(),
    );
    return server;
  };
  const openSession = async (era: Era) => {
    const session = createSharedSession(era, timeout_ms);
    await createServer(era).connect(session.transport);
    return session;
  };
  const subscriptions = createSubscriptions(context.timeouts.subscription_ms, context.log);
  const handler = createMcpHandler(({ era }) => createServer(era), {
    bus: subscriptions.bus,
    onerror: (error) => context.log.debug({ reason: error.message }, 'mcp refused'),
  });
  const routes = {
    legacy: await openSession('legacy'),
    modern: await openSession('modern'),
    handler,
    subscriptions,
    timeout_ms,
    needsStream: fixtures?.needsStream,
  };
  const notify = (handles: readonly string[] | 'unknown') => {
    if (handles === 'unknown') for (const uri of subscriptions.watched()) handler.notify.resourceUpdated(uri);
    else
      for (const handle of handles)
        for (const part of parts) handler.notify.resourceUpdated(`agent://${handle}${part}`);
  };
  const warn = (err: unknown) => context.log.warn({ err }, 'subscriptions were not told of all changes');
  const nameChanged = followChanges(context);
  return {
    /**
     * Throws unavailable after the time-out, and as `Subscriptions.open` does; other failures are answers.
     */
    answer: (post: McpPost): Promise<Response> => answer(post, routes),
    /** `all`: what the stream of changes has since the last `all`. */
    listingsChanged(changed: readonly string[] | 'all'): void {
      if (changed !== 'all') notify(changed);
      else nameChanged(notify).catch(warn);
    },
    close: () => handler.close(),
  };
}
