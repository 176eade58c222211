import {
  classifyInboundRequest,
  createMcpHandler,
  type InboundModernRoute,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type McpHttpHandler,
  type McpServer,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import type { Context } from '../context.ts';
import { headersOf, jsonResponse, type McpMessage, type McpPost, toAuthInfo } from './register.ts';
import { createMcpServer, type Era } from './server.ts';
import {
  answerShared,
  createSharedSession,
  deadline,
  isServedLegacy,
  isSharable,
  refuseLegacy,
  type SharedSession,
  withOwnMessages,
} from './shared-session.ts';
import { createSubscriptions, type Subscriptions, untilEnded } from './subscriptions.ts';

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
async function handle(
  { request, body, context }: McpPost,
  { handler, timeout_ms }: Routes,
): Promise<Response> {
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
