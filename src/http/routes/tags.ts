import { Hono } from 'hono';
import { listTags } from '../../tools/list-tags.ts';
import { searchAgents } from '../../tools/search-agents.ts';
import { refuseUnknownTag } from '../../tools/support/near-tags.ts';
import { toTagsPage } from '../../views/pages/tags-page.ts';
import { toTagPage } from '../../views/search/search-page.ts';
import { pageSize } from '../../views/search/search-results.ts';
import { call } from '../call.ts';
import type { Face, HttpEnvironment, Request } from '../environment.ts';
import { answerPage } from '../response/answers.ts';

const showTags = async (c: Request, { site }: Face) =>
  answerPage(c, toTagsPage(site, (await call(c, listTags, {})).tags), { cacheTags: 'all' });

const showTag = async (c: Request, { site }: Face) => {
  const tag = c.req.param('tag') ?? '';
  await refuseUnknownTag(tag, c.get('context').store.listings);
  const answer = await call(c, searchAgents, { tags: [tag], limit: pageSize });
  return answerPage(c, toTagPage(site, tag, answer), { cacheTags: 'all' });
};

/** All tags (list_tags), and the listings of one tag (search_agents). */
export const createTagRoutes = (face: Face) =>
  new Hono<HttpEnvironment>()
    .get('/tags', (c) => showTags(c, face))
    .get('/tags/:tag', (c) => showTag(c, face));
