import { Hono } from 'hono';
import type { Context } from '../../context.ts';
import { payeePath, readPayeeSegment } from '../../core/payee.ts';
import { readPayeeDocument, toPayeeMarkdown } from '../../document/payee.ts';
import { serverCardType } from '../../document/registry/ard.ts';
import { readReadiness, readStatus } from '../../document/status.ts';
import {
  readExampleHandles,
  readPublisher,
  readPublisherFacts,
  withExamples,
} from '../../listings/publishers.ts';
import { spokenRevisions } from '../../mcp/server.ts';
import { keyDirectoryType, openObserverKey, toKeyDirectory } from '../../observations/observer.ts';
import { llmsTxt } from '../../resources/index.ts';
import { toToolReference } from '../../resources/llms-txt.ts';
import { readLacking, refuseUnknownTag } from '../../tools/find/near-misses.ts';
import { readNews } from '../../tools/find/news.ts';
import { readHits } from '../../tools/find/page.ts';
import { publisherFacet, readObservedSum } from '../../tools/find/publisher.ts';
import { tools } from '../../tools/index.ts';
import { listTags } from '../../tools/list-tags.ts';
import { searchAgents } from '../../tools/search-agents.ts';
import { toAboutPage } from '../../views/about-page.ts';
import { catalogType, toCatalog, toServerCard } from '../../views/cards/server-card.ts';
import { toHomePage } from '../../views/home-page.ts';
import { publisherPath } from '../../views/html.ts';
import { toOpenApi } from '../../views/openapi.ts';
import { toTagsPage, toToolsPage } from '../../views/pages.ts';
import { toPayeePage } from '../../views/payee-page.ts';
import { toPublisherPage } from '../../views/publisher-page.ts';
import { pageSize, toTagPage } from '../../views/search/page.ts';
import type { CachePolicy, HttpEnvironment, Request } from '../call.ts';
import { toCorsHeaders, toPreflight } from '../middleware.ts';
import { call } from '../request.ts';
import { answerJson, answerPage, answerWithETag, type TextAnswer } from '../response.ts';
import { answerSitemap } from './sitemap.ts';

const ofAll: CachePolicy = { cacheTags: 'all' };

/** Other spellings redirect to the payee's address, but not other percent-encoding, which proxies change. */
async function showPayee(c: Request) {
  const context = c.get('context');
  const { pathname } = new URL(c.req.url);
  const { payees, ending } = readPayeeSegment(pathname.slice('/payees/'.length));
  const document = await readPayeeDocument(payees, context);
  const isPage = ending === '' || ending === '.html';
  const path = payeePath(document, isPage ? '' : ending);
  if (decodeURIComponent(path) !== decodeURIComponent(pathname)) return c.redirect(path, 308);
  if (isPage) return answerPage(c, toPayeePage(context, document), ofAll);
  // Search engines index the page instead.
  c.header('Link', `<${document.page}>; rel="canonical"`);
  if (ending === '.json') return answerJson(c, document, ofAll);
  const body = toPayeeMarkdown(document);
  return answerWithETag(c, { type: 'text/markdown; charset=utf-8', body, cachePolicy: ofAll });
}

const statusPolicy: CachePolicy = { cacheTags: 'all', maxAge_ms: 1000 };

const readTags = async (c: Request) =>
  Object.entries((await call(c, listTags, {})).tags)
    .map(([tag, listings]) => ({ tag, listings }))
    .sort((a, b) => b.listings - a.listings);

async function showHome(c: Request) {
  const context = c.get('context');
  const status = await readStatus(context);
  const tags = await readTags(c);
  return answerPage(c, toHomePage(context, tags, status, await readNews(context)), statusPolicy);
}

const showTag = async (c: Request) => {
  const tag = c.req.param('tag') ?? '';
  await refuseUnknownTag(tag, c.get('context'));
  const answer = await call(c, searchAgents, { tags: [tag], limit: pageSize, facets: true });
  return answerPage(c, toTagPage(c.get('context'), tag, answer), ofAll);
};

async function showTools(c: Request) {
  const context = c.get('context');
  return answerPage(c, toToolsPage(context, tools, await readExampleHandles(context)), statusPolicy);
}

const json = 'application/json';

/** What scripts of other sites may use (SEP-2127). */
const openCard = { methods: 'GET', headers: 'Content-Type, If-None-Match', exposed: 'ETag' };

const openHeaders = { headers: toCorsHeaders(openCard), cacheControl: 'public, max-age=3600' };

