import type { Facet } from '../../evidence/listing/facets.ts';
import type {
  Listing,
  ListingSummary,
  ListingVersion,
  VersionSummary,
} from '../../evidence/listing/listing.ts';
import type { ListingFacts } from '../../evidence/listing/listing-facts.ts';
import type { OptOutReads, OptOutWrites } from './opt-outs.ts';
import type { ReadVersions } from './registry-entries.ts';
import type { SourceSignals } from './signals.ts';

/** Orders of listings: best match (without words: oldest first), newest first, last updated first. */
export type SearchSort = 'relevance' | 'published' | 'updated';

/** What to search for; all facets must match. */
export interface SearchQuery {
  readonly text: string;
  readonly facets: readonly Facet[];
  readonly sort: SearchSort;
}

/** A listing that a search found. */
export interface SearchHit {
  readonly id: number;
  /** How many of the words that count it has; undefined if the query is its handle. */
  readonly matched: number | undefined;
}

/** How many listings match, counted up to a limit; facets are counted over the same listings. */
export interface SearchCounts {
  readonly total: number;
  /** Whether more than `total` match. */
  readonly capped: boolean;
  readonly facets: Readonly<Record<Facet, number>>;
}

/** A word of a query that no listing has, with those that were searched for instead, the most frequent first. */
export interface UnknownWord {
  readonly word: string;
  readonly near: readonly string[];
}

/** All hits of a search, in order: up to 20,000, or the best of some hundred candidates (`counts.capped`). */
export interface SearchRanking {
  readonly hits: readonly SearchHit[];
  /** How many words of the query count. */
  readonly words: number;
  readonly unknown: readonly UnknownWord[];
  readonly counts: SearchCounts;
}

/** Listings by their facets alone. */
export interface ListQuery {
  readonly facets: readonly Facet[];
  readonly sort: SearchSort;
  /** Continue after this listing. */
  readonly after: Pick<ListingSummary, 'id' | 'updated_at'> | undefined;
  readonly limit: number;
}

/** Reads of listings. Each is bounded: none scans, counts or sorts all listings. Visible means not withdrawn. */
export interface ListingReads extends OptOutReads {
  /**
   * Everything known about one listing, withdrawn or not; undefined for an unknown handle. Groups of ratings are those
   * at `now` (RFC 3339), by default the machine's time.
   */
  facts(handle: string, now?: string): Promise<ListingFacts | undefined>;
  /**
   * The same of those of some listings (a hundred at most) that exist, in the order of the handles. Nothing is cached: for
   * work that reads every listing once, so that what others read often stays in memory.
   */
  factsOfAll(handles: readonly string[], now: string): Promise<ListingFacts[]>;
  /** One listing, withdrawn or not, as recorded: with the texts that the operator has hidden. */
  byHandle(handle: string): Promise<Listing | undefined>;
  /** Those of these handles that exist, as recorded, in no particular order. */
  byHandles(handles: readonly string[]): Promise<Listing[]>;
  /** Up to `limit` visible handles similar to an unknown one: same letters in other case first, then by edit distance. */
  near(handle: string, limit: number): Promise<string[]>;
  /** Visible listings that have words of a query, ranked. */
  search(query: SearchQuery): Promise<SearchRanking>;
  /** Visible listings by their facets. */
  list(query: ListQuery): Promise<ListingSummary[]>;
  /** Counts of visible listings that have all of these facets, up to 1,000. */
  listCounts(facets: readonly Facet[]): Promise<SearchCounts>;
  /** The visible listings with these ids, in the same order. */
  byIds(ids: readonly number[]): Promise<ListingSummary[]>;
  /** How many visible listings have each facet of a kind, most first. */
  facetCounts(kind: string): Promise<{ facet: Facet; listings: number }[]>;
  /** Visible handles after a handle, in handle order, with their update times: for the sitemap. */
  page(afterHandle: string, limit: number): Promise<Pick<Listing, 'handle' | 'updated_at'>[]>;
  /**
   * Handles after a handle that have ratings, claim events, observations or active moderation, listed or not, in handle
   * order: for an audit.
   */
  withEvidence(afterHandle: string, limit: number): Promise<string[]>;
  /** Visible listings, the newest by first publication or by last update first. */
  newest(by: 'published_at' | 'updated_at', limit: number): Promise<ListingSummary[]>;
  /** How many listings are visible. */
  count(): Promise<number>;
  /** Distinct visible values that start with a prefix, in order: for completion. */
  completions(part: 'namespace' | 'handle', prefix: string, limit: number): Promise<string[]>;
  versionSummaries(handles: readonly string[]): Promise<VersionSummary[]>;
  version(handle: string, version: string): Promise<ListingVersion | undefined>;
  versionPage: ReadVersions;
}

/** Writes of listings inside a transaction. */
export interface ListingWrites extends ListingReads, OptOutWrites {
  /** Inserts or replaces versions by (handle, version), visible as they are since a time. */
  putVersions(versions: readonly ListingVersion[], at: string): Promise<void>;
  /** Marks the versions of a listing as changed here at a time: withdrawn, hidden or shown again. */
  relistVersions(handle: string, at: string): Promise<void>;
  /**
   * Inserts or replaces listings by handle, and updates the search index and the counters. Where another listing has
   * the `id`, the next free one is taken. What the operator hid or withdrew stays so, whatever is put.
   */
  putListings(listings: readonly Listing[]): Promise<void>;
  /**
   * Merges a part of the search index, so that searches after many writes read less; to be called, first with `true`,
   * until it returns false.
   */
  mergeIndex(isFirst: boolean): Promise<boolean>;
  /** Deletes all versions of a listing. */
  deleteVersions(handle: string): Promise<void>;
  /** Hides or withdraws a listing, or shows it again, as the actions of the operator that stand want it. */
  moderate(handle: string): Promise<void>;
  /** Recomputes the facets that follow from claim and ratings. */
  reindex(handle: string): Promise<void>;
  /** Replaces what these sources report about these listings. */
  putSignals(signals: readonly SourceSignals[]): Promise<void>;
}
