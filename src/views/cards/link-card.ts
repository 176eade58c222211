import { quoted } from '../../core/text.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import type { PageSite } from '../layout.ts';

/** The font can draw all of these texts. */
export interface LinkCard {
  readonly service: string;
  readonly eyebrow: string;
  readonly heading: string;
  readonly words?: string;
  readonly statement: string;
}

const emoji = /\p{Extended_Pictographic}|\ufe0f|\u200d/gu;
/** What the font has: Latin, Greek, Cyrillic and their punctuation. */
const drawable =
  /^[ -~\u00a0-\u017f\u0370-\u03ff\u0400-\u045f\u0490\u0491\u2010-\u2015\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122\u2190-\u2193\u2212]+$/;

/** Without emoji; undefined if nothing or what the font lacks is left. */
const toDrawable = (text: string): string | undefined => {
  const plain = text.replaceAll(emoji, '').replaceAll(/\s+/g, ' ').trim();
  return drawable.test(plain) ? plain : undefined;
};

const serviceOf = ({ config }: PageSite) => toDrawable(config.serviceName) ?? '';

export const toServiceCard = (site: PageSite): LinkCard => ({
  service: serviceOf(site),
  eyebrow: 'Agent services and what is known about them',
  heading: 'Evidence before you buy an agent service',
  statement:
    'What is known about a listing, from whom, as of when, and what is not known. No score, no star, no recommendation.',
});

export const toListingCard = (site: PageSite, listing: ListingDocument): LinkCard => {
  const words = toDrawable(listing.description);
  return {
    service: serviceOf(site),
    eyebrow: listing.sample
      ? 'Sample, not read from a registry'
      : `Listing, imported from ${toDrawable(listing.origin) ?? 'a registry'}`,
    heading: listing.handle,
    ...(words !== undefined && { words: quoted(words) }),
    statement: listing.evidence_snapshot,
  };
};
