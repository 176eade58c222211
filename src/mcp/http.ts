import {
  classifyInboundRequest,
  createMcpHandler,
  type InboundModernRoute,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type McpHttpHandler,
  type McpServer,
  type ServerOptions,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import type { Caller, Context } from '../context.ts';
import { toAuthInfo } from './register.ts';
import { toJsonText } from './result.ts';
import { createMcpServer, type Era } from './server.ts';
import {
  createSharedSession,
  deadline,
  modernRevision,
  type SharedSession,
  withOwnMessages,
} from './shared-session.ts';
import { createSubscriptions, type Subscriptions, untilEnded } from './subscriptions.ts';

/** One POST with its parsed body, never a batch. */
export interface McpPost {
  readonly request: Request;
  readonly body: unknown;
  readonly caller: Caller;
  /** Gets the JSON text of the answer, if that is a result without isError. */
  readonly onResult?: ((text: string) => void) | undefined;
  /** Makes the response of an answer that is not a stream. */
  readonly respond: (text: string) => Response;
}

/** Answers MCP over HTTP in both eras. */
export interface McpAnswerer {
  /** Throws unavailable after the time-out; every other failure is an answer. */
  answer(post: McpPost): Promise<Response>;
  /** Tells open subscriptions which listings changed. */
  listingsChanged(handles: readonly string[] | 'all'): void;
  /** Ends open subscriptions. */
  close(): Promise<void>;
}

/** Tools, resources and prompts for the conformance suite (test/conformance), added to every server. */
export interface Fixtures {
  readonly options: Pick<ServerOptions, 'requestState'>;
  register(server: McpServer, announce: (what: 'tools' | 'prompts') => void): void;
  /** Whether the answer to a request is a stream. */
  needsStream(message: JSONRPCRequest): boolean;
}

interface Routes {
  readonly legacy: SharedSession;
  readonly modern: SharedSession;
  /** The SDK's own handler, an instance per request: refusals, subscriptions, whatever is unusual. */
  readonly handler: McpHttpHandler;
  readonly subscriptions: Subscriptions;
  readonly timeout_ms: number;
}

const urisOf = (handle: string) => [`agent://${handle}`, `agent://${handle}/ratings`];

/** A subscription, counted in for as long as its stream is open. */
async function subscribe(post: McpPost, { message }: InboundModernRoute, routes: Routes): Promise<Response> {
  const { notifications } = (message.params ?? {}) as { notifications?: { resourceSubscriptions?: unknown } };
  const { network } = post.caller;
  const stream = routes.subscriptions.open(network, notifications?.resourceSubscriptions);
  try {
    return untilEnded(await handle(post, routes), stream.end);
  } catch (error) {
    stream.end();
    throw error;
  }
}

/** The SDK's own answer, its failures in our words; a stream is passed on as it is. */
async function handle(
  { request, body, caller }: McpPost,
  { handler, timeout_ms }: Routes,
): Promise<Response> {
  const sent = { parsedBody: body, authInfo: toAuthInfo(caller) };
  const response = await deadline(handler.fetch(request, sent), timeout_ms);
  if (!response.headers.get('content-type')?.startsWith('application/json')) return response;
  const message = (await response.json()) as JSONRPCMessage;
  return toJson(withOwnMessages(message), response.status);
}

const headersOf = ({ headers }: Request) => ({
  protocolVersionHeader: headers.get('mcp-protocol-version') ?? undefined,
  mcpMethodHeader: headers.get('mcp-method') ?? undefined,
  mcpNameHeader: headers.get('mcp-name') ?? undefined,
});

const toJson = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'Content-Type': 'application/json' } });

const isGood = (message: object): boolean =>
  'result' in message && (message.result as { isError?: boolean }).isError !== true;

/** The answer of a session, sent as JSON. */
function toSharedAnswer(message: object, { onResult, respond }: McpPost): Response {
  const text = toJsonText(message);
  if (isGood(message)) onResult?.(text);
  return respond(text);
}

/** The modern methods that a session serves, each with the parameter that Mcp-Name repeats. */
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

/** Whether a modern message is a request that nothing can be said against before its method runs. */
function isPlain({ messageKind, message, classification }: InboundModernRoute, request: Request): boolean {
  const { protocolVersionHeader, mcpMethodHeader, mcpNameHeader } = headersOf(request);
  // The classifier has held these two against the body, but lets them be absent.
  if (!protocolVersionHeader || !mcpMethodHeader || messageKind !== 'request') return false;
  if (classification.revision !== modernRevision || !sharedMethods.has(message.method)) return false;
  const source = sharedMethods.get(message.method);
  return !source || (mcpNameHeader !== undefined && message.params?.[source] === mcpNameHeader);
}

const servedLegacy = SUPPORTED_PROTOCOL_VERSIONS.join(', ');

async function answerLegacy(post: McpPost, session: SharedSession): Promise<Response> {
  const { request, body, caller } = post;
  const message = body as JSONRPCRequest;
  // Without sessions there is no receiver for a notification or a response.
  if (message.method === undefined || message.id === undefined) return new Response(null, { status: 202 });
  const revision = request.headers.get('mcp-protocol-version');
  if (revision && message.method !== 'initialize' && !SUPPORTED_PROTOCOL_VERSIONS.includes(revision)) {
    const error = { code: -32000, message: `Unsupported protocol version; served are ${servedLegacy}` };
    return toJson({ jsonrpc: '2.0', id: message.id, error }, 400);
  }
  return toSharedAnswer(await session.request(message, toAuthInfo(caller)), post);
}

async function answer(post: McpPost, routes: Routes, fixtures: Fixtures | undefined): Promise<Response> {
  const { request, body, caller } = post;
  const route = classifyInboundRequest({ httpMethod: 'POST', body, ...headersOf(request) });
  const streams = fixtures?.needsStream(body as JSONRPCRequest) === true;
  if (route.kind === 'legacy' && !streams) return answerLegacy(post, routes.legacy);
  if (route.kind === 'modern' && !streams && isPlain(route, request))
    return toSharedAnswer(
      await routes.modern.request(route.message as JSONRPCRequest, toAuthInfo(caller)),
      post,
    );
  const isSubscription = route.kind === 'modern' && route.message.method === 'subscriptions/listen';
  return isSubscription ? subscribe(post, route, routes) : handle(post, routes);
}

/** Opens the two lanes and the handler behind them. */
export async function openMcpAnswerer(context: Context, fixtures?: Fixtures): Promise<McpAnswerer> {
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
  const handler = createMcpHandler(({ era }) => createServer(era), {
    onerror: (error) => context.log.debug({ reason: error.message }, 'mcp refused'),
  });
  const routes = {
    legacy: await openSession('legacy'),
    modern: await openSession('modern'),
    handler,
    subscriptions: createSubscriptions(),
    timeout_ms,
  };
  return {
    answer: (post) => answer(post, routes, fixtures),
    listingsChanged: (handles) => {
      for (const uri of handles === 'all' ? routes.subscriptions.watched() : handles.flatMap(urisOf))
        handler.notify.resourceUpdated(uri);
    },
    close: () => handler.close(),
  };
}
