import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { getPath } from 'hono/utils/url';
import { type Context, withCaller } from '../context.ts';
import { Problem } from '../core/problem.ts';
import { asNetwork } from '../core/turns.ts';
import { toWidestNetwork } from '../limits/networks.ts';
import type { Fixtures } from '../mcp/http.ts';
import { createAssets } from '../views/layout.ts';
import { createAnswerCache } from './cache/answer-cache.ts';
import { createFastPath, createPageStore } from './cache/fast-path.ts';
import { createRefuser } from './cache/refusals.ts';
import type { HttpAdapter, HttpEnvironment, Request } from './call.ts';
import { createCallerReader } from './caller.ts';
import { createLimitGuard, createRequestLimits, createRequestTurns, createTurnGuard } from './limits.ts';
import {
  addressGuard,
  createAccessLog,
  createHeaderGuard,
  createHostCheck,
  createHostGuard,
  nameRequest,
  trimNotModified,
} from './middleware.ts';
import { dropUnknownParameters, toRoutedPath } from './parameters.ts';
import { answerMethod, answerProblem, createErrorHandler } from './problems.ts';
import { createRegistryApiRoutes } from './registry-api.ts';
import { createEncodingChoice } from './response.ts';
import { createApiRoutes } from './routes/api.ts';
import { createArdRoutes } from './routes/ard.ts';
import { createAssetRoutes, createCardRoutes } from './routes/assets.ts';
import { createChangeRoutes } from './routes/changes.ts';
import { createExportRoutes } from './routes/exports.ts';
import { createFeedbackRoutes } from './routes/feedback.ts';
import { createListingRoutes } from './routes/listing.ts';
import { createLogRoutes } from './routes/log.ts';
import { createMcpRoute } from './routes/mcp.ts';
import {
  createDiscoveryRoutes,
  createHealthRoutes,
  createPageRoutes,
  createServerCardRoutes,
} from './routes/pages.ts';
import { createPayeeRoutes } from './routes/payees.ts';
import { createSearchRoutes } from './routes/search.ts';
import { createViewRoutes } from './routes/views.ts';

const answerCache_bytes = 16 * 1024 * 1024;

export type App = ReturnType<typeof createApp>;

export function createApp(
  context: Context,
  options: {
    readonly fixtures?: Fixtures;
    /** 0 caches nothing. */
    readonly answerCache_bytes?: number;
  } = {},
) {
  const { config } = context;
  const adapter: HttpAdapter = { context, site: { config, assets: createAssets() } };
  const cache = createAnswerCache(context, options.answerCache_bytes ?? answerCache_bytes);
  const shared = {
    context,
    cache,
    chooseEncoding: createEncodingChoice(),
    isOurs: createHostCheck(config),
    callers: createCallerReader(config),
    limits: createRequestLimits(config),
  };
  const mcp = createMcpRoute(context, { cache, fixtures: options.fixtures });
  const app = new Hono<HttpEnvironment>({ getPath: (request) => toRoutedPath(getPath(request)) });
  app.onError(createErrorHandler(adapter));
  app.notFound((c) => answerProblem(c, new Problem('not_found'), adapter));

  app.use(nameRequest, createAccessLog(adapter), async (c, next) => {
    c.set('encoding', shared.chooseEncoding(c.req.header('accept-encoding')));
    await next();
  });
  app.use(trimNotModified, createPageStore(shared), createHeaderGuard(config));
  app.use(
    methodNotAllowed({ app, onMethodNotAllowed: (c, allow) => answerMethod(c as Request, allow, adapter) }),
  );
  app.route('/', createHealthRoutes(adapter));
  app.use(addressGuard, createHostGuard(shared.isOurs), dropUnknownParameters);
  app.route('/', createAssetRoutes(adapter));
  app.use(async (c, next) => {
    const caller = shared.callers.callerOf(c.req.raw, c.env?.incoming?.socket.remoteAddress);
    c.set('context', withCaller(context, caller));
    await asNetwork(toWidestNetwork(caller.network), next);
  });
  const inTurn = createRequestTurns(shared.limits, config);
  app.use(createLimitGuard(shared.limits, config), createTurnGuard(inTurn));

  app.route('/', createServerCardRoutes(adapter));
  app.route('/api/mcp', mcp);
  app.route('/', createApiRoutes(adapter));
  app.route('/', createChangeRoutes(adapter));
  app.route('/', createViewRoutes(adapter));
  app.route('/', createSearchRoutes(adapter));
  app.route('/', createPageRoutes(adapter));
  app.route('/', createPayeeRoutes(adapter));
  const cards = createCardRoutes(adapter);
  app.route('/', cards);
  app.route('/', createListingRoutes(adapter));
  app.route('/', createFeedbackRoutes(adapter));
  app.route('/', createDiscoveryRoutes(adapter));
  app.route('/', createLogRoutes(adapter));
  app.route('/', createRegistryApiRoutes());
  app.route('/', createArdRoutes(inTurn));
  const exports = createExportRoutes(adapter);
  app.route('/', exports);
  const close = async () => {
    cache.close();
    await Promise.all([cards.close(), mcp.close(), exports.close()]);
  };
  const toListener = () => {
    const answer = getRequestListener(app.fetch);
    return createFastPath(
      { ...shared, refuse: createRefuser(adapter, shared.isOurs) },
      (incoming, outgoing) => void answer(incoming, outgoing),
    );
  };
  return Object.assign(app, { toListener, close });
}
