import type { ListingVersion } from '../../evidence/listing/listing.ts';

/** A place in the list of versions; `listed_at`, when the entry became visible here as it is, orders a list of changes. */
export interface VersionPlace {
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

/** Versions of listings that are not of the shipped sample, by handle and version. */
export type ReadVersions = (query: VersionQuery) => Promise<ListedVersion[]>;
