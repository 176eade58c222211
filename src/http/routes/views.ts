import { Hono } from 'hono';
import { keyOf, type SavedView } from '../../config/files.ts';
import { changesOf, type Member, readMembers, requireJudged } from '../../tools/views.ts';
import { leftOutOf } from '../../views/connections.ts';
import { toFeed } from '../../views/feed.ts';
import { toManagedSettings, toMcpJson, toViewPage, toViewsPage } from '../../views/saved-view-page.ts';
import type { Face, HttpEnvironment, Request } from '../call.ts';
import { openToAll } from '../registry-api.ts';
import { listEntries, showEntry, showVersions } from '../registry-entries.ts';
import { fromPlace, toPlace, viewOf } from '../request.ts';
import { answerJson, answerPage, answerWithETag } from '../response.ts';

const constant = { cacheTags: [] } as const;
const pageSize = 50;
/** A policy has at most this many listings: hosts read it whole. */
const mostInPolicy = 1000;
const newestChanges = 500;

/** Stale once a listing joins or leaves the view, or one of those shown changes. */
const policyFor = (view: SavedView, members: readonly Member[]) => ({
  cacheTags: [keyOf(view), ...members.map(({ listing }) => listing.handle)],
});

async function showView(c: Request, face: Face): Promise<Response> {
  const view = viewOf(c, face);
  const context = c.get('context');
  const page = { after: toPlace(c.req.query('cursor')), limit: pageSize };
  const { members, next } = await readMembers(view, page, context);
  const count = await context.store.views.count(keyOf(view));
  const { passed_at } = await requireJudged(view, context);
  const path = next && `/views/${view.name}?cursor=${fromPlace(next)}`;
  const shown = { view, members, count, passed_at, leftOut: Math.max(0, count - mostInPolicy), next: path };
  return answerPage(c, toViewPage(face.site, shown), policyFor(view, members));
}

async function showPolicy(c: Request, face: Face, toPolicy: typeof toManagedSettings | typeof toMcpJson) {
  const view = viewOf(c, face);
  const context = c.get('context');
  const { members } = await readMembers(view, { limit: mostInPolicy }, context);
  const count = await context.store.views.count(keyOf(view));
  if (count > mostInPolicy) c.header('Dossier-Left-Out', String(count - mostInPolicy));
  const parts = members.flatMap(({ listing }) => leftOutOf(listing)).length;
  if (parts > 0) c.header('Dossier-Left-Out-Parts', String(parts));
  return answerJson(c, toPolicy(members.map(({ listing }) => listing)), policyFor(view, members));
}

async function showFeed(c: Request, face: Face, format: 'atom' | 'json'): Promise<Response> {
  const view = viewOf(c, face);
  const context = c.get('context');
  await requireJudged(view, context);
  const moves = await context.store.views.moves(keyOf(view), pageSize);
  const others = await changesOf(view, await context.store.changes.newest(newestChanges), context);
  const changes = new Map([...moves, ...others].map((change) => [change.seq, change]));
  const newest = [...changes.values()].toSorted((a, b) => b.seq - a.seq).slice(0, pageSize);
  const subject = { title: view.title, path: `/views/${view.name}`, now: context.clock() };
  const feed = toFeed(face.site.config, subject, newest);
  // Any change may be one of a listing in the view.
  const cachePolicy = { cacheTags: 'all' } as const;
  return format === 'atom'
    ? answerWithETag(c, { type: 'application/atom+xml; charset=utf-8', body: feed.atom1(), cachePolicy })
    : answerWithETag(c, { type: 'application/feed+json; charset=utf-8', body: feed.json1(), cachePolicy });
}

/** The operator's views: page, registry, policy and feed of each (docs/registry.md). */
export function createViewRoutes(face: Face) {
  const routes = new Hono<HttpEnvironment>()
    .get('/views', (c) => answerPage(c, toViewsPage(face.site, face.site.config.views), constant))
    .get('/views/:view', (c) => showView(c, face))
    .get('/views/:view/managed-settings.json', (c) => showPolicy(c, face, toManagedSettings))
    .get('/views/:view/.mcp.json', (c) => showPolicy(c, face, toMcpJson))
    .get('/views/:view/feed.atom', (c) => showFeed(c, face, 'atom'))
    .get('/views/:view/feed.json', (c) => showFeed(c, face, 'json'));
  for (const base of ['/views/:view/v0.1', '/views/:view/v0']) {
    routes.use(`${base}/*`, openToAll);
    routes
      .get(`${base}/servers`, (c) => listEntries(c, face))
      .get(`${base}/servers/:name/versions`, (c) => showVersions(c, face))
      .get(`${base}/servers/:name/versions/:version`, (c) => showEntry(c, face))
      .get(`${base}/servers/:name`, (c) => showEntry(c, face));
  }
  return routes;
}
