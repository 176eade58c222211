import type { Facet } from '../../evidence/listing/facets.ts';
import type {
  Listing,
  ListingSummary,
  ListingVersion,
  VersionSummary,
} from '../../evidence/listing/listing.ts';
import type { ListingFacts } from '../../evidence/listing/listing-facts.ts';
import type { SearchTier } from '../../evidence/listing/short-listing.ts';
import type { SourceSignals } from './signals.ts';

/** What to search for; all facets and all words must match. */
export interface SearchQuery {
  /** Tokens of the query (tokenize.ts); the last one matches as a prefix from three letters on. */
  readonly words: readonly string[];
  readonly facets: readonly Facet[];
  /** Continue after this hit. */
  readonly after: { readonly tier: number; readonly id: number } | undefined;
  readonly limit: number;
}

/** A listing that a search found, and where. */
export interface SearchHit {
  readonly listing: ListingSummary;
  readonly tier: SearchTier;
}

/** How many listings match, counted up to 1,000; facets are counted over the same listings. */
export interface SearchCounts {
  readonly total: number;
  /** Whether more than `total` match. */
  readonly capped: boolean;
  readonly facets: Readonly<Record<Facet, number>>;
}

/** Reads of listings. Each is bounded: none scans, counts or sorts all listings. Visible means not withdrawn. */
export interface ListingReads {
  /** Everything known about one listing, withdrawn or not; undefined for an unknown handle. */
  facts(handle: string): Promise<ListingFacts | undefined>;
  /** One listing, withdrawn or not. */
  byHandle(handle: string): Promise<Listing | undefined>;
  /** Those of these handles that exist, in no particular order. */
  byHandles(handles: readonly string[]): Promise<Listing[]>;
  /** Up to `limit` visible handles similar to an unknown one: same letters in other case first, then by edit distance. */
  near(handle: string, limit: number): Promise<string[]>;
  /** Visible listings, by tier, then by static rank. */
  search(query: SearchQuery): Promise<SearchHit[]>;
  searchCounts(query: Pick<SearchQuery, 'words' | 'facets'>): Promise<SearchCounts>;
  /** How many visible listings have each facet of a kind, most first. */
  facetCounts(kind: string): Promise<{ facet: Facet; listings: number }[]>;
  /** Visible handles after a handle, in handle order, with their update times: for the sitemap. */
  page(afterHandle: string, limit: number): Promise<Pick<Listing, 'handle' | 'updated_at'>[]>;
  /** Visible listings, the newest by first publication or by last update first. */
  newest(by: 'published_at' | 'updated_at', limit: number): Promise<ListingSummary[]>;
  /** How many listings are visible. */
  count(): Promise<number>;
  /** Distinct visible values that start with a prefix, in order: for completion. */
  completions(part: 'namespace' | 'handle', prefix: string, limit: number): Promise<string[]>;
  versionSummaries(handles: readonly string[]): Promise<VersionSummary[]>;
  version(handle: string, version: string): Promise<ListingVersion | undefined>;
}

/** Writes of listings inside a transaction. */
export interface ListingWrites extends ListingReads {
  /** Inserts or replaces versions by (handle, version). */
  putVersions(versions: readonly ListingVersion[]): Promise<void>;
  /**
   * Inserts or replaces listings by handle, and updates the search index and the counters. Where another listing has
   * the `id`, the next free one is taken.
   */
  putListings(listings: readonly Listing[]): Promise<void>;
  /** Recomputes the facets that follow from claim and ratings. */
  reindex(handle: string): Promise<void>;
  /** Replaces what these sources report about these listings. */
  putSignals(signals: readonly SourceSignals[]): Promise<void>;
}
