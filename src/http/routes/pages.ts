import { Hono } from 'hono';
import { cachedOnce } from '../../core/cached-once.ts';
import { serverCardType } from '../../document/registry/ard.ts';
import { readReadiness, readStatus } from '../../document/status.ts';
import { readExampleHandles, readPublisher, readPublisherFacts } from '../../listings/publishers.ts';
import { spokenRevisions } from '../../mcp/server.ts';
import { keyDirectoryType, openObserverKey, toKeyDirectory } from '../../observations/observer.ts';
import { llmsTxt } from '../../resources/index.ts';
import { toToolReference } from '../../resources/llms-txt.ts';
import { readNewestShown } from '../../tools/find/changes.ts';
import { readLacking, refuseUnknownTag } from '../../tools/find/near-misses.ts';
import { readHits } from '../../tools/find/page.ts';
import { tools } from '../../tools/index.ts';
import { listTags } from '../../tools/list-tags.ts';
import { searchAgents } from '../../tools/search-agents.ts';
import { catalogType, toCatalog, toServerCard } from '../../views/cards/server-card.ts';
import { toHomePage } from '../../views/home-page.ts';
import { publisherPath } from '../../views/html.ts';
import { toOpenApi } from '../../views/openapi.ts';
import { toAboutPage, toTagsPage, toToolsPage } from '../../views/pages.ts';
import { toPublisherPage } from '../../views/publisher-page.ts';
import { pageSize, toTagPage } from '../../views/search/page.ts';
import { type CachePolicy, call, type HttpAdapter, type HttpEnvironment, type Request } from '../call.ts';
import { toCorsHeaders, toPreflight } from '../cors.ts';
import { answerPage, answerWithETag } from '../response.ts';
import { answerSitemap } from './sitemap.ts';

const statusPolicy: CachePolicy = { cacheTags: 'all', maxAge_ms: 1000 };

const readTags = async (c: Request) =>
  Object.entries((await call(c, listTags, {})).tags)
    .map(([tag, listings]) => ({ tag, listings }))
    .sort((a, b) => b.listings - a.listings);

async function showHome(c: Request, { site }: HttpAdapter) {
  const context = c.get('context');
  const status = await readStatus(context);
  const tags = await readTags(c);
  return answerPage(c, toHomePage(site, tags, status, await readNewestShown(context)), statusPolicy);
}

const showTag = async (c: Request, { site }: HttpAdapter) => {
  const tag = c.req.param('tag') ?? '';
  await refuseUnknownTag(tag, c.get('context'));
  const answer = await call(c, searchAgents, { tags: [tag], limit: pageSize, facets: true });
  return answerPage(c, toTagPage(site, tag, answer), { cacheTags: 'all' });
};

async function showTools(c: Request, { site }: HttpAdapter) {
  return answerPage(c, toToolsPage(site, tools, await readExampleHandles(c.get('context'))), statusPolicy);
}

const json = 'application/json';

/** What scripts of other sites may use (SEP-2127). */
const openCard = { methods: 'GET', headers: 'Content-Type, If-None-Match', exposed: 'ETag' };

/** Only for documents that depend on the settings alone. */
function answerOpenly(c: Request, type: string, document: object): Promise<Response> {
  const body = `${JSON.stringify(document)}\n`;
  return answerWithETag(c, {
    type,
    body,
    headers: toCorsHeaders(openCard),
    cacheControl: 'public, max-age=3600',
    cachePolicy: { cacheTags: [] },
  });
}

export const createServerCardRoutes = ({ site: { config } }: HttpAdapter) =>
  new Hono<HttpEnvironment>()
    .options('/api/mcp/server-card', () => toPreflight(openCard))
    .options('/.well-known/ard.json', () => toPreflight(openCard))
    .options('/.well-known/ai-catalog.json', () => toPreflight(openCard))
    .get('/api/mcp/server-card', (c) =>
      answerOpenly(c, serverCardType, toServerCard(config, spokenRevisions)),
    )
    .get('/.well-known/ard.json', (c) => answerOpenly(c, json, toCatalog(config)))
    .get('/.well-known/ai-catalog.json', (c) => answerOpenly(c, catalogType, toCatalog(config)));

const plain = 'text/plain; charset=utf-8';
const cachePolicy = { cacheTags: [] };

export function createDiscoveryRoutes({ context, site: { config } }: HttpAdapter) {
  const answer = (type: string, write: () => string | Promise<string>) => {
    const text = cachedOnce(async () => write());
    return async (c: Request) => answerWithETag(c, { type, body: await text(), cachePolicy });
  };
  const short = () => llmsTxt.read({}, context);
  const full = async () => `${await short()}\n${toToolReference()}`;
  const openApi = () => `${JSON.stringify(toOpenApi(config))}\n`;
  const robots = () =>
    `User-agent: *\nDisallow: /api/\nDisallow: /agents?\nDisallow: /compare?\nAllow: /\n\nSitemap: ${config.publicUrl}/sitemap.xml\nAgentmap: ${config.publicUrl}/.well-known/ard.json\n`;
  const keys = async () => `${JSON.stringify(toKeyDirectory(await openObserverKey(context)))}\n`;
  return new Hono<HttpEnvironment>()
    .get('/llms.txt', answer(plain, short))
    .get('/llms-full.txt', answer(plain, full))
    .get('/openapi.json', answer(json, openApi))
    .get('/robots.txt', answer(plain, robots))
    .get('/.well-known/http-message-signatures-directory', answer(keyDirectoryType, keys))
    .get('/sitemap.xml', answerSitemap);
}

/** Ready: has listings, and receives the writes of other nodes. */
export const createHealthRoutes = ({ context }: HttpAdapter) =>
  new Hono<HttpEnvironment>()
    .get('/healthz', (c) =>
      answerWithETag(c, { type: plain, body: 'ok\n', cacheControl: 'no-store', cachePolicy }),
    )
    .get('/readyz', async (c) => {
      const readiness = await readReadiness(context);
      return c.json(readiness, readiness.ready ? 200 : 503, { 'Cache-Control': 'no-store' });
    });

async function showPublisher(c: Request, { site, context }: HttpAdapter) {
  const namespace = c.req.param('namespace') ?? '';
  const { listings, ...page } = await readPublisher(namespace, c.req.query('after') ?? '', context);
  const facts = await readPublisherFacts(namespace, context);
  const handles = listings.map(({ handle }) => handle);
  const lacking = await readLacking(context);
  const publisher = { ...page, facts, lacking, listings: await readHits(handles, context) };
  return answerPage(c, toPublisherPage(site, publisher), { cacheTags: 'all' });
}

export const toPublisher = (c: Request, namespace: string) => c.redirect(publisherPath(namespace), 308);

export const createPageRoutes = (adapter: HttpAdapter) =>
  new Hono<HttpEnvironment>()
    .get('/', (c) => showHome(c, adapter))
    .get('/about', async (c) =>
      answerPage(c, toAboutPage(adapter.site, await readStatus(c.get('context'))), statusPolicy),
    )
    .get('/tags', async (c) =>
      answerPage(c, toTagsPage(adapter.site, await readTags(c)), { cacheTags: 'all' }),
    )
    .get('/tags/:tag', (c) => showTag(c, adapter))
    .get('/tools', (c) => showTools(c, adapter))
    .get('/publishers/:namespace{[A-Za-z0-9.-]{1,200}}', (c) => showPublisher(c, adapter));
