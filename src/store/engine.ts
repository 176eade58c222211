import type { Kysely, RawBuilder } from 'kysely';
import type { Facet } from '../evidence/listing/facets.ts';
import type { SearchDocument } from '../evidence/search/document.ts';
import type { Probe } from '../evidence/search/plan.ts';
import type { Candidate } from '../evidence/search/score.ts';
import type { Schema } from './schema/schema.ts';
import type { ChangedHandles, Failure } from './store.ts';

export type Db = Kysely<Schema>;

/** Listings that have all of some facets, after an id in the order of ids. */
export interface FacetRange {
  readonly facets: readonly Facet[];
  readonly order: 'oldest' | 'newest';
  readonly after: number | undefined;
  readonly limit: number;
}

/** How many listings have a term, and of how many it is one that says most (`strong` in evidence/search/document.ts). */
export interface TermCount {
  readonly listings: number;
  readonly strong: number;
}

/** How an engine searches. Terms, weights and ranking are the same for all engines (evidence/search). */
export interface SearchIndex {
  /** Removes listings; returns the texts of their documents. */
  remove(db: Db, ids: readonly number[]): Promise<string[]>;
  /** Adds documents; none of them may be there. */
  put(db: Db, documents: readonly SearchDocument[]): Promise<void>;
  /** Merges a part of what many writes left apart, so that searches read less; returns whether there is more to merge. */
  merge(db: Db, isFirst: boolean): Promise<boolean>;
  /** Adds to the counts of terms. */
  addTermCounts(db: Db, changes: ReadonlyMap<string, TermCount>): Promise<void>;
  /** The counts of these terms; terms that no listing has are omitted. */
  readTermCounts(db: Db, terms: readonly string[]): Promise<Map<string, TermCount>>;
  /** The first matches of a probe in the order of positions. */
  find(db: Db, probe: Probe): Promise<Candidate[]>;
  /** The same as `find`, in pieces: for probes that find thousands. */
  findInPieces(db: Db, probe: Probe): AsyncIterable<Candidate[]>;
  /** Ids of listings by their facets alone. */
  list(db: Db, range: FacetRange): Promise<number[]>;
  /** Facets of listings as stored, in no particular order. */
  readFacetTexts(db: Db, ids: readonly number[]): Promise<string[]>;
}

/** What differs between engines; everything else is written once on top of it (sql-store.ts). */
export interface Engine {
  /** For reads outside a transaction. */
  readonly reader: Db;
  /** For searches and lists, which may lag behind the latest writes; the same as `reader` without a replica. */
  readonly lagging: Db;
  /** For the few reads that say whether this node is well: other reads, however many wait, do not delay them. */
  readonly health: Db;
  /** Runs transactions one after another, each holding the write lock from its start. */
  readonly writer: Db;
  readonly search: SearchIndex;
  /** What is wrong with the database's file, in one line; undefined for nothing, and if the engine cannot be asked. */
  findDamage(): Promise<string | undefined>;
  /** Reads all data as of one moment, however long it takes and whatever is written meanwhile. */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** SQL for the milliseconds since 1970 by the one clock that all nodes on the database share. */
  readonly now_ms: RawBuilder<number>;
  /** Whether the database is where it was, and this process hears what others write. */
  isWell(): Promise<boolean>;
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
