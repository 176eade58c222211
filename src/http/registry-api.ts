import { type Handler, Hono } from 'hono';
import { readServers, readVersionEntries, readVersionEntry } from '../document/registry/list.ts';
import type { HttpEnvironment, Request } from './call.ts';
import { openToAll } from './cors.ts';
import { answerJsonText } from './response.ts';

/** What changes with time alone may be a minute old. */
const cachePolicy = { cacheTags: 'all' } as const;

const sendNotFound = (c: Request, error: string) => c.json({ error }, 404);

const toQuery = (c: Request) => ({
  handle: c.req.param('name') ?? '',
  withDeleted: c.req.query('include_deleted') === 'true',
});

async function showVersions(c: Request): Promise<Response> {
  const found = await readVersionEntries(c.req.query('cursor') || undefined, toQuery(c), c.get('context'));
  return found ? answerJsonText(c, found, cachePolicy) : sendNotFound(c, 'Server not found');
}

async function showVersion(c: Request): Promise<Response> {
  const entry = await readVersionEntry(c.req.param('version') ?? 'latest', toQuery(c), c.get('context'));
  return entry ? answerJsonText(c, entry, cachePolicy) : sendNotFound(c, 'Server or version not found');
}

export function createRegistryRoutes(
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
  answerJsonText(c, await readServers(c.req.query(), c.get('context')), cachePolicy);

/** docs/registry.md */
export const createRegistryApiRoutes = () => createRegistryRoutes('', listServers, showVersions, showVersion);
