import type { Context } from '../../context.ts';
import { pickAlike, sharedText, toAlikeQuery } from '../../evidence/listing/alike.ts';
import type { Listing } from '../../evidence/listing/listing.ts';
import { type ShortListing, toShortListing } from '../../evidence/listing/short-listing.ts';
import { withoutHidden } from '../../evidence/listing/state/hidden.ts';
import { Problem } from '../../problem.ts';
import type { ListingReads } from '../../store/contract/listings.ts';
import { findListing } from './find-listing.ts';

/** The best hits of the search that are compared. */
const mostCandidates = 60;

/** Answered at once: there is no next page. */
const mostSimilar = 10;

/** A listing in short, with what makes it similar to another one. */
export type AlikeListing = ShortListing & { readonly alike: string };

/** Listings of other publishers that have something in common with one, most first. */
async function findSimilar(listings: ListingReads, listing: Listing, most: number): Promise<AlikeListing[]> {
  const text = toAlikeQuery(listing);
  if (!text) return [];
  const { hits } = await listings.search({ text, facets: [], sort: 'relevance' });
  const found = await listings.byIds(hits.slice(0, mostCandidates).map(({ id }) => id));
  const handles = found.map(({ handle }) => handle);
  const known = new Map((await listings.byHandles(handles)).map((one) => [one.handle, one]));
  const candidates = handles.flatMap((handle) => known.get(handle) ?? []).map(withoutHidden);
  return pickAlike(listing, candidates, most).map(({ listing: one, shared }) => ({
    ...toShortListing(one),
    alike: sharedText(shared),
  }));
}

function refuseOthers(others: Readonly<Record<string, unknown>>): void {
  const field = Object.keys(others).find((name) => name !== 'similar_to' && others[name] !== undefined);
  if (field === undefined) return;
  const message = 'leave it out, or leave out similar_to';
  throw new Problem('invalid_input', { fields: [{ field, message }], detail: `${field}: ${message}.` });
}

/** The answer of search_agents with `similar_to`; throws as findListing does, and invalid_input beside any filter. */
export async function answerSimilar(
  handle: string,
  {
    limit = mostSimilar,
    ...others
  }: Readonly<Record<string, unknown>> & { readonly limit?: number | undefined },
  context: Context,
) {
  refuseOthers(others);
  const listing = withoutHidden(await findListing(handle, context));
  const listings = await findSimilar(context.store.listings, listing, Math.min(limit, mostSimilar));
  return {
    listings,
    total: { count: listings.length, capped: false },
    facets: [],
    order: 'what is shared, most first; of other publishers only, at most two of each; never by ratings',
    untrusted_fields: ['listings'],
  };
}
