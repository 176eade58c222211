import { Hono } from 'hono';
import type { ListingVersion } from '../../evidence/listing/listing.ts';
import type { HttpEnvironment, Request } from '../environment.ts';
import { answerJson } from '../response/answers.ts';
import { byPublication, listServers, toEntries } from './list.ts';
import { openToAll } from './open-to-all.ts';

/** Every answer follows from the listings; evidence that changes by time alone may be a minute old. */
const cachePolicy = { cacheTags: 'all' } as const;

/** Versions of one listing that are answered at once. */
const mostVersions = 10_000;

const notFound = (c: Request, error: string) => c.json({ error }, 404);

/** The listed versions of a listing, newest first; none for one of the sample. */
async function versionsOf(c: Request, version?: string): Promise<ListingVersion[]> {
  const versions = await c.get('context').store.listings.versionPage({
    after: undefined,
    limit: mostVersions,
    handles: [c.req.param('name') ?? ''],
    version,
    updatedSince: undefined,
    withDeleted: c.req.query('include_deleted') === 'true',
  });
  return versions.toSorted(byPublication);
}

async function showVersions(c: Request): Promise<Response> {
  const versions = await versionsOf(c);
  if (versions.length === 0) return notFound(c, 'Server not found');
  const servers = await toEntries(versions, c.get('context'));
  return answerJson(c, { servers, metadata: { count: servers.length } }, cachePolicy);
}

async function showVersion(c: Request): Promise<Response> {
  const [entry] = await toEntries(await versionsOf(c, c.req.param('version') ?? 'latest'), c.get('context'));
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
