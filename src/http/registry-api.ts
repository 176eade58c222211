import { setImmediate } from 'node:timers/promises';
import { Hono, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { readCursor, toCursor } from '../core/cursor.ts';
import { toListingDocument } from '../document/document.ts';
import type { Listing, ListingVersion, VersionSummary } from '../listings/listing.ts';
import type { VersionQuery } from '../listings/table.ts';
import type { HttpEnvironment, Request } from './call.ts';
import { evidenceKey, type Position, readLogHead, readQuery, toEntry } from './registry-entries.ts';
import { answerJson } from './response.ts';

/** A page: its versions, and where the next one begins. */
interface Page {
  readonly versions: readonly ListingVersion[];
  readonly next: Position | undefined;
}

/** Listings that a search found whose versions are read at once. */
const mostHandles = 100;
/** Of so many a page may have less than it could, or nothing: few listings have had a version, or changed of late. */
const mostHits = 1000;

/** The versions asked for of the listings that a search ranks, best match first. A named version is one a listing at most. */
async function searchPage(
  at: Position,
  limit: number,
  { store, searches, caller, clock }: Context,
): Promise<Page> {
  const { search: text = '', offset = 0, updatedSince, version, withDeleted } = at;
  const asked = { network: caller.network, now_ms: clock().getTime() };
  const { hits } = await searches.run(asked, () =>
    store.listings.search({ text, facets: [], sort: 'relevance' }),
  );
  const versions: ListingVersion[] = [];
  const end = Math.min(hits.length, offset + mostHits);
  let next = offset;
  while (versions.length < limit && next < end) {
    if (next > offset) await setImmediate();
    const listings = await store.listings.byIds(hits.slice(next, next + mostHandles).map(({ id }) => id));
    const handles = listings.map(({ handle }) => handle);
    const query = { after: undefined, limit: mostHandles, handles, version, updatedSince, withDeleted };
    const found = new Map((await store.listings.versionPage(query)).map((one) => [one.handle, one]));
    const ranked = handles.flatMap((handle) => found.get(handle) ?? []).slice(0, limit - versions.length);
    versions.push(...ranked);
    const last =
      versions.length === limit
        ? listings.find(({ handle }) => handle === versions.at(-1)?.handle)
        : undefined;
    next = last ? hits.findIndex(({ id }) => id === last.id) + 1 : next + mostHandles;
  }
  return { versions, next: next < hits.length ? { ...at, offset: next } : undefined };
}

async function listPage(at: Position, limit: number, { store }: Context): Promise<Page> {
  const { after, updatedSince, version, withDeleted } = at;
  const query = { after, limit: limit + 1, version, updatedSince, withDeleted };
  const versions = await store.listings.versionPage(query);
  const shown = versions.slice(0, limit);
  const last = shown.at(-1);
  if (versions.length <= limit || !last) return { versions: shown, next: undefined };
  const { handle, listed_at } = last;
  return { versions: shown, next: { ...at, after: { handle, version: last.version, listed_at } } };
}

const byPublication = (a: VersionSummary, b: VersionSummary) =>
  a.published_at < b.published_at || (a.published_at === b.published_at && a.version < b.version) ? 1 : -1;

/** The latest version of each of some listings: the one shown, or the newest of one whose versions are all deleted. */
async function latestOf(listings: readonly Listing[], { store }: Context): Promise<Map<string, string>> {
  const gone = listings.filter(({ version }) => version === '').map(({ handle }) => handle);
  const newestLast = (await store.listings.versionSummaries(gone)).toSorted(byPublication).reverse();
  return new Map([...listings, ...newestLast].map(({ handle, version }) => [handle, version]));
}

/** Entries of versions, each with the evidence about its listing if it is the version shown. */
async function toEntries(versions: readonly ListingVersion[], context: Context) {
  const { store, config, clock } = context;
  const key = evidenceKey(config.publicUrl);
  const now = clock();
  const log = await readLogHead(context);
  const handles = [...new Set(versions.map(({ handle }) => handle))];
  const read = await store.documents.factsOfAll(handles, now.toISOString());
  const factsOf = new Map(read.map((facts) => [facts.listing.handle, facts]));
  const latest = await latestOf(
    read.map(({ listing }) => listing),
    context,
  );
  return versions.map((version) => {
    const facts = factsOf.get(version.handle);
    const isLatest = latest.get(version.handle) === version.version;
    const document =
      isLatest && facts && !facts.listing.withdrawn ? toListingDocument(facts, config, now) : undefined;
    return toEntry(version, { isLatest, document, key, isHidden: facts?.listing.hidden === true, log });
  });
}

/** A page of the list in the shape of the registry API. Throws invalid_input. */
async function listServers(sent: Readonly<Record<string, string>>, context: Context) {
  const { limit, at } = readQuery(sent);
  const page = at.search ? await searchPage(at, limit, context) : await listPage(at, limit, context);
  const servers = await toEntries(page.versions, context);
  return {
    servers,
    metadata: {
      ...(page.next && { nextCursor: toCursor([JSON.stringify(page.next)]) }),
      count: servers.length,
    },
  };
}

/** Headers that GitHub asks of a registry on all its routes. */
const headers = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, OPTIONS',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type',
};

