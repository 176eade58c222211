import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';
import type { ChangedHandles, Failure, ListingRow, SearchHit, SearchQuery } from './store.ts';

export type Db = Kysely<Schema>;

/** How an engine searches: the same membership and the same tiers, each in its own index. */
export interface SearchIndex {
  /** Puts visible listings in and takes those with these ids out first. */
  replace(db: Db, removedIds: readonly number[], rows: readonly ListingRow[]): Promise<void>;
  search(db: Db, query: SearchQuery): Promise<SearchHit[]>;
  /** Facet texts of the first `limit` matches, in no order. */
  matchedFacets(db: Db, query: Pick<SearchQuery, 'words' | 'facets'>, limit: number): Promise<string[]>;
  /** Listings that have any of these words in their name, at most `limit`. */
  named(db: Db, words: readonly string[], limit: number): Promise<ListingRow[]>;
}

/** What one engine brings; everything else is written once over it. */
export interface Engine {
  /** Reads; never inside a transaction of ours. */
  readonly reader: Db;
  /** Reads of searches and lists, which may be a little behind what was written; `reader` where nothing lags. */
  readonly lagging: Db;
  /** Runs transactions one after the other, each holding the write lock from its start. */
  readonly writer: Db;
  readonly search: SearchIndex;
  /** Reads everything at one moment, whatever is written meanwhile and however long it takes. */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** The name of this process among those on the database, for as long as it runs. */
  readonly node: string;
  /** Whether the process of a name still runs; one that cannot be asked counts as running. */
  isPresent(node: string): Promise<boolean>;
  /** What an error of this engine means; undefined where it is none of those that pass. */
  failureOf(error: unknown): Failure | undefined;
  /** The first thing in every transaction: waits until no other process writes. */
  begin(db: Db): Promise<void>;
  /** The last thing in a transaction: other processes are called back once it is committed. */
  announce(db: Db, written: ChangedHandles): Promise<void>;
  /** Calls back when another process wrote. Answers the undo. */
  onForeignChange(listener: (written: ChangedHandles) => void): () => void;
  close(): Promise<void>;
}
