import type { Kysely, RawBuilder } from 'kysely';
import type { StoreSchema } from './schema.ts';
import type { StoredRow } from './table.ts';

export interface StoreDump {
  readonly counts: Readonly<Record<string, number>>;
  /**
   * Table by table, in the order of the keys, at most 500 rows and 256 KiB of text (or a single row) at
   * once.
   */
  read(): AsyncIterable<{ readonly table: string; readonly rows: readonly StoredRow[] }>;
}

/** The database can be used only after `finish`. */
export interface Load {
  /** At most 500 rows, in one transaction. Throws if they do not fit the table. */
  put(table: string, rows: readonly StoredRow[]): Promise<void>;
  /** Marks the database as complete. Throws if the numbers of rows are others. */
  finish(counts: Readonly<Record<string, number>>): Promise<void>;
}

/** Of all nodes, only one holder has it at a time. */
export interface Lease extends AsyncDisposable {
  readonly name: string;
  readonly owner: string;
  /**
   * Aborted when the lease was lost, or could not be renewed in time; from then on another node may act.
   */
  readonly signal: AbortSignal;
  /**
   * No other holder can have the lease. Check it before each act outside the database, and `isHeldBy` in a
   * transaction.
   */
  isOurs(): boolean;
  /** Never rejects: a lease that cannot be released expires. */
  release(): Promise<void>;
}

export interface Leases {
  /** Undefined if no holder is stored, for example after a release. */
  find(name: string): Promise<{ readonly isHeld: boolean; readonly renewed_at: string } | undefined>;
  /** The `owner` of each lease of this store begins with this id. */
  readonly holder: string;
  /** Undefined while anybody has the lease. */
  take(name: string): Promise<Lease | undefined>;
  /** Of another store whose thread has ended, so that others need not wait until its leases expire. */
  releaseOf(holder: string): Promise<void>;
  end(): Promise<void>;
}

/** The reads of each noun (app/sql-store.ts). */
// biome-ignore lint/suspicious/noEmptyInterface: app/sql-store.ts adds the reads that it makes
export interface Reads {}

/**
 * Reads see the transaction's own writes. A function takes only the part that its module needs, such as
 * ClaimTransaction.
 */
// biome-ignore lint/suspicious/noEmptyInterface: app/sql-store.ts adds the reads and writes that it makes
export interface Transaction {}

/** In the package's declarations nothing adds members to `Transaction`, so this type has none there. */
export type TransactionPart<Name extends string> = Pick<Transaction, Extract<Name, keyof Transaction>>;

/** Listings that a committed transaction changed, and keys of views; 'all' if they are not known. */
export type ChangedHandles = readonly string[] | 'all';

/**
 * No disk space, a database that cannot be reached for now, or a damaged or missing file, which an operator
 * has to repair.
 */
export type StoreFailure = 'storage_full' | 'unavailable' | 'damaged';

/** One conformance suite tests this contract on every engine. */
export interface Store
  extends Reads,
    AsyncDisposable,
    Pick<Engine, 'failureOf' | 'isWell' | 'findDamage' | 'dropDeleted' | 'close'> {
  /**
   * Sees all earlier writes, and returns once its own are durable. If `work` throws, nothing is written.
   * After a conflict `work` runs again, so it must have no effects outside the transaction: in it, `write`
   * and requests to hosts reject.
   */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** They wait for no other reads. */
  readonly health: Reads;
  readonly leases: Leases;
  /** False during a restore, and after one that was interrupted. */
  isComplete(): Promise<boolean>;
  /** Reads as of one moment, however long `work` takes; a database in memory is not written meanwhile. */
  snapshot<T>(work: (reads: Reads) => Promise<T>): Promise<T>;
  dump<T>(work: (dump: StoreDump) => Promise<T>): Promise<T>;
  /** Undefined if the database is in use. */
  load(): Promise<Load | undefined>;
  /**
   * After commits, of this process or another, that changed listings, and when such may have been missed.
   * Returns a function that stops the calls.
   */
  onChange(listener: (changed: ChangedHandles) => void): () => void;
}

export interface Engine<Schema extends StoreSchema = StoreSchema> {
  readonly reader: Kysely<Schema>;
  /** For searches and lists. With a replica it may lag behind the latest writes. */
  readonly lagging: Kysely<Schema>;
  /** For the few reads that tell whether this node is well. */
  readonly health: Kysely<Schema>;
  /** Runs transactions one after another, each holding the write lock from its start. */
  readonly writer: Kysely<Schema>;
  /** One line. Undefined if none was found, or if the engine has no such check. */
  findDamage(): Promise<string | undefined>;
  /**
   * Removes deleted content from the files. False if they may still have some. Blocks other writers
   * meanwhile.
   */
  dropDeleted(): Promise<boolean>;
  snapshot<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /** Milliseconds since 1970 by the one clock that all nodes on the database share. */
  readonly now_ms: RawBuilder<number>;
  /**
   * On SQLite, the file is still the one that was opened and no damage was found lately; on PostgreSQL,
   * this process receives the writes of others.
   */
  isWell(): Promise<boolean>;
  /** Undefined for an unexpected error. */
  failureOf(error: unknown): StoreFailure | undefined;
  /** Called first in every transaction; waits until no other process writes. */
  takeWriteLock(db: Kysely<Schema>): Promise<void>;
  /** Called last in a transaction that changed listings; notifies other processes once it is committed. */
  announce(db: Kysely<Schema>, changed: ChangedHandles): Promise<void>;
  /** When another process changed listings, or may have. Returns a function that stops the calls. */
  onForeignChange(listener: (changed: ChangedHandles) => void): () => void;
  close(): Promise<void>;
}
