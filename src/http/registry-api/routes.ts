import { Hono } from 'hono';
import { z } from 'zod';
import type { ListingVersion, VersionSummary } from '../../evidence/listing/listing.ts';
import { readCursor, toCursor } from '../../evidence/text/cursor.ts';
import type { VersionQuery } from '../../store/contract/registry-entries.ts';
import type { HttpEnvironment, Request } from '../environment.ts';
import { answerJson } from '../response/answers.ts';
import { byPublication, listServers, toEntries } from './list.ts';
import { openToAll } from './open-to-all.ts';

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

/** The generic registry API over our listings (docs/registry-api.md), at both of its addresses. */
export const createRegistryApiRoutes = () => {
  const routes = new Hono<HttpEnvironment>();
  for (const base of ['/v0.1', '/v0']) {
    routes.use(`${base}/*`, openToAll);
    routes.route(base, createVersionRoutes());
  }
  return routes;
};
