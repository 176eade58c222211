import { z } from 'zod';
import { isPlaceholder } from '../search/placeholder.ts';
import type { Facet } from './facets.ts';
import type { ListingSummary } from './listing.ts';
import { claimStates, sampleFlag } from './listing-document.ts';
import { hiddenSentence, withoutHidden } from './state/hidden.ts';
import { isSample } from './state/sample.ts';

/** A listing as lists show it. */
export const shortListing = z.object({
  handle: z.string(),
  sample: sampleFlag,
  title: z.string().optional(),
  description: z.string(),
  version: z.string(),
  endpoint: z.string().optional(),
  repository: z.string().optional(),
  tags: z.array(z.string()),
  state: z.enum(claimStates),
  has_native_ratings: z.boolean(),
  published_at: z.string().describe('YYYY-MM-DD'),
  updated_at: z.string().describe('YYYY-MM-DD'),
  matched: z.string().optional().describe('If not all words match: matched 2 of 4 words'),
  hidden: z.string().optional().describe('The operator has hidden its texts'),
  placeholder_description: z.boolean().optional().describe('true: the description is a placeholder'),
});
export type ShortListing = z.infer<typeof shortListing>;

const stateOf = (facets: readonly Facet[]) =>
  claimStates.find((state) => facets.includes(`state:${state}`)) ?? 'imported';

/** How many words of a search a listing has; `matched` is undefined if the search was for its handle. */
export interface WordMatch {
  readonly words: number;
  readonly matched: number | undefined;
}

const toMatchText = ({ words, matched = words }: WordMatch) =>
  matched < words ? `matched ${matched} of ${words} words` : undefined;

/** The short form of a listing, with how much of a search it matches. */
export function toShortListing(recorded: ListingSummary, match?: WordMatch): ShortListing {
  const listing = withoutHidden(recorded);
  const { handle, title, description, version, endpoint, repository, tags, facets } = listing;
  const matched = match && toMatchText(match);
  return {
    handle,
    ...(isSample(listing) && { sample: true as const }),
    ...(title && { title }),
    description,
    version,
    ...(endpoint && { endpoint }),
    ...(repository && { repository }),
    tags: tags.map(({ tag }) => tag),
    state: stateOf(facets),
    has_native_ratings: facets.includes('has:ratings'),
    published_at: listing.published_at.slice(0, 10),
    updated_at: listing.updated_at.slice(0, 10),
    ...(matched && { matched }),
    ...(listing.hidden && { hidden: hiddenSentence }),
    ...(isPlaceholder(description) && { placeholder_description: true }),
  };
}
