import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import { quoted } from '../../evidence/text/markdown-text.ts';
import { pagePath } from './html.ts';
import type { PageHead } from './page-head.ts';

const isPlainHttps = (address: string | undefined): address is string =>
  address?.startsWith('https://') === true && URL.canParse(address);

/** Whether the oldest version that was read is known to be the first. */
const isFirst = ({ signals }: ListingDocument) =>
  signals.imported.some(({ kind, state }) => kind === 'registry.first_published' && state === 'observed');

/** A listing as schema.org's SoftwareApplication: recorded facts only, never ratings, because those are not a grade. */
const toData = (listing: ListingDocument): object => {
  const elsewhere = [listing.repository, listing.website].filter(isPlainHttps);
  return {
    '@context': 'https://schema.org',
    '@type': 'SoftwareApplication',
    '@id': listing.links.page,
    name: listing.handle,
    ...(listing.title && { alternateName: listing.title }),
    description: listing.description,
    disambiguatingDescription: [listing.sample && listing.origin_note, listing.evidence_snapshot]
      .filter(Boolean)
      .join(' '),
    url: listing.links.page,
    identifier: listing.handle,
    applicationCategory: 'DeveloperApplication',
    softwareVersion: listing.version,
    ...(isFirst(listing) && { datePublished: listing.published_at }),
    dateModified: listing.updated_at,
    ...(elsewhere.length > 0 && { sameAs: elsewhere }),
    ...(listing.tags.length > 0 && { keywords: listing.tags.map(({ tag }) => tag) }),
  };
};

/** The head of a listing's page: its description, marked as the publisher's words, and its evidence. */
export const toListingHead = (listing: ListingDocument): PageHead => ({
  title: listing.handle,
  description: `${quoted(listing.description)} ${listing.sample ? listing.origin_note : '(its publisher’s words).'} ${listing.evidence_snapshot}`,
  path: pagePath(listing.handle),
  feeds: pagePath(listing.handle),
  card: `${pagePath(listing.handle)}/card.png`,
  data: toData(listing),
});
