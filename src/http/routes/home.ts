import { Hono } from 'hono';
import { readStatus } from '../../resources/status.ts';
import { listTags } from '../../tools/list-tags.ts';
import { toHomePage } from '../../views/pages/home-page.ts';
import { call } from '../call.ts';
import type { Face, HttpEnvironment } from '../environment.ts';
import { answerPage } from '../response/answers.ts';
import { statusPolicy } from './about.ts';

/** The first page: agent://status and list_tags. */
export const createHomeRoutes = ({ site }: Face) =>
  new Hono<HttpEnvironment>().get('/', async (c) => {
    const status = await readStatus(c.get('context'));
    const { tags } = await call(c, listTags, {});
    return answerPage(c, toHomePage(site, { tags, status }), statusPolicy);
  });
