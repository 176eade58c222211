import { z } from 'zod';
import type { Facet } from '../../evidence/listing/facets.ts';
import type { ListingReads, SearchQuery } from '../../store/contract/listings.ts';

const mostNear = 5;
/** Filters that are left out for a try. */
const mostTries = 8;

/** What search_agents publishes where nothing matches. */
export const nearMisses = z.object({
  near: z.array(z.string()).describe('handles'),
  leave_out: z.array(z.object({ facet: z.string(), count: z.int() })),
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

/** What is near a search that found nothing: handles, and what one filter less would find. */
export async function findNearMisses(listings: ListingReads, search: SearchQuery): Promise<NearMisses> {
  const text = search.text.trim();
  const near = text.includes('/') ? await listings.near(text, mostNear) : [];
  const leave_out = await findWithout(listings, search);
  if (near.length > 0 || !text || search.facets.length === 0) return { near, leave_out };
  const { hits } = await listings.search({ ...search, facets: [] });
  const rows = await listings.byIds(hits.slice(0, mostNear).map(({ id }) => id));
  return { near: rows.map(({ handle }) => handle), leave_out };
}
