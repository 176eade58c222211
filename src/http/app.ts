import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { type Context, withCaller } from '../context.ts';
import { Problem } from '../core/problem.ts';
import { asNetwork } from '../core/turns.ts';
import { toWidestNetwork } from '../limits/limit.ts';
import type { Fixtures } from '../mcp/http.ts';
import { createAnswerCache } from './cache/answer-cache.ts';
import { createFastPath, createPageStore } from './cache/fast-path.ts';
import type { HttpEnvironment, Request } from './call.ts';
import { createCallerReader } from './caller.ts';
import { createLimitGuard, createRequestLimits, createRequestTurns, createTurnGuard } from './limits.ts';
import {
  accessLog,
  addressGuard,
  createHeaderGuard,
  createHostCheck,
  createHostGuard,
  dropUnknownParameters,
  getRoutedPath,
  nameRequest,
  trimNotModified,
} from './middleware.ts';
import { answerError, answerMethod } from './problems.ts';
import { createArdRoutes, registryRoutes } from './registry-api.ts';
import { chooseEncoding } from './response.ts';
import { apiRoutes } from './routes/api.ts';
import { assetRoutes, createCardRoutes } from './routes/assets.ts';
import { changeRoutes } from './routes/changes.ts';
import { createExportRoutes } from './routes/exports.ts';
import { feedbackRoutes } from './routes/feedback.ts';
import { listingRoutes } from './routes/listing.ts';
import { logRoutes } from './routes/log.ts';
import { createMcpRoute } from './routes/mcp.ts';
import { discoveryRoutes, healthRoutes, pageRoutes } from './routes/pages.ts';
import { searchRoutes } from './routes/search.ts';
import { viewRoutes } from './routes/views.ts';

export type App = ReturnType<typeof createApp>;

export function createApp(
  context: Context,
  {
    fixtures,
    answerCache_bytes = 16 * 1024 * 1024,
  }: {
    readonly fixtures?: Fixtures;
    /** 0 caches nothing. */
    readonly answerCache_bytes?: number;
  } = {},
) {
  const { config } = context;
  const cache = createAnswerCache(context, answerCache_bytes);
  const shared = {
    context,
    cache,
    isOurs: createHostCheck(config),
    callers: createCallerReader(config),
    limits: createRequestLimits(config),
  };
  const mcp = createMcpRoute(context, { cache, fixtures });
  const app = new Hono<HttpEnvironment>({ getPath: getRoutedPath });
  app.onError(answerError);
  app.notFound((c) => answerError(new Problem('not_found'), c));

  app.use(async (c, next) => {
    c.set('context', context);
    c.set('encoding', chooseEncoding(c.req.header('accept-encoding')));
    await next();
  });
  app.use(nameRequest, accessLog, trimNotModified, createPageStore(shared), createHeaderGuard(config));
  app.use(methodNotAllowed({ app, onMethodNotAllowed: (c, allow) => answerMethod(c as Request, allow) }));
  app.route('/', healthRoutes);
  app.use(addressGuard, createHostGuard(shared.isOurs), dropUnknownParameters);
  app.route('/', assetRoutes);
  app.use(async (c, next) => {
    const caller = shared.callers.callerOf(c.req.raw, c.env?.incoming?.socket.remoteAddress);
    c.set('context', withCaller(context, caller));
    await asNetwork(toWidestNetwork(caller.network), next);
  });
  const inTurn = createRequestTurns(shared.limits, config);
  app.use(createLimitGuard(shared.limits, config), createTurnGuard(inTurn));

  const cards = createCardRoutes();
  const exports = createExportRoutes(context);
  const ofSite = [apiRoutes, changeRoutes, viewRoutes, searchRoutes, pageRoutes, cards];
  const ofListings = [listingRoutes, feedbackRoutes, logRoutes, registryRoutes, createArdRoutes(inTurn)];
  // Before the address of MCP, below which a card stands.
  app.route('/', discoveryRoutes).route('/api/mcp', mcp);
  for (const routes of [...ofSite, ...ofListings, exports]) app.route('/', routes);
  const close = async () => {
    cache.close();
    await Promise.all([cards.close(), mcp.close(), exports.close()]);
  };
  const toListener = () => {
    const answer = getRequestListener(app.fetch);
    return createFastPath(shared, (incoming, outgoing) => void answer(incoming, outgoing));
  };
  return Object.assign(app, { toListener, close });
}
