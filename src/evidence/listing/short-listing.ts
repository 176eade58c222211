import { z } from 'zod';
import type { ListingRow, SearchHit } from '../../store/store.ts';
import { claimStates, type ListingTag } from './listing-document.ts';

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
  found_in: z.enum(['name', 'tags', 'text']).optional().describe('Where the words were found'),
});
export type ShortListing = z.infer<typeof shortListing>;

const tierNames = [undefined, 'name', 'tags', 'text'] as const;

const stateOf = (facets: readonly string[]) =>
  claimStates.find((state) => facets.includes(`state:${state}`)) ?? 'imported';

/** The short form of a row, with where a search found it. */
export function toShortListing(row: ListingRow, tier: SearchHit['tier'] = 0): ShortListing {
  const facets = row.facets.split(' ');
  const found_in = tierNames[tier];
  return {
    handle: row.handle,
    ...(row.title && { title: row.title }),
    description: row.description,
    version: row.version,
    ...(row.endpoint && { endpoint: row.endpoint }),
    ...(row.repository && { repository: row.repository }),
    tags: (JSON.parse(row.tags) as ListingTag[]).map(({ tag }) => tag),
    state: stateOf(facets),
    has_native_ratings: facets.includes('has:ratings'),
    published_at: row.published_at,
    updated_at: row.updated_at,
    ...(found_in && { found_in }),
  };
}
