import type { RawBuilder } from 'kysely';
import type { FoundDocuments, SearchDocument } from './document.ts';
import type { Probe } from './plan.ts';
import type { FacetChoice } from './query.ts';
import type { Db } from './schema.ts';

/** `after` is an id. */
export interface FacetRange {
  readonly facets: readonly FacetChoice[];
  readonly order: 'oldest' | 'newest';
  readonly after: number | undefined;
  readonly limit: number;
}

/** Listings with a term, and those in which it is strong (`isStrong`). */
export type TermCount = Readonly<Record<'listings' | 'strong', number>>;

/** Terms, weights and ranking are the same for all. */
export interface EngineIndex {
  /** Returns their texts. */
  remove(db: Db, ids: readonly number[]): Promise<string[]>;
  /** None may be there yet. */
  put(db: Db, documents: readonly SearchDocument[]): Promise<void>;
  /** Merges some of what writes leave, so that searches read less. True if there is more. */
  merge(db: Db, isFirst: boolean): Promise<boolean>;
  addTermCounts(db: Db, changes: ReadonlyMap<string, TermCount>): Promise<void>;
  /** Without terms of no listing. */
  readTermCounts(db: Db, terms: readonly string[]): Promise<Map<string, TermCount>>;
  /** The first positions, in order. */
  find(db: Db, probe: Probe): Promise<number[]>;
  /** In no particular order. */
  readTexts(db: Db, positions: readonly number[]): Promise<{ position: number; text: string }[]>;
  list(db: Db, range: FacetRange): Promise<number[]>;
  /** Of a row's `id`; the same SQL for any number. */
  hasId(ids: readonly number[]): RawBuilder<boolean>;
}

export interface SearchIndex extends EngineIndex {
  /** In no particular order. */
  readDocuments(db: Db, positions: readonly number[]): Promise<FoundDocuments>;
}

type FilteredListing = Readonly<{ id: number } & Record<'handle' | 'namespace' | 'facets', string>>;

/** listings/near.ts */
export interface SearchedListings {
  count(): Promise<number>;
  /** By lower-case handle, not withdrawn, in the order of ids. */
  withFoldedHandle(folded: string): Promise<readonly FilteredListing[]>;
  /** By folded names of tools that checks saw, neither withdrawn nor hidden, the oldest of each. */
  withTools(tools: readonly string[]): Promise<readonly FilteredListing[]>;
  /** In no particular order. */
  updates(ids: readonly number[]): Promise<readonly { readonly id: number; readonly updated_at: string }[]>;
  /** In no particular order, neither withdrawn nor hidden. */
  handles(ids: readonly number[]): Promise<readonly { readonly id: number; readonly handle: string }[]>;
}

export interface IndexSearch {
  readonly db: Db;
  readonly index: SearchIndex;
  readonly listings: SearchedListings;
}
