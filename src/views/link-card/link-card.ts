import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import type { Site } from '../layout/site.ts';

/** What the picture of a page says, line by line; every text can be drawn. */
export interface LinkCard {
  readonly service: string;
  readonly eyebrow: string;
  readonly heading: string;
  /** Somebody else's words. */
  readonly words?: string;
  readonly statement: string;
}

const pictures = /\p{Extended_Pictographic}|\ufe0f|\u200d/gu;
/** What the card's font has: Latin, Greek, Cyrillic and their punctuation. */
const drawable =
  /^[ -~\u00a0-\u017f\u0370-\u03ff\u0400-\u045f\u0490\u0491\u2010-\u2015\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122\u2190-\u2193\u2212]+$/;

/** A text without pictures; undefined where letters of it could not be drawn. */
const toDrawable = (text: string): string | undefined => {
  const plain = text.replaceAll(pictures, '').replaceAll(/\s+/g, ' ').trim();
  return drawable.test(plain) ? plain : undefined;
};

const serviceOf = ({ config }: Site) => toDrawable(config.serviceName) ?? '';

/** The card of the service itself, for pages about no single listing. */
export const toServiceCard = (site: Site): LinkCard => ({
  service: serviceOf(site),
  eyebrow: 'Agent services and what is known about them',
  heading: 'Evidence before you buy an agent service',
  statement:
    'What is known about a listing, from whom, as of when, and what is not known. No score, no star, no recommendation.',
});

/** The card of a listing: its handle, its publisher's words where they can be drawn, its evidence snapshot. */
export const toListingCard = (site: Site, listing: ListingDocument): LinkCard => {
  const words = toDrawable(listing.description);
  return {
    service: serviceOf(site),
    eyebrow: `Listing, imported from ${toDrawable(listing.origin) ?? 'a registry'}`,
    heading: listing.handle,
    ...(words !== undefined && { words: `“${words}”` }),
    statement: listing.evidence_snapshot,
  };
};
