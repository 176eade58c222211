import { Hono } from 'hono';
import { cachedOnce } from '../../cached-once.ts';
import { keyDirectoryType, openObserverKey, toKeyDirectory } from '../../observer/signature.ts';
import { llmsTxt } from '../../resources/index.ts';
import { toToolReference } from '../../resources/llms-txt.ts';
import { toOpenApi } from '../../views/text/openapi.ts';
import type { Face, HttpEnvironment } from '../environment.ts';
import { answerWithETag } from '../response/answers.ts';
import { answerSitemap } from './sitemap.ts';

const plain = 'text/plain; charset=utf-8';

const toRobots = (publicUrl: string) =>
  `User-agent: *\nDisallow: /api/\nDisallow: /agents?\nDisallow: /compare?\nAllow: /\n\nSitemap: ${publicUrl}/sitemap.xml\n`;

const json = 'application/json';
/** They follow from the definitions alone. */
const cachePolicy = { cacheTags: [] };

/** Documents for machines, generated once from the definitions; the sitemap from the listings. */
export function createDiscoveryRoutes({ context, site: { config } }: Face) {
  const short = cachedOnce(async () => llmsTxt.read({}, context));
  const full = cachedOnce(async () => `${await short()}\n${toToolReference()}`);
  const openApi = cachedOnce(async () => `${JSON.stringify(toOpenApi(config))}\n`);
  const keys = cachedOnce(async () => `${JSON.stringify(toKeyDirectory(await openObserverKey(context)))}\n`);
  return new Hono<HttpEnvironment>()
    .get('/llms.txt', async (c) => answerWithETag(c, { type: plain, body: await short(), cachePolicy }))
    .get('/llms-full.txt', async (c) => answerWithETag(c, { type: plain, body: await full(), cachePolicy }))
    .get('/openapi.json', async (c) => answerWithETag(c, { type: json, body: await openApi(), cachePolicy }))
    .get('/robots.txt', (c) =>
      answerWithETag(c, { type: plain, body: toRobots(config.publicUrl), cachePolicy }),
    )
    .get('/.well-known/http-message-signatures-directory', async (c) =>
      answerWithETag(c, { type: keyDirectoryType, body: await keys(), cachePolicy }),
    )
    .get('/sitemap.xml', (c) => answerSitemap(c, config.publicUrl));
}

/** The last finished audit of what is stored against the transparency log; a fault does not make the node unready. */
async function readAudit({ store }: Face['context']) {
  const last = await store.health.audits.last();
  if (!last) return { state: 'not_finished' as const };
  const { finished_at, entries, faults } = last;
  return { state: faults > 0 ? ('differs' as const) : ('holds' as const), finished_at, entries, faults };
}

/** Liveness, and readiness: 503 until there are listings and this node receives the writes of other nodes. */
export const createHealthRoutes = ({ context }: Face) =>
  new Hono<HttpEnvironment>()
    .get('/healthz', (c) => c.text('ok\n', 200, { 'Cache-Control': 'no-store' }))
    .get('/readyz', async (c) => {
      const { store } = context;
      const listings = await store.health.listings.count();
      const ready = listings > 0 && (await store.isWell());
      return c.json({ ready, listings, audit: await readAudit(context) }, ready ? 200 : 503, {
        'Cache-Control': 'no-store',
      });
    });
