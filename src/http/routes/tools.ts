import { Hono } from 'hono';
import { cachedOnce } from '../../cached-once.ts';
import { tools } from '../../tools/index.ts';
import { toToolsPage } from '../../views/pages/tools-page.ts';
import type { Face, HttpEnvironment } from '../environment.ts';
import { answerPage } from '../response/answers.ts';

/** The reference page of all tools; it follows from their definitions and is rendered once. */
export function createToolsRoutes({ site }: Face) {
  const page = cachedOnce(async () => String(toToolsPage(site, tools)));
  return new Hono<HttpEnvironment>().get('/tools', async (c) =>
    answerPage(c, await page(), { cacheTags: [] }),
  );
}