/** Lets pages of any origin read the routes of a registry, and answers their preflights. */
export const openToAll: MiddlewareHandler<HttpEnvironment> = async (c, next) => {
  if (c.req.method === 'OPTIONS') return c.body(null, 204, headers);
  await next();
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
};

/** Every answer follows from the listings; evidence that changes by time alone may be a minute old. */
const cachePolicy = { cacheTags: 'all' } as const;

/** Versions of one listing that are answered at once. */
const mostVersions = 100;

const notFound = (c: Request, error: string) => c.json({ error }, 404);

const nameOf = (c: Request) => c.req.param('name') ?? '';

/** Versions of one listing, in no particular order; none for one of the sample. */
const versionsOf = (
  c: Request,
  which: Pick<VersionQuery, 'version' | 'versions'>,
): Promise<ListingVersion[]> =>
  c.get('context').store.listings.versionPage({
    ...{ after: undefined, limit: mostVersions, handles: [nameOf(c)], updatedSince: undefined },
    withDeleted: c.req.query('include_deleted') === 'true',
    ...which,
  });

/** The versions of a listing after a place, newest first, without their records. */
async function summariesAfter(c: Request): Promise<VersionSummary[]> {
  const place = readCursor(c.req.query('cursor') || undefined, z.tuple([z.string(), z.string()]));
  const all = await c.get('context').store.listings.versionSummaries([nameOf(c)]);
  const asked = all.filter(({ status }) => status !== 'deleted' || c.req.query('include_deleted') === 'true');
  const newest = asked.toSorted(byPublication);
  if (!place) return newest;
  const [published_at, version] = place;
  return newest.filter((one) => byPublication(one, { ...one, published_at, version }) > 0);
}

async function showVersions(c: Request): Promise<Response> {
  const summaries = await summariesAfter(c);
  const shown = summaries.slice(0, mostVersions);
  const versions = await versionsOf(c, { version: undefined, versions: shown.map(({ version }) => version) });
  if (versions.length === 0) return notFound(c, 'Server not found');
  const servers = await toEntries(versions.toSorted(byPublication), c.get('context'));
  const last = summaries.length > shown.length ? shown.at(-1) : undefined;
  const nextCursor = last && toCursor([last.published_at, last.version]);
  return answerJson(
    c,
    { servers, metadata: { ...(last && { nextCursor }), count: servers.length } },
    cachePolicy,
  );
}

async function showVersion(c: Request): Promise<Response> {
  const versions = await versionsOf(c, { version: c.req.param('version') ?? 'latest' });
  const [entry] = await toEntries(versions, c.get('context'));
  return entry ? answerJson(c, entry, cachePolicy) : notFound(c, 'Server or version not found');
}

const createVersionRoutes = () =>
  new Hono<HttpEnvironment>()
    .get('/servers', async (c) =>
      answerJson(c, await listServers(c.req.query(), c.get('context')), cachePolicy),
    )
    .get('/servers/:name/versions', showVersions)
    .get('/servers/:name/versions/:version', showVersion)
    .get('/servers/:name', (c) => showVersion(c));

/** The generic registry API over our listings (docs/registry.md), at both of its addresses. */
export const createRegistryApiRoutes = () => {
  const routes = new Hono<HttpEnvironment>();
  for (const base of ['/v0.1', '/v0']) {
    routes.use(`${base}/*`, openToAll);
    routes.route(base, createVersionRoutes());
  }
  return routes;
};
