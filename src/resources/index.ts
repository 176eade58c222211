import { about } from './about.ts';
import { card } from './card.ts';
import { listing } from './listing.ts';
import { listingRatings } from './listing-ratings.ts';
import { listingTools } from './listing-tools.ts';
import { createLlmsTxt } from './llms-txt.ts';
import type { Resource } from './resource.ts';
import { status } from './status.ts';
import { tag } from './tag.ts';

const listed: readonly Resource[] = [about, status, tag, listingRatings, listingTools, listing];

/** Instructions for agents: each tool, and each resource that agents read. */
export const llmsTxt = createLlmsTxt(listed);

/** Every resource; llms.txt does not name the card, which is for hosts. An earlier address wins. */
export const resources: readonly Resource[] = [llmsTxt, ...listed, card];
