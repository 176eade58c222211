import { Hono } from 'hono';
import type { SavedView } from '../../evidence/comparison/saved-view.ts';
import { findMember, type Member, readMembers, type ViewPlace } from '../../tools/support/view-members.ts';
import { toManagedSettings, toMcpJson } from '../../views/saved-views/policy.ts';
import { toViewPage, toViewsPage } from '../../views/saved-views/view-page.ts';
import { toFeed } from '../../views/text/feed.ts';
import type { Face, HttpEnvironment, Request } from '../environment.ts';
import { openToAll } from '../registry-api/open-to-all.ts';
import { listEntries, showEntry, showVersions } from '../registry-api/view-entries.ts';
import { fromPlace, toPlace, viewOf } from '../request/saved-view.ts';
import { answerJson, answerPage, answerWithETag } from '../response/answers.ts';

const cachePolicy = { cacheTags: 'all' } as const;
const pageSize = 50;
const largestPage = 100;
/** A policy has at most this many listings: hosts read it whole. */
const mostInPolicy = 1000;
const newestChanges = 500;

async function readAll(c: Request, view: SavedView): Promise<Member[]> {
  const members: Member[] = [];
  for (let after: ViewPlace | undefined; ; ) {
    const page = await readMembers(view, { after, limit: largestPage }, c.get('context'));
    members.push(...page.members);
    if (!page.next || members.length >= mostInPolicy) return members.slice(0, mostInPolicy);
    after = page.next;
  }
}

async function showView(c: Request, face: Face): Promise<Response> {
  const view = viewOf(c, face);
  const after = toPlace(c.req.query('cursor'));
  const { members, next } = await readMembers(view, { after, limit: pageSize }, c.get('context'));
  const cursor = fromPlace(next);
  const path = cursor && `/views/${view.name}?cursor=${cursor}`;
  return answerPage(c, toViewPage(face.site, { view, members, next: path }), cachePolicy);
}

async function showFeed(c: Request, face: Face, format: 'atom' | 'json'): Promise<Response> {
  const view = viewOf(c, face);
  const context = c.get('context');
  const changes = await context.store.changes.newest(newestChanges);
  const handles = [...new Set(changes.map(({ handle }) => handle))];
  const found = await Promise.all(handles.map((handle) => findMember(view, handle, context)));
  const members = new Set(found.map((member) => member?.listing.handle));
  const subject = { title: view.title, path: `/views/${view.name}`, now: context.clock() };
  const feed = toFeed(
    face.site.config,
    subject,
    changes.filter(({ handle }) => members.has(handle)).slice(0, pageSize),
  );
  return format === 'atom'
    ? answerWithETag(c, { type: 'application/atom+xml; charset=utf-8', body: feed.atom1(), cachePolicy })
    : answerWithETag(c, { type: 'application/feed+json; charset=utf-8', body: feed.json1(), cachePolicy });
}

const listingsOf = async (c: Request, face: Face) =>
  (await readAll(c, viewOf(c, face))).map(({ listing }) => listing);

/** The operator's views: page, registry, policy and feed of each (docs/views.md). */
export function createViewRoutes(face: Face) {
  const routes = new Hono<HttpEnvironment>()
    .get('/views', (c) => answerPage(c, toViewsPage(face.site, face.site.config.views), cachePolicy))
    .get('/views/:view', (c) => showView(c, face))
    .get('/views/:view/managed-settings.json', async (c) =>
      answerJson(c, toManagedSettings(await listingsOf(c, face)), cachePolicy),
    )
    .get('/views/:view/.mcp.json', async (c) =>
      answerJson(c, toMcpJson(await listingsOf(c, face)), cachePolicy),
    )
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
