import { handleParts } from '../core/handle.ts';
import type { Facet } from '../search/facets.ts';
import type { SearchSort } from '../search/query.ts';
import type { Db, Json, Time } from '../store/store.ts';
import {
  type Listing,
  type ListingSummary,
  type ListingVersion,
  type VersionSummary,
  withoutHidden,
} from './listing.ts';

/** A place in the list of versions; `listed_at`, when the entry became visible here as it is, orders a list of changes. */
interface VersionPlace {
  readonly handle: string;
  readonly version: string;
  readonly listed_at: string;
}

/** A version in the list; one of a listing that was withdrawn here is deleted, without its record. */
export type ListedVersion = ListingVersion & VersionPlace;

/** Which versions to list, as the registry API asks for them. */
export interface VersionQuery {
  /** Continue after this version. */
  readonly after: VersionPlace | undefined;
  readonly limit: number;
  /** Only versions of these listings. */
  readonly handles?: readonly string[] | undefined;
  /** `latest`: only the version that the listing shows, or last showed; any other text: only versions of that name. */
  readonly version: string | undefined;
  /** Only versions of these names. */
  readonly versions?: readonly string[];
  /** Only versions whose entry changed here at this time or later, RFC 3339; the list is then in the order of that time. */
  readonly updatedSince: string | undefined;
  /** Deleted versions too. */
  readonly withDeleted: boolean;
}

/** Listings by their facets alone. */
export interface ListQuery {
  readonly facets: readonly Facet[];
  readonly sort: SearchSort;
  /** Continue after this listing. */
  readonly after: Pick<ListingSummary, 'id' | 'updated_at'> | undefined;
  readonly limit: number;
}

/** One listing: the facts of its latest version. */
export interface ListingRow {
  /** The static rank (listings/listing.ts). */
  id: number;
  handle: string;
  handle_folded: string;
  namespace: string;
  title: string | null;
  description: string;
  version: string;
  /** Name of the registry it was imported from. */
  origin: string;
  origin_status: 'active' | 'deprecated';
  status_message: string | null;
  published_at: Time;
  updated_at: Time;
  imported_at: Time;
  import_run: number;
  endpoint: string | null;
  repository: string | null;
  /** Lower-cased host/path without .git; the same for two listings of one repository. */
  repository_key: string | null;
  website: string | null;
  remotes: Json;
  packages: Json;
  tags: Json;
  /** Why the listing is no longer shown; its text columns are then empty, unless the operator withdrew it. */
  withdrawn: 'deleted' | 'optout' | 'operator' | null;
  /** 1: the operator has hidden title, description and status message. */
  hidden: number;
  /** Search facets, `kind:value` separated by spaces. */
  facets: string;
}

/** Every version the registry ever listed, with its cleaned record. */
export interface ListingVersionRow {
  handle: string;
  version: string;
  status: 'active' | 'deprecated' | 'deleted';
  status_message: string | null;
  published_at: Time;
  updated_at: Time;
  /** 0 or 1. */
  is_latest: number;
  /** SHA-256 of the entry as received, hex. */
  digest: string;
  record: Json;
  /** When the entry as it is became visible here; also when its listing was withdrawn or hidden here, or shown again. */
  listed_at: Time;
}

/** How many visible listings have a facet; every write updates it, so that no read has to count. */
export interface FacetCountRow {
  facet: string;
  listings: number;
}

/** How many visible listings a namespace has; every write updates it, so that no read has to count. */
export interface PublisherCountRow {
  namespace: string;
  listings: number;
}

declare module '../store/store.ts' {
  interface Schema {
    listing: ListingRow;
    listing_version: ListingVersionRow;
    facet_count: FacetCountRow;
    publisher_count: PublisherCountRow;
  }
}

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
const decodeSummary = (row: ListingRow): ListingSummary => ({
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

/** Visible listings after an id, in static rank, which is the order of their ids. */
export const readVisibleListings = (db: Db, afterId: number, limit: number): Promise<ListingRow[]> =>
  db
    .selectFrom('listing')
    .selectAll()
    .where('withdrawn', 'is', null)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();

/** The visible listings with these ids, in the same order. */
export async function readByIds(db: Db, ids: readonly number[]): Promise<ListingRow[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('listing')
    .selectAll()
    .where('id', 'in', [...ids])
    .where('withdrawn', 'is', null)
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
