import type { ListingVersion } from '../../evidence/listing/listing.ts';

/** A place in the list of versions; `updated_at` orders a list of changes. */
export interface VersionPlace {
  readonly handle: string;
  readonly version: string;
  readonly updated_at: string;
}

/** Which versions to list, as the registry API asks for them. */
export interface VersionQuery {
  /** Continue after this version. */
  readonly after: VersionPlace | undefined;
  readonly limit: number;
  /** `latest`: only the version that the listing shows; any other text: only versions of that name. */
  readonly version: string | undefined;
  /** Only versions whose entry changed at this time or later, RFC 3339; the list is then in the order of that time. */
  readonly updatedSince: string | undefined;
  /** Deleted versions too. */
  readonly withDeleted: boolean;
}

/**
 * Versions of listings that no opt-out line withdrew and that are not of the shipped sample, by handle and version, with
 * their records.
 */
export type ReadVersions = (query: VersionQuery) => Promise<ListingVersion[]>;