const plain = 'text/plain; charset=utf-8';
const cachePolicy = { cacheTags: [] };
const asLine = (value: object) => `${JSON.stringify(value)}\n`;

/** Depends on the settings alone, if no policy is given. */
const answer =
  (type: string, write: (context: Context) => string | Promise<string>, how: Partial<TextAnswer> = {}) =>
  async (c: Request) =>
    answerWithETag(c, { type, body: await write(c.get('context')), cachePolicy, ...how });

const toShortText = (context: Context) => llmsTxt.read({}, context);
const withListed =
  (write: (context: Context) => string | Promise<string>) =>
  async (context: Context): Promise<string> =>
    withExamples(await write(context), await readExampleHandles(context));
const toRobots = ({ config: { publicUrl } }: Context) =>
  `User-agent: *\nDisallow: /api/\nDisallow: /agents?\nDisallow: /compare?\nAllow: /\n\nSitemap: ${publicUrl}/sitemap.xml\nAgentmap: ${publicUrl}/.well-known/ard.json\n`;
const toServerCardText = ({ config }: Context) => asLine(toServerCard(config, spokenRevisions));
const toCatalogText = ({ config }: Context) => asLine(toCatalog(config));

export const discoveryRoutes = new Hono<HttpEnvironment>()
  .get('/llms.txt', answer(plain, toShortText))
  .get(
    '/llms-full.txt',
    answer(
      plain,
      withListed(async (context) => `${await toShortText(context)}\n${toToolReference()}`),
      { cachePolicy: ofAll },
    ),
  )
  .get(
    '/openapi.json',
    answer(
      json,
      withListed(({ config }) => asLine(toOpenApi(config))),
      { cachePolicy: ofAll },
    ),
  )
  .get('/robots.txt', answer(plain, toRobots))
  .get(
    '/.well-known/http-message-signatures-directory',
    answer(keyDirectoryType, async (context) => asLine(toKeyDirectory(await openObserverKey(context)))),
  )
  .get('/sitemap.xml', answerSitemap)
  .options('/api/mcp/server-card', () => toPreflight(openCard))
  .options('/.well-known/ard.json', () => toPreflight(openCard))
  .options('/.well-known/ai-catalog.json', () => toPreflight(openCard))
  .get('/api/mcp/server-card', answer(serverCardType, toServerCardText, openHeaders))
  .get('/.well-known/ard.json', answer(json, toCatalogText, openHeaders))
  .get('/.well-known/ai-catalog.json', answer(catalogType, toCatalogText, openHeaders));

/** Ready: has listings, and receives the writes of other nodes. */
export const healthRoutes = new Hono<HttpEnvironment>()
  .get('/healthz', (c) =>
    answerWithETag(c, { type: plain, body: 'ok\n', cacheControl: 'no-store', cachePolicy }),
  )
  .get('/readyz', async (c) => {
    const readiness = await readReadiness(c.get('context'));
    return c.json(readiness, readiness.ready ? 200 : 503, { 'Cache-Control': 'no-store' });
  });

async function showPublisher(c: Request) {
  const context = c.get('context');
  const namespace = c.req.param('namespace') ?? '';
  const { listings, ...page } = await readPublisher(namespace, c.req.query('after') ?? '', context);
  if (page.total === 0 && (await publisherFacet(namespace, context)).startsWith('owner:'))
    return c.redirect(`/agents?publisher=${namespace}`);
  const facts = await readPublisherFacts(namespace, context);
  const handles = listings.map(({ handle }) => handle);
  const lacking = await readLacking(context);
  const sum = await readObservedSum(facts.handles, context);
  const publisher = { ...page, facts, sum, lacking, listings: await readHits(handles, context) };
  return answerPage(c, toPublisherPage(context, publisher), ofAll);
}

export const toPublisher = (c: Request, namespace: string) => c.redirect(publisherPath(namespace), 308);

export const pageRoutes = new Hono<HttpEnvironment>()
  .get('/', showHome)
  .get('/about', async (c) =>
    answerPage(c, toAboutPage(c.get('context'), await readStatus(c.get('context'))), statusPolicy),
  )
  .get('/tags', async (c) => answerPage(c, toTagsPage(c.get('context'), await readTags(c)), ofAll))
  .get('/tags/:tag', showTag)
  .get('/tools', showTools)
  .get('/payees/:payee', showPayee)
  .get('/publishers/:namespace{[A-Za-z0-9.-]{1,200}}', showPublisher);
