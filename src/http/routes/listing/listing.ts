import { Hono } from 'hono';
import { isHandle } from '../../../evidence/handle.ts';
import type { ListingDocument } from '../../../evidence/listing/listing-document.ts';
import type { RatingFilter } from '../../../evidence/rating/rating-facets.ts';
import { Problem } from '../../../problem.ts';
import { getListing } from '../../../tools/get-agent.ts';
import { listRatings } from '../../../tools/list-ratings.ts';
import { searchAgents } from '../../../tools/search-agents.ts';
import { orEmpty } from '../../../tools/support/find-listing.ts';
import { toBadgeStyle } from '../../../views/badge/badge.ts';
import { toBadged } from '../../../views/badge/badge-block.ts';
import { toBadgePage } from '../../../views/badge/badge-page.ts';
import { pagePath } from '../../../views/layout/html.ts';
import { toListingPage } from '../../../views/listing/listing-page.ts';
import { toRatingsPage } from '../../../views/ratings/ratings-page.ts';
import { toMarkdown } from '../../../views/text/markdown.ts';
import { call } from '../../call.ts';
import type { Face, HttpEnvironment, Request } from '../../environment.ts';
import { handleOf, listingOf, namesOf, orRedirect } from '../../request/listing-path.ts';
import { answerJson, answerPage, answerWithETag } from '../../response/answers.ts';
import { isNamespace, toPublisher } from '../publishers.ts';

const markdownType = 'text/markdown; charset=utf-8';

const monthsOf = async (c: Request, { handle, signals }: ListingDocument) =>
  signals.native.ratings > 0 ? ((await call(c, listRatings, { handle })).months ?? []) : [];

const shownSimilar = 5;

/** Changes of a listing among which its newest log entry is looked for; those of an import have none. */
const newestChanges = 20;

async function newestEntryOf(handle: string, c: Request): Promise<number | undefined> {
  const changes = await c.get('context').store.changes.newest(newestChanges, { handle });
  const entries = changes.map(({ data }) => data.log_index);
  return entries.find((index) => typeof index === 'number');
}

/** The page of a listing; it is stale once the listing or one of those similar to it changes. */
async function answerListingPage(c: Request, { site }: Face, listing: ListingDocument) {
  const { handle } = listing;
  const found = call(c, searchAgents, { similar_to: handle, limit: shownSimilar });
  const similar = await orEmpty(
    found.then(({ listings }) => listings),
    c.get('context'),
  );
  const [months, entry] = [await monthsOf(c, listing), await newestEntryOf(handle, c)];
  const page = toListingPage(site, listing, { months, similar, entry });
  return answerPage(c, page, { cacheTags: [...namesOf(c), ...similar.map((one) => one.handle)] });
}

/** A listing as page, JSON or Markdown: the same document in three forms. */
const showListing = async (c: Request, face: Face) => {
  const { handle, ending } = await listingOf(c, ['.json', '.md']);
  return orRedirect(c, handle, async () => {
    const listing = await getListing(handle, c.get('context'));
    const cachePolicy = { cacheTags: namesOf(c) };
    // Search engines index the page instead.
    if (ending) c.header('Link', `<${listing.links.page}>; rel="canonical"`);
    if (ending === '.json') return answerJson(c, listing, cachePolicy);
    if (ending === '.md')
      return answerWithETag(c, { type: markdownType, body: toMarkdown(listing), cachePolicy });
    return answerListingPage(c, face, listing);
  });
};

const showRatings = (c: Request, { site }: Face) => {
  const handle = handleOf(c);
  return orRedirect(c, handle, async () => {
    const { outcome, group, proof_class, cursor } = c.req.query();
    const parameters = Object.entries({ outcome, group, proof_class, cursor }).filter(([, value]) => value);
    const answer = await call(c, listRatings, { handle, ...Object.fromEntries(parameters) });
    const filter = Object.fromEntries(parameters.filter(([name]) => name !== 'cursor')) as RatingFilter;
    const page = toRatingsPage(site, await getListing(handle, c.get('context')), { answer, filter });
    return answerPage(c, page, { cacheTags: [handle] });
  });
};

const showBadgePage = (c: Request, { site }: Face) => {
  const handle = handleOf(c);
  return orRedirect(c, handle, async () => {
    const listing = await getListing(handle, c.get('context'));
    const page = toBadgePage(site, toBadged(listing), toBadgeStyle(c.req.query('style')));
    return answerPage(c, page, { cacheTags: [handle] });
  });
};

/** Redirects an address with an encoded slash to the plain one, and a namespace to its publisher. */
const redirectEncoded = async (c: Request, { context }: Face) => {
  const handle = c.req.param('handle') ?? '';
  if (await isNamespace(context.store.listings, handle)) return toPublisher(c, handle);
  if (!isHandle(handle)) throw new Problem('invalid_handle');
  return c.redirect(pagePath(handle), 308);
};

/** The pages of one listing, except its claim page. */
export const createListingRoutes = (face: Face) =>
  new Hono<HttpEnvironment>()
    .get('/agents/:namespace/:name', (c) => showListing(c, face))
    .get('/agents/:namespace/:name/ratings', (c) => showRatings(c, face))
    .get('/agents/:namespace/:name/badge', (c) => showBadgePage(c, face))
    .get('/agents/:handle', (c) => redirectEncoded(c, face));
