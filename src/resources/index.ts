import { about, status } from './about.ts';
import { card, listing, listingHistory, listingRatings, listingTools, tag } from './listing.ts';
import { createLlmsTxt } from './llms-txt.ts';
import type { Resource } from './resource.ts';

const listed: readonly Resource[] = [
  about,
  status,
  tag,
  listingRatings,
  listingTools,
  listingHistory,
  listing,
];

/** Instructions for agents: each tool, and each resource that agents read. */
export const llmsTxt = createLlmsTxt(listed);

/** Every resource; llms.txt does not name the card, which is for hosts. An earlier address wins. */
export const resources: readonly Resource[] = [llmsTxt, ...listed, card];
