import { type Handler, Hono } from 'hono';
import { readServers, readVersionEntries, readVersionEntry } from '../document/registry/entries.ts';
import { retrieveEntry, searchEntries } from '../tools/find/ard.ts';
import type { HttpEnvironment, Request } from './call.ts';
import type { RequestTurns } from './limits.ts';
import { openToAll } from './middleware.ts';
import { readJson } from './request.ts';
import { answerJson, answerJsonText, answerOnce } from './response.ts';

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
export const registryRoutes = createRegistryRoutes('', listServers, showVersions, showVersion);

/** ARD (7.3) names this status. */
const noExplore = {
  errorCode: 'NOT_IMPLEMENTED',
  message: 'This registry does not count entries. The tool search_agents counts what it finds by facet.',
};

/** docs/registry.md */
export const createArdRoutes = (inTurn: RequestTurns) =>
  new Hono<HttpEnvironment>()
    .use('/ard/*', openToAll('GET, POST, OPTIONS'))
    .post('/ard/search', async (c) => {
      const sent = await readJson(c);
      const search = () => searchEntries(sent, c.get('context'), c.req.raw.signal);
      return answerOnce(c, await inTurn<object>(c, search));
    })
    .post('/ard/explore', (c) => c.json(noExplore, 501))
    .get('/ard/agents/:identifier', async (c) => {
      const { handle, entry } = await retrieveEntry(c.req.param('identifier'), c.get('context'));
      return answerJson(c, entry, { cacheTags: [handle] });
    });
