import { Hono } from 'hono';
import type { Context } from '../../context.ts';
import type { ListingVersion } from '../../evidence/listing/listing.ts';
import { isSample } from '../../evidence/listing/state/sample.ts';
import type { HttpEnvironment, Request } from '../environment.ts';
import { answerJson } from '../response/answers.ts';
import { listServers, toEntries } from './list.ts';
import { openToAll } from './open-to-all.ts';

/** Every answer follows from the listings; evidence that changes by time alone may be a minute old. */
const cachePolicy = { cacheTags: 'all' } as const;

const notFound = (c: Request, error: string) => c.json({ error }, 404);

/** All stored versions of a listing, newest first; none for one of the sample, or one that an opt-out line or the operator withdrew. */
async function versionsOf(name: string, { store }: Context): Promise<ListingVersion[]> {
  const listing = await store.listings.byHandle(name);
  if (!listing || isSample(listing) || listing.withdrawn === 'optout' || listing.withdrawn === 'operator')
    return [];
  const summaries = await store.listings.versionSummaries([name]);
  const versions = await Promise.all(summaries.map(({ version }) => store.listings.version(name, version)));
  return versions
    .filter((version) => version !== undefined)
    .toSorted((a, b) => (a.published_at < b.published_at ? 1 : -1));
}

const listed = (versions: readonly ListingVersion[], c: Request) =>
  c.req.query('include_deleted') === 'true'
    ? versions
    : versions.filter(({ status }) => status !== 'deleted');

async function showVersions(c: Request): Promise<Response> {
  const context = c.get('context');
  const versions = listed(await versionsOf(c.req.param('name') ?? '', context), c);
  if (versions.length === 0) return notFound(c, 'Server not found');
  const servers = await toEntries(versions, context);
  return answerJson(c, { servers, metadata: { count: servers.length } }, cachePolicy);
}

async function showVersion(c: Request): Promise<Response> {
  const context = c.get('context');
  const { name = '', version = 'latest' } = c.req.param();
  const listing = await context.store.listings.byHandle(name);
  const wanted = version === 'latest' ? listing?.version : version;
  const found = listed(await versionsOf(name, context), c).find((one) => one.version === wanted);
  if (!found) return notFound(c, 'Server or version not found');
  const [entry] = await toEntries([found], context);
  return answerJson(c, entry, cachePolicy);
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
