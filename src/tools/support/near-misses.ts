import { z } from 'zod';
import type { Facet } from '../../evidence/listing/facets.ts';
import type { ListingReads, SearchQuery } from '../../store/contract/listings.ts';
import { findUnknownTags } from './near-tags.ts';

const mostNear = 5;
/** Filters that are left out for a try. */
const mostTries = 8;

/** What search_agents publishes where nothing matches. */
export const nearMisses = z.object({
  near: z.array(z.string()).describe('handles'),
  leave_out: z.array(z.object({ facet: z.string(), count: z.int() })),
  unknown_tags: z
    .array(z.object({ tag: z.string(), near: z.array(z.string()).describe('tags that listings have') }))
    .optional()
    .describe('Tags of the search that no listing has'),
});
export type NearMisses = z.infer<typeof nearMisses>;

const countMatches = async (listings: ListingReads, search: SearchQuery) =>
  search.text.trim()
    ? (await listings.search(search)).counts.total
    : (await listings.listCounts(search.facets)).total;

/** Filters without which something matches, the one that leaves the least first. */
async function findWithout(listings: ListingReads, search: SearchQuery) {
  const tries: { facet: Facet; count: number }[] = [];
  for (const facet of search.facets.slice(0, mostTries)) {
    const facets = search.facets.filter((other) => other !== facet);
    if (facets.length === 0 && !search.text.trim()) continue;
    const count = await countMatches(listings, { ...search, facets });
    if (count > 0) tries.push({ facet, count });
  }
  return tries.sort((a, b) => a.count - b.count);
}

/** Handles of what matches without the filters, or of what the text resembles. */
async function findNearHandles(listings: ListingReads, search: SearchQuery): Promise<string[]> {
  const text = search.text.trim();
  const near = text.includes('/') ? await listings.near(text, mostNear) : [];
  if (near.length > 0 || !text || search.facets.length === 0) return near;
  const { hits } = await listings.search({ ...search, facets: [] });
  const rows = await listings.byIds(hits.slice(0, mostNear).map(({ id }) => id));
  return rows.map(({ handle }) => handle);
}

/** What is near a search that found nothing: handles, what one filter less would find, and tags near unknown ones. */
export async function findNearMisses(listings: ListingReads, search: SearchQuery): Promise<NearMisses> {
  const leave_out = await findWithout(listings, search);
  const unknown_tags = await findUnknownTags(listings, search.facets);
  const near = await findNearHandles(listings, search);
  return { near, leave_out, ...(unknown_tags.length > 0 && { unknown_tags }) };
}
