import { about } from './about.ts';
import { listing } from './listing.ts';
import { listingRatings } from './listing-ratings.ts';
import type { Resource } from './resource.ts';
import { tag } from './tag.ts';

/** Every resource but agent://llms.txt, which describes them (views/llms-txt.ts). An earlier address wins. */
export const resources: readonly Resource[] = [about, tag, listingRatings, listing];
