import { Hono } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { requestId } from 'hono/request-id';
import { type Context, withCaller } from '../context.ts';
import type { Fixtures } from '../mcp/http.ts';
import { Problem } from '../problem.ts';
import { createAssets } from '../views/layout/assets.ts';
import { createMcpGate } from './cache/mcp-cache.ts';
import { createKeptAnswers, type KeptAnswers } from './cache/page-cache.ts';
import type { Face, HttpEnvironment, Request } from './environment.ts';
import { createAccessLog } from './middleware/access-log.ts';
import { addressGuard } from './middleware/address.ts';
import { toCaller } from './middleware/caller.ts';
import { createHostGuard } from './middleware/host.ts';
import { createLimitGuard, createRequestLimits } from './middleware/limits.ts';
import { createHeaderGuard } from './middleware/security-headers.ts';
import { answerMethod, answerProblem, createErrorHandler } from './response/problems.ts';
import { createApiRoutes } from './routes/api.ts';
import { createAssetRoutes } from './routes/assets.ts';
import { createBadgeRoutes } from './routes/badge.ts';
import { createClaimRoutes } from './routes/claim.ts';
import { createCompareRoutes } from './routes/compare.ts';
import { createDiscoveryRoutes, createHealthRoutes } from './routes/discovery.ts';
import { createFeedbackRoutes } from './routes/feedback.ts';
import { createCardRoutes } from './routes/link-cards.ts';
import { createListingRoutes } from './routes/listing.ts';
import { createMcpRoute } from './routes/mcp.ts';
import { createPageRoutes } from './routes/pages.ts';
import { createSearchRoutes } from './routes/search.ts';
import { createLogRoutes } from './routes/transparency-log.ts';

const remoteAddress = (c: Request) => c.env?.incoming?.socket.remoteAddress;

/** The whole service as a fetch handler. */
export interface App extends Hono<HttpEnvironment> {
  /** Answers a request of Node's server from memory; false, and nothing was done, where that cannot be. */
  answerKept: KeptAnswers['answer'];
  /** Ends what stays open between requests. */
  close(): Promise<void>;
}

/** The whole HTTP face: what every request passes, in this order, and what is mounted behind it. */
export function createApp(context: Context, fixtures?: Fixtures): App {
  const { config } = context;
  const face: Face = { context, site: { config, assets: createAssets() } };
  const mcp = createMcpRoute(context, fixtures);
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
