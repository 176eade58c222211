import { Hono } from 'hono';
import type { Context } from '../../context.ts';
import { toShortListing } from '../../evidence/listing/short-listing.ts';
import { Problem } from '../../problem.ts';
import type { ListingReads } from '../../store/contract/listings.ts';
import { publisherPath } from '../../views/layout/html.ts';
import { type Publisher, toPublisherPage } from '../../views/publisher/publisher-page.ts';
import type { Face, HttpEnvironment, Request } from '../environment.ts';
import { answerPage } from '../response/answers.ts';

const perPage = 50;

/** Listings under a namespace, in the order of their handles, after one of them. */
async function findPublisher(
  namespace: string,
  after: string,
  { store: { listings }, clock }: Context,
): Promise<Publisher> {
  const start = `${namespace}/`;
  const rows = await listings.page(after.startsWith(start) ? after : start, perPage + 1);
  const handles = rows.map(({ handle }) => handle).filter((handle) => handle.startsWith(start));
  const shown = handles.slice(0, perPage);
  const [first] = shown;
  const facts = first === undefined ? undefined : await listings.facts(first, clock().toISOString());
  const found = new Map((await listings.byHandles(shown)).map((listing) => [listing.handle, listing]));
  return {
    namespace,
    listings: shown.flatMap((handle) => found.get(handle) ?? []).map((listing) => toShortListing(listing)),
    total: facts?.publisherListings ?? 0,
    next: handles.length > perPage ? shown.at(-1) : undefined,
  };
}

async function showPublisher(c: Request, { site, context }: Face) {
  const namespace = c.req.param('namespace') ?? '';
  const publisher = await findPublisher(namespace, c.req.query('after') ?? '', context);
  if (publisher.listings.length === 0)
    throw new Problem('not_found', { detail: 'No listing stored here has this namespace.' });
  return answerPage(c, toPublisherPage(site, publisher), { cacheTags: 'all' });
}

/** Whether any listing is stored under a namespace. */
export async function isNamespace(listings: ListingReads, text: string): Promise<boolean> {
  if (!/^[A-Za-z0-9.-]{1,200}$/.test(text)) return false;
  const [next] = await listings.page(`${text}/`, 1);
  return next?.handle.startsWith(`${text}/`) === true;
}

/** Sends a namespace on to the page of its publisher. */
export const toPublisher = (c: Request, namespace: string) => c.redirect(publisherPath(namespace), 308);

/** The page of a publisher: the listings under its namespace. */
export const createPublisherRoutes = (face: Face) =>
  new Hono<HttpEnvironment>().get('/publishers/:namespace{[A-Za-z0-9.-]{1,200}}', (c) =>
    showPublisher(c, face),
  );
