import { Hono } from 'hono';
import { toLlmsFullTxt, toLlmsTxt } from '../views/llms-txt.ts';
import { toOpenApi } from '../views/openapi.ts';
import { answerJson, answerWithETag } from './answers.ts';
import type { Face, HttpEnvironment, Request } from './environment.ts';
import { answerSitemap } from './sitemap.ts';

const plain = 'text/plain; charset=utf-8';

const toRobots = (publicUrl: string) =>
  `User-agent: *\nDisallow: /api/\nDisallow: /agents?\nAllow: /\n\nSitemap: ${publicUrl}/sitemap.xml\n`;

const answerText = (c: Request, body: string) => answerWithETag(c, { type: plain, body });

/** What machines read to find their way: made of the definitions. */
export const createDiscoveryRoutes = ({ site: { config } }: Face) =>
  new Hono<HttpEnvironment>()
    .get('/llms.txt', (c) => answerText(c, toLlmsTxt(config)))
    .get('/llms-full.txt', (c) => answerText(c, toLlmsFullTxt(config)))
    .get('/openapi.json', (c) => answerJson(c, toOpenApi(config)))
    .get('/robots.txt', (c) => answerText(c, toRobots(config.PUBLIC_URL)))
    .get('/sitemap.xml', (c) => answerSitemap(c, config.PUBLIC_URL));

/** Whether the process answers, and whether it has something to show: 503 until listings are there. */
export const createHealthRoutes = ({ context }: Face) =>
  new Hono<HttpEnvironment>()
    .get('/healthz', (c) => c.text('ok\n', 200, { 'Cache-Control': 'no-store' }))
    .get('/readyz', async (c) => {
      const listings = await context.store.listings.count();
      const ready = listings > 0;
      return c.json({ ready, listings }, ready ? 200 : 503, { 'Cache-Control': 'no-store' });
    });
