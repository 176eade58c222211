import { Hono } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { requestId } from 'hono/request-id';
import { type Context, withCaller } from '../context.ts';
import { Problem } from '../problem.ts';
import { createAssets } from '../views/assets.ts';
import { createApiRoutes } from './api.ts';
import { createAssetRoutes } from './assets.ts';
import { createBadgeRoutes } from './badge.ts';
import { toCaller } from './caller.ts';
import { createCardRoutes } from './cards.ts';
import { createClaimRoutes } from './claim.ts';
import { createCompareRoutes } from './compare.ts';
import { createDiscoveryRoutes, createHealthRoutes } from './discovery.ts';
import type { Face, HttpEnvironment, Request } from './environment.ts';
import { createFeedbackRoutes } from './feedback.ts';
import { addressGuard, createAccessLog, createHeaderGuard, createHostGuard } from './guards.ts';
import { createKeptAnswers, type KeptAnswers } from './kept-answers.ts';
import { createLimitGuard, createRequestLimits } from './limits.ts';
import { createListingRoutes } from './listing.ts';
import { createLogRoutes } from './log.ts';
import { createMcpRoute } from './mcp.ts';
import { createMcpGate } from './mcp-gate.ts';
import { createPageRoutes } from './pages.ts';
import { answerMethod, answerProblem, createErrorHandler } from './problems.ts';
import { createSearchRoutes } from './search.ts';

const remoteAddress = (c: Request) => c.env?.incoming?.socket.remoteAddress;

/** The whole service as a fetch handler. */
export interface App extends Hono<HttpEnvironment> {
  /** Answers a request of Node's server from memory; false, and nothing was done, where that cannot be. */
  answerKept: KeptAnswers['answer'];
  /** Ends what stays open between requests. */
  close(): Promise<void>;
}

/** The whole HTTP face: what every request passes, in this order, and what is mounted behind it. */
export function createApp(context: Context): App {
  const { config } = context;
  const face: Face = { context, site: { config, assets: createAssets() } };
  const mcp = createMcpRoute(context);
  const limits = createRequestLimits(config);
  const kept = createKeptAnswers(context, limits);
  const app = new Hono<HttpEnvironment>();
  app.onError(createErrorHandler(face));
  app.notFound((c) => answerProblem(c, new Problem('not_found'), face));

  app.use(requestId({ limitLength: 40 }), createAccessLog(face), kept.keep, createHeaderGuard(config));
  app.use(
    methodNotAllowed({ app, onMethodNotAllowed: (c, allow) => answerMethod(c as Request, allow, face) }),
  );
  app.route('/', createHealthRoutes(face));
  app.use(addressGuard, createHostGuard(config));
  app.route('/', createAssetRoutes(face));
  app.use(async (c, next) => {
    c.set('context', withCaller(context, toCaller(c.req.raw, config, remoteAddress(c))));
    await next();
  });
  app.use(createLimitGuard(limits));

  app.route('/api/mcp', mcp);
  app.route('/', createApiRoutes(face));
  app.route('/', createPageRoutes(face));
  app.route('/', createSearchRoutes(face));
  app.route('/', createCompareRoutes(face));
  const cards = createCardRoutes(face);
  app.route('/', cards);
  app.route('/', createListingRoutes(face));
  app.route('/', createClaimRoutes(face));
  app.route('/', createBadgeRoutes());
  app.route('/', createFeedbackRoutes(face));
  app.route('/', createDiscoveryRoutes(face));
  app.route('/', createLogRoutes());
  const gate = createMcpGate({ context, fetch: app.fetch, limit: limits.mcp });
  const close = async () => {
    gate.close();
    kept.close();
    await Promise.all([cards.close(), mcp.close()]);
  };
  return Object.assign(app, { fetch: gate.fetch, answerKept: kept.answer, close });
}
