import { Hono } from 'hono';
import { isBrokenPin } from '../../document/criteria/approvals.ts';
import { isJudgedWhenRead, readMembers, requireJudged } from '../../tools/views/views.ts';
import { leftOutOf } from '../../views/connections.ts';
import {
  toManagedSettings,
  toMcpJson,
  toStartable,
  toViewPage,
  toViewsPage,
} from '../../views/saved-view-page.ts';
import type { Face, HttpEnvironment, Request } from '../call.ts';
import { createViewRegistryRoutes, policyFor } from '../registry-api.ts';
import { fromPlace, toPlace, viewOf } from '../request.ts';
import { answerJson, answerPage } from '../response.ts';

const constant = { cacheTags: [] } as const;
/** A policy has at most this many listings: hosts read it whole. */
const mostInPolicy = 1000;

async function showView(c: Request, face: Face): Promise<Response> {
  const view = viewOf(c, face);
  const context = c.get('context');
  const place = { after: toPlace(c.req.query('cursor')), limit: 50 };
  const { next, ...read } = await readMembers(view, place, context);
  const passed_at = isJudgedWhenRead(view) ? undefined : (await requireJudged(view, context)).passed_at;
  const path = next && `/views/${view.name}?cursor=${fromPlace(next)}`;
  const shown = { view, ...read, passed_at, leftOut: Math.max(0, read.count - mostInPolicy), next: path };
  return answerPage(c, toViewPage(face.site, shown), policyFor(view, read.members));
}

/**
 * A listing that differs from what was approved is in no policy, although a view that marks changes shows it.
 */
async function showPolicy(c: Request, face: Face, toPolicy: typeof toManagedSettings | typeof toMcpJson) {
  const view = viewOf(c, face);
  const { members, count, lapsed } = await readMembers(view, { limit: mostInPolicy }, c.get('context'));
  if (count > mostInPolicy) c.header('Dossier-Left-Out', String(count - mostInPolicy));
  const allowed = members.filter(({ answers }) => !answers.some(isBrokenPin));
  const left = view.approvals ? lapsed.length + members.length - allowed.length : 0;
  if (left > 0) c.header('Dossier-Lapsed', String(left));
  const servers = allowed.map((member) => toStartable(view, member));
  const parts = servers.flatMap(leftOutOf).length;
  if (parts > 0) c.header('Dossier-Left-Out-Parts', String(parts));
  return answerJson(c, toPolicy(servers), policyFor(view, members));
}

/** The operator's views: page, registry and policy of each (docs/registry.md). */
export function createViewRoutes(face: Face) {
  const routes = new Hono<HttpEnvironment>()
    .get('/views', (c) => answerPage(c, toViewsPage(face.site, face.site.config.views), constant))
    .get('/views/:view', (c) => showView(c, face))
    .get('/views/:view/managed-settings.json', (c) => showPolicy(c, face, toManagedSettings))
    .get('/views/:view/.mcp.json', (c) => showPolicy(c, face, toMcpJson));
  return routes.route('/', createViewRegistryRoutes(face));
}
