import { type Handler, Hono, type MiddlewareHandler } from 'hono';
import { keyOf, type SavedView } from '../config/files.ts';
import { isBrokenPin } from '../document/criteria/approvals.ts';
import { toViewEntries, type ViewMember } from '../document/registry/entries.ts';
import { readLimit, readServers, readVersionEntries, readVersionEntry } from '../document/registry/list.ts';
import { findMember, readMembers } from '../tools/views/views.ts';
import type { Face, HttpEnvironment, Request } from './call.ts';
import { fromPlace, toPlace, viewOf } from './request.ts';
import { answerJson } from './response.ts';

/**
 * Lets pages of any origin read the routes of a registry, on all of them as GitHub asks, and answers their
 * preflights.
 */
export const openToAll =
  (methods: string): MiddlewareHandler<HttpEnvironment> =>
  async (c, next) => {
    const headers = {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': 'Authorization, Content-Type',
    };
    if (c.req.method === 'OPTIONS') return c.body(null, 204, headers);
    // Before the answer is made: afterwards c.header makes another one, whose body is a stream.
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    await next();
  };

/** Every answer follows from the listings; evidence that changes by time alone may be a minute old. */
const cachePolicy = { cacheTags: 'all' } as const;

const notFound = (c: Request, error: string) => c.json({ error }, 404);

const toQuery = (c: Request) => ({
  handle: c.req.param('name') ?? '',
  withDeleted: c.req.query('include_deleted') === 'true',
});

async function showVersions(c: Request): Promise<Response> {
  const found = await readVersionEntries(c.req.query('cursor') || undefined, toQuery(c), c.get('context'));
  return found ? answerJson(c, found, cachePolicy) : notFound(c, 'Server not found');
}

async function showVersion(c: Request): Promise<Response> {
  const entry = await readVersionEntry(c.req.param('version') ?? 'latest', toQuery(c), c.get('context'));
  return entry ? answerJson(c, entry, cachePolicy) : notFound(c, 'Server or version not found');
}

/**
 * The routes of a registry at both of its addresses below a path: its list, the versions of an entry, and one
 * of them.
 */
function createRoutes(
  below: string,
  list: Handler<HttpEnvironment>,
  showAll: Handler<HttpEnvironment>,
  showOne: Handler<HttpEnvironment>,
) {
  const routes = new Hono<HttpEnvironment>();
  for (const base of [`${below}/v0.1`, `${below}/v0`])
    routes
      .use(`${base}/*`, openToAll('GET, OPTIONS'))
      .get(`${base}/servers`, list)
      .get(`${base}/servers/:name/versions`, showAll)
      .get(`${base}/servers/:name/versions/:version`, showOne)
      .get(`${base}/servers/:name`, showOne);
  return routes;
}

const listServers = async (c: Request) =>
  answerJson(c, await readServers(c.req.query(), c.get('context')), cachePolicy);

/** The generic registry API over our listings (docs/registry.md). */
export const createRegistryApiRoutes = () => createRoutes('', listServers, showVersions, showVersion);

/** Stale once a listing joins or leaves the view, or one of those shown or approved changes. */
export const policyFor = (view: SavedView, members: readonly ViewMember[]) => ({
  cacheTags: [
    keyOf(view),
    ...[...members.map(({ listing }) => listing), ...(view.approvals ?? [])].map(({ handle }) => handle),
  ],
});

async function listViewEntries(c: Request, face: Face): Promise<Response> {
  const view = viewOf(c, face);
  const limit = readLimit(c.req.query());
  const page = await readMembers(view, { after: toPlace(c.req.query('cursor')), limit }, c.get('context'));
  const servers = await toViewEntries(page.members.filter(isAsApproved), c.get('context'));
  const nextCursor = fromPlace(page.next);
  return answerJson(
    c,
    { servers, metadata: { ...(nextCursor && { nextCursor }), count: servers.length } },
    policyFor(view, page.members),
  );
}

/** Whether a listing is as it was approved: one that differs is only shown, marked, on the page. */
const isAsApproved = ({ answers }: ViewMember) => !answers.some(isBrokenPin);

async function findApproved(c: Request, view: SavedView): Promise<ViewMember | undefined> {
  const member = await findMember(view, c.req.param('name') ?? '', c.get('context'));
  return member && isAsApproved(member) ? member : undefined;
}

const notInView = (c: Request) => c.json({ error: 'Server not found in this view' }, 404);

/**
 * The versions of a listing of a view: the one that the view judged. 404 if the listing does not meet the
 * view.
 */
async function showViewVersions(c: Request, face: Face): Promise<Response> {
  const view = viewOf(c, face);
  const member = await findApproved(c, view);
  const servers = member ? await toViewEntries([member], c.get('context')) : [];
  if (!member || servers.length === 0) return notInView(c);
  return answerJson(c, { servers, metadata: { count: servers.length } }, policyFor(view, [member]));
}

async function showViewEntry(c: Request, face: Face): Promise<Response> {
  const view = viewOf(c, face);
  const member = await findApproved(c, view);
  const { version = 'latest' } = c.req.param() as { version?: string };
  const isShown = member && (version === 'latest' || version === member.listing.version);
  const [entry] = isShown ? await toViewEntries([member], c.get('context')) : [];
  return member && entry ? answerJson(c, entry, policyFor(view, [member])) : notInView(c);
}

/** The registry API over the listings of each view. */
export const createViewRegistryRoutes = (face: Face) =>
  createRoutes(
    '/views/:view',
    (c) => listViewEntries(c, face),
    (c) => showViewVersions(c, face),
    (c) => showViewEntry(c, face),
  );
