import type { Kysely } from 'kysely';
import type { SearchTier } from '../evidence/listing/short-listing.ts';
import type { SearchQuery } from './contract/listings.ts';
import type { ListingRow } from './schema/listings.ts';
import type { Schema } from './schema/schema.ts';
import type { ChangedHandles, Failure } from './store.ts';

export type Db = Kysely<Schema>;

/** A row that a search found, and where. */
export interface IndexHit {
  readonly listing: ListingRow;
  readonly tier: SearchTier;
}

/** How an engine searches. All engines find the same listings in the same tiers, each with its own index. */
export interface SearchIndex {
  /** Removes the listings with these ids, then adds these visible ones. */
  replace(db: Db, removedIds: readonly number[], rows: readonly ListingRow[]): Promise<void>;
  search(db: Db, query: SearchQuery): Promise<IndexHit[]>;
  /** Facet texts of the first `limit` matches, in no particular order. */
  matchedFacets(db: Db, query: Pick<SearchQuery, 'words' | 'facets'>, limit: number): Promise<string[]>;
  /** At most `limit` listings with any of these words in their name. */
  named(db: Db, words: readonly string[], limit: number): Promise<ListingRow[]>;
}

/** What differs between engines; everything else is written once on top of it (sql-store.ts). */
export interface Engine {
  /** For reads outside a transaction. */
  readonly reader: Db;
  /** For searches and lists, which may lag behind the latest writes; the same as `reader` without a replica. */
  readonly lagging: Db;
  /** Runs transactions one after another, each holding the write lock from its start. */
  readonly writer: Db;
  readonly search: SearchIndex;
  /** Reads all data as of one moment, however long it takes and whatever is written meanwhile. */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** The name of this process among those that share the database, as long as it runs. */
  readonly node: string;
  /** Whether the process with a name is still running; true if that cannot be found out. */
  isPresent(node: string): Promise<boolean>;
  /** What an error of this engine means to a caller; undefined for an unexpected one. */
  failureOf(error: unknown): Failure | undefined;
  /** Called first in every transaction: waits until no other process writes. */
  takeWriteLock(db: Db): Promise<void>;
  /** Called last in a transaction: notifies other processes once it is committed. */
  announce(db: Db, changed: ChangedHandles): Promise<void>;
  /** Calls back when another process wrote. Returns a function that stops it. */
  onForeignChange(listener: (changed: ChangedHandles) => void): () => void;
  close(): Promise<void>;
}
