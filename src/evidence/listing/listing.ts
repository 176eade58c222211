import type { Facet } from './facets.ts';
import type { ListingPackage, ListingRemote, ListingTag } from './listing-document.ts';

/** What lists and searches need of a listing. Times are RFC 3339 UTC with milliseconds, so text order is time order. */
export interface ListingSummary {
  /** The static rank (static-rank.ts): it orders every list and never changes with ratings or new versions. */
  readonly id: number;
  readonly handle: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly version: string;
  /** Name of the registry it was imported from, as it was named at that time. */
  readonly origin: string;
  readonly origin_status: 'active' | 'deprecated';
  readonly status_message: string | undefined;
  readonly published_at: string;
  readonly updated_at: string;
  /** When it was read; `import_run` is the run that read it. */
  readonly imported_at: string;
  readonly import_run: number;
  readonly endpoint: string | undefined;
  readonly repository: string | undefined;
  /** Lower-cased host/path without .git; equal for two listings of one repository. */
  readonly repository_key: string | undefined;
  readonly website: string | undefined;
  readonly tags: readonly ListingTag[];
  readonly facets: readonly Facet[];
  /** Why the listing is no longer shown; its texts are then empty, unless the operator withdrew it. */
  readonly withdrawn: 'deleted' | 'optout' | 'operator' | undefined;
  /** Whether the operator has hidden its title, description and status message. */
  readonly hidden?: true;
}

/** One listing: the facts of its latest version, cleaned. */
export interface Listing extends ListingSummary {
  readonly remotes: readonly ListingRemote[];
  readonly packages: readonly ListingPackage[];
}

/** One version of a listing, without the publisher's record. */
export interface VersionSummary {
  readonly handle: string;
  readonly version: string;
  readonly status: 'active' | 'deprecated' | 'deleted';
  readonly published_at: string;
  readonly updated_at: string;
  /** Whether the registry calls it the latest. */
  readonly is_latest: boolean;
  /** SHA-256 of the entry as received, hex: an equal digest means that nothing changed. */
  readonly digest: string;
}

/** One version of a listing, deleted ones included. */
export interface ListingVersion extends VersionSummary {
  readonly status_message: string | undefined;
  /** The publisher's server.json, cleaned, as JSON text: a document of its own, parsed only for the version shown. */
  readonly record: string;
}
