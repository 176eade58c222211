import { z } from 'zod';
import type { Facet } from './facets.ts';
import type { ListingSummary } from './listing.ts';
import { claimStates } from './listing-document.ts';

/** A listing as lists show it. */
export const shortListing = z.object({
  handle: z.string(),
  title: z.string().optional(),
  description: z.string(),
  version: z.string(),
  endpoint: z.string().optional(),
  repository: z.string().optional(),
  tags: z.array(z.string()),
  state: z.enum(claimStates),
  has_native_ratings: z.boolean(),
  published_at: z.string(),
  updated_at: z.string(),
  found_in: z.enum(['name', 'tags', 'text']).optional().describe('Where the search words were found'),
});
export type ShortListing = z.infer<typeof shortListing>;

/** Where a search found a listing: 1 in its name, 2 in its tags, 3 in its text; 0 for a search without words. */
export type SearchTier = 0 | 1 | 2 | 3;

const tierNames = [undefined, 'name', 'tags', 'text'] as const;

const stateOf = (facets: readonly Facet[]) =>
  claimStates.find((state) => facets.includes(`state:${state}`)) ?? 'imported';

/** The short form of a listing, with where a search found it. */
export function toShortListing(listing: ListingSummary, tier: SearchTier = 0): ShortListing {
  const { handle, title, description, version, endpoint, repository, tags, facets } = listing;
  const found_in = tierNames[tier];
  return {
    handle,
    ...(title && { title }),
    description,
    version,
    ...(endpoint && { endpoint }),
    ...(repository && { repository }),
    tags: tags.map(({ tag }) => tag),
    state: stateOf(facets),
    has_native_ratings: facets.includes('has:ratings'),
    published_at: listing.published_at,
    updated_at: listing.updated_at,
    ...(found_in && { found_in }),
  };
}
