import { Hono } from 'hono';
import { isHandle } from '../evidence/handle.ts';
import { Problem } from '../problem.ts';
import { getAgent } from '../tools/get-agent.ts';
import { listRatings } from '../tools/list-ratings.ts';
import { toBadgePage } from '../views/badge-block.ts';
import { pagePath } from '../views/html.ts';
import { toListingPage } from '../views/listing-page.ts';
import { toMarkdown } from '../views/markdown.ts';
import { toRatingsPage } from '../views/ratings-page.ts';
import { answerJson, answerPage, answerWithETag } from './answers.ts';
import { call } from './call.ts';
import type { Face, HttpEnvironment, Request } from './environment.ts';
import { handleOf, listingOf, orRedirect } from './listing-path.ts';

const markdownType = 'text/markdown; charset=utf-8';

/** A listing as page, JSON or Markdown: the same document in three forms. */
const showListing = async (c: Request, { site }: Face) => {
  const { handle, ending } = await listingOf(c, ['.json', '.md']);
  return orRedirect(c, handle, async () => {
    const listing = await call(c, getAgent, { handle });
    if (ending === '.json') return answerJson(c, listing);
    if (ending === '.md') return answerWithETag(c, { type: markdownType, body: toMarkdown(listing) });
    return answerPage(c, toListingPage(site, listing));
  });
};

const showRatings = (c: Request, { site }: Face) => {
  const handle = handleOf(c);
  return orRedirect(c, handle, async () => {
    const cursor = c.req.query('cursor') || undefined;
    return answerPage(c, toRatingsPage(site, await call(c, listRatings, { handle, cursor })));
  });
};

const showBadgePage = (c: Request, { site }: Face) => {
  const handle = handleOf(c);
  return orRedirect(c, handle, async () => {
    const { signals } = await call(c, getAgent, { handle });
    return answerPage(c, toBadgePage(site, { handle, statement: signals.native.statement }));
  });
};

/** An address with an encoded slash is sent on to the plain one. */
const redirectEncoded = (c: Request) => {
  const handle = c.req.param('handle') ?? '';
  if (!isHandle(handle)) throw new Problem('invalid_handle');
  return c.redirect(pagePath(handle), 308);
};

/** The pages of one listing, but for its claim. */
export const createListingRoutes = (face: Face) =>
  new Hono<HttpEnvironment>()
    .get('/agents/:namespace/:name', (c) => showListing(c, face))
    .get('/agents/:namespace/:name/ratings', (c) => showRatings(c, face))
    .get('/agents/:namespace/:name/badge', (c) => showBadgePage(c, face))
    .get('/agents/:handle', redirectEncoded);
