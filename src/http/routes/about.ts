import { Hono } from 'hono';
import { readStatus } from '../../resources/status.ts';
import { toAboutPage } from '../../views/pages/about-page.ts';
import type { Face, HttpEnvironment } from '../environment.ts';
import type { CachePolicy } from '../finished.ts';
import { answerPage } from '../response/answers.ts';

/** A page that shows the import may be a second late; what it shows of listings is always current. */
export const statusPolicy: CachePolicy = { cacheTags: 'all', maxAge_ms: 1000 };

/** The page about the service: its rules, and agent://status. */
export const createAboutRoutes = ({ site }: Face) =>
  new Hono<HttpEnvironment>().get('/about', async (c) =>
    answerPage(c, toAboutPage(site, await readStatus(c.get('context'))), statusPolicy),
  );
