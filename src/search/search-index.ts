import type { RawBuilder } from 'kysely';
import type { FoundDocuments, SearchDocument } from './document.ts';
import type { FacetChoice } from './facets.ts';
import type { Probe } from './plan.ts';
import type { Db } from './schema.ts';

/** With all facets, and after the id `after`. */
export interface FacetRange {
  readonly facets: readonly FacetChoice[];
  readonly order: 'oldest' | 'newest';
  readonly after: number | undefined;
  readonly limit: number;
}

/** In how many a term is, and is strong (`isStrong`). */
export interface TermCount {
  readonly listings: number;
  readonly strong: number;
}

/** Terms, weights and ranking are the same on all engines. */
export interface EngineIndex {
  /** Returns their texts. */
  remove(db: Db, ids: readonly number[]): Promise<string[]>;
  /** None may be in the index yet. */
  put(db: Db, documents: readonly SearchDocument[]): Promise<void>;
  /**
   * Merges a part of what many writes leave in the index, so that searches read less. True if there is
   * more.
   */
  merge(db: Db, isFirst: boolean): Promise<boolean>;
  addTermCounts(db: Db, changes: ReadonlyMap<string, TermCount>): Promise<void>;
  /** Leaves out terms that no listing has. */
  readTermCounts(db: Db, terms: readonly string[]): Promise<Map<string, TermCount>>;
  /** The positions of the first matches, in order. */
  find(db: Db, probe: Probe): Promise<number[]>;
  /** In no particular order. */
  readTexts(db: Db, positions: readonly number[]): Promise<{ position: number; text: string }[]>;
  list(db: Db, range: FacetRange): Promise<number[]>;
  /** Tests a row's `id`. The SQL is the same for any number of ids. */
  hasId(ids: readonly number[]): RawBuilder<boolean>;
}

export interface SearchIndex extends EngineIndex {
  /** Those that exist, in no particular order. */
  readDocuments(db: Db, positions: readonly number[]): Promise<FoundDocuments>;
}

/** What a search reads of listings (listings/searched.ts). */
export interface SearchedListings {
  count(): Promise<number>;
  /** Not withdrawn, in the order of ids. `folded` is in lower case. */
  withFoldedHandle(
    folded: string,
  ): Promise<readonly Readonly<{ id: number } & Record<'handle' | 'namespace' | 'facets', string>>[]>;
  /** In no particular order. */
  updates(ids: readonly number[]): Promise<readonly { readonly id: number; readonly updated_at: string }[]>;
  /** Neither withdrawn nor hidden, in no particular order. */
  texts(
    ids: readonly number[],
  ): Promise<readonly { readonly handle: string; title: string | null; description: string }[]>;
}

export interface IndexSearch {
  readonly db: Db;
  readonly index: SearchIndex;
  readonly listings: SearchedListings;
}
