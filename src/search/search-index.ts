import type { RawBuilder } from 'kysely';
import type { FoundDocuments, SearchDocument } from './document.ts';
import type { FacetChoice } from './facets.ts';
import type { Probe } from './plan.ts';
import type { Db } from './schema.ts';

/** Selects listings that have all facets and come after the id `after` in this order of ids. */
export interface FacetRange {
  readonly facets: readonly FacetChoice[];
  readonly order: 'oldest' | 'newest';
  readonly after: number | undefined;
  readonly limit: number;
}

/** How many listings have a term, and in how many of them the term is strong (`isStrong`). */
export interface TermCount {
  readonly listings: number;
  readonly strong: number;
}

/** The index of one engine. Terms, weights and ranking are the same on all engines. */
export interface EngineIndex {
  /** Returns the texts of the removed documents. */
  remove(db: Db, ids: readonly number[]): Promise<string[]>;
  /** None of the documents may be in the index yet. */
  put(db: Db, documents: readonly SearchDocument[]): Promise<void>;
  /**
   * Merges a part of the pieces that many writes leave in the index, so that searches read less. Tells
   * whether there is more to merge.
   */
  merge(db: Db, isFirst: boolean): Promise<boolean>;
  addTermCounts(db: Db, changes: ReadonlyMap<string, TermCount>): Promise<void>;
  /** Leaves out terms that no listing has. */
  readTermCounts(db: Db, terms: readonly string[]): Promise<Map<string, TermCount>>;
  /** The positions of a probe's first matches, in order. */
  find(db: Db, probe: Probe): Promise<number[]>;
  /** The texts of the documents at these positions, in no particular order. */
  readTexts(db: Db, positions: readonly number[]): Promise<{ position: number; text: string }[]>;
  list(db: Db, range: FacetRange): Promise<number[]>;
  /**
   * SQL that tests whether a row's `id` is among these ids. The text of the SQL is the same for any number of
   * ids.
   */
  hasId(ids: readonly number[]): RawBuilder<boolean>;
}

export interface SearchIndex extends EngineIndex {
  /** The documents that exist at these positions, in no particular order. */
  readDocuments(db: Db, positions: readonly number[]): Promise<FoundDocuments>;
}

/** The columns of listings that a search reads (listings/searched.ts). */
export interface SearchedListings {
  count(): Promise<number>;
  /** Listings that are not withdrawn and whose handle in lower case is this text, in the order of ids. */
  withFoldedHandle(
    folded: string,
  ): Promise<readonly Readonly<{ id: number } & Record<'handle' | 'namespace' | 'facets', string>>[]>;
  /** The time of the last update of each of these listings, in no particular order. */
  updates(ids: readonly number[]): Promise<readonly { readonly id: number; readonly updated_at: string }[]>;
  /** The texts of those listings that are neither withdrawn nor hidden, in no particular order. */
  texts(
    ids: readonly number[],
  ): Promise<readonly { readonly handle: string; title: string | null; description: string }[]>;
}

export interface IndexSearch {
  readonly db: Db;
  readonly index: SearchIndex;
  readonly listings: SearchedListings;
}
