import { handleParts } from '../../../evidence/handle.ts';
import type { Facet } from '../../../evidence/listing/facets.ts';
import type {
  Listing,
  ListingSummary,
  ListingVersion,
  VersionSummary,
} from '../../../evidence/listing/listing.ts';
import { withoutHidden } from '../../../evidence/listing/state/hidden.ts';
import type { ListingRow, ListingVersionRow } from '../../schema/listings.ts';

/** A listing as a row; handle_folded and namespace follow from the handle. */
export const encodeListing = (listing: Listing): ListingRow => ({
  id: listing.id,
  handle: listing.handle,
  handle_folded: listing.handle.toLowerCase(),
  namespace: handleParts(listing.handle).namespace,
  title: listing.title ?? null,
  description: listing.description,
  version: listing.version,
  origin: listing.origin,
  origin_status: listing.origin_status,
  status_message: listing.status_message ?? null,
  published_at: listing.published_at,
  updated_at: listing.updated_at,
  imported_at: listing.imported_at,
  import_run: listing.import_run,
  endpoint: listing.endpoint ?? null,
  repository: listing.repository ?? null,
  repository_key: listing.repository_key ?? null,
  website: listing.website ?? null,
  remotes: JSON.stringify(listing.remotes),
  packages: JSON.stringify(listing.packages),
  tags: JSON.stringify(listing.tags),
  withdrawn: listing.withdrawn ?? null,
  hidden: listing.hidden ? 1 : 0,
  facets: encodeFacets(listing.facets),
});

/** Facets as the `facets` column holds them. */
export const encodeFacets = (facets: readonly Facet[]): string => facets.join(' ');
/** Facets of the `facets` column. */
export const decodeFacets = (facets: string): Facet[] => facets.split(' ').filter(Boolean) as Facet[];

const decodeTags = (tags: string) => JSON.parse(tags) as ListingSummary['tags'];

/** What lists need of a row, as recorded; remotes and packages are not decoded. */
export const decodeSummary = (row: ListingRow): ListingSummary => ({
  id: row.id,
  handle: row.handle,
  title: row.title ?? undefined,
  description: row.description,
  version: row.version,
  origin: row.origin,
  origin_status: row.origin_status,
  status_message: row.status_message ?? undefined,
  published_at: row.published_at,
  updated_at: row.updated_at,
  imported_at: row.imported_at,
  import_run: row.import_run,
  endpoint: row.endpoint ?? undefined,
  repository: row.repository ?? undefined,
  repository_key: row.repository_key ?? undefined,
  website: row.website ?? undefined,
  tags: decodeTags(row.tags),
  facets: decodeFacets(row.facets),
  withdrawn: row.withdrawn ?? undefined,
  ...(row.hidden === 1 && { hidden: true }),
});

/** The same as it is shown, without the texts that the operator has hidden. */
export const decodeShown = (row: ListingRow): ListingSummary => withoutHidden(decodeSummary(row));

/** All of a row, as recorded. */
export const decodeListing = (row: ListingRow): Listing =>
  Object.assign(decodeSummary(row), {
    remotes: JSON.parse(row.remotes) as Listing['remotes'],
    packages: JSON.parse(row.packages) as Listing['packages'],
  });

/** A version as a row. */
export const encodeVersion = (
  { status_message, is_latest, ...version }: ListingVersion,
  listed_at: string,
): ListingVersionRow => ({
  ...version,
  listed_at,
  status_message: status_message ?? null,
  is_latest: is_latest ? 1 : 0,
});

/** A version without its record. */
export const decodeVersionSummary = (
  row: Omit<ListingVersionRow, 'record' | 'status_message' | 'listed_at'>,
): VersionSummary => ({ ...row, is_latest: row.is_latest === 1 });

/** A version with its record. */
export const decodeVersion = ({ listed_at: _, ...row }: ListingVersionRow): ListingVersion => ({
  ...row,
  status_message: row.status_message ?? undefined,
  is_latest: row.is_latest === 1,
});
