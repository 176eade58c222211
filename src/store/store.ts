import type { Kysely, RawBuilder } from 'kysely';
import type { StoreSchema } from './schema.ts';
import type { StoredRow } from './table.ts';

export interface StoreDump {
  readonly counts: Readonly<Record<string, number>>;
  /**
   * Yields all rows, table by table, in the order of the keys. Each yielded part has at most 500 rows. It has
   * at most 256 KiB of text, unless it is a single row.
   */
  read(): AsyncIterable<{ readonly table: string; readonly rows: readonly StoredRow[] }>;
}

/** The database can be used only after `finish`. */
export interface Load {
  /** Inserts at most 500 rows of one table in one transaction. Throws if they do not fit the table. */
  put(table: string, rows: readonly StoredRow[]): Promise<void>;
  /**
   * Marks the database as complete. Throws if the tables do not have exactly as many rows as `counts` says.
   */
  finish(counts: Readonly<Record<string, number>>): Promise<void>;
}

/** The right to do the named work. Of all nodes, only one holder has it at a time. */
export interface Lease extends AsyncDisposable {
  readonly name: string;
  readonly owner: string;
  /** Aborted when the lease was lost, or could not be renewed in time; from then on another node may act. */
  readonly signal: AbortSignal;
  /**
   * True as long as no other holder can have the lease. Check this before each act outside the database. In a
   * transaction, check `isHeldBy` instead.
   */
  isOurs(): boolean;
  /** Lets others take the lease at once. Never rejects: a lease that cannot be released expires. */
  release(): Promise<void>;
}

export interface Leases {
  /** Returns undefined if no holder is stored, for example after a release. */
  find(name: string): Promise<{ readonly isHeld: boolean; readonly renewed_at: string } | undefined>;
  /** The id under which this store takes leases. The `owner` of each of its leases begins with this id. */
  readonly holder: string;
  /** Returns undefined while anybody has the lease. */
  take(name: string): Promise<Lease | undefined>;
  /**
   * Releases the leases of another store whose thread has ended, so that others need not wait until these
   * leases expire.
   */
  releaseOf(holder: string): Promise<void>;
  end(): Promise<void>;
}

/** The reads of each noun (app/sql-store.ts). */
// biome-ignore lint/suspicious/noEmptyInterface: app/sql-store.ts adds the reads that it makes
export interface Reads {}

/**
 * Reads see the transaction's own writes. A function takes only the part that its module needs, such as
 * ClaimTransaction in claims/schema.ts.
 */
// biome-ignore lint/suspicious/noEmptyInterface: app/sql-store.ts adds the reads and writes that it makes
export interface Transaction {}

/** In the declarations of the package, nothing adds members to `Transaction`, so this type has none there. */
export type TransactionPart<Name extends string> = Pick<Transaction, Extract<Name, keyof Transaction>>;

/**
 * Handles of the listings that a committed transaction changed, and keys of views; 'all' if they are not
 * known.
 */
export type ChangedHandles = readonly string[] | 'all';

/**
 * The kind of an engine's error: no disk space, a database that cannot be reached for now, or a damaged or
 * missing file, which an operator has to repair.
 */
export type StoreFailure = 'storage_full' | 'unavailable' | 'damaged';

/** One conformance suite tests this contract on every engine. */
export interface Store
  extends Reads,
    AsyncDisposable,
    Pick<Engine, 'failureOf' | 'isWell' | 'findDamage' | 'dropDeleted' | 'close'> {
  /**
   * Runs `work` in a transaction that sees all earlier writes, and returns the result once the writes are
   * durable. If `work` throws, nothing is written. After a conflict `work` runs again, so it must have no
   * effects outside the transaction: in `work`, `write` and requests to hosts reject.
   */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Reads that tell whether a node is ready. They wait for no other reads. */
  readonly health: Reads;
  readonly leases: Leases;
  /** False during a restore, and after one that was interrupted. */
  isComplete(): Promise<boolean>;
  /** Reads as of one moment, however long `work` takes; a database in memory is not written meanwhile. */
  snapshot<T>(work: (reads: Reads) => Promise<T>): Promise<T>;
  dump<T>(work: (dump: StoreDump) => Promise<T>): Promise<T>;
  /** Returns undefined if the database is in use. */
  load(): Promise<Load | undefined>;
  /**
   * Calls back after commits, of this process or another, that changed listings, and when such commits may
   * have been missed. Returns a function that stops the calls.
   */
  onChange(listener: (changed: ChangedHandles) => void): () => void;
}

export interface Engine<Schema extends StoreSchema = StoreSchema> {
  readonly reader: Kysely<Schema>;
  /** For searches and lists. It may lag behind the latest writes if there is a replica. */
  readonly lagging: Kysely<Schema>;
  /** For the few reads that tell whether this node is well. */
  readonly health: Kysely<Schema>;
  /** Runs transactions one after another, each holding the write lock from its start. */
  readonly writer: Kysely<Schema>;
  /**
   * Returns one line about the damage. Returns undefined if no damage was found, or if the engine has no such
   * check.
   */
  findDamage(): Promise<string | undefined>;
  /**
   * Removes deleted content from the database files. Returns false if the files may still have deleted
   * content. Blocks other writers meanwhile.
   */
  dropDeleted(): Promise<boolean>;
  snapshot<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /** SQL for the milliseconds since 1970 by the one clock that all nodes on the database share. */
  readonly now_ms: RawBuilder<number>;
  /**
   * On SQLite, tells whether the file is still the one that was opened and no damage was found lately. On
   * PostgreSQL, tells whether this process receives the writes of others.
   */
  isWell(): Promise<boolean>;
  /** Returns undefined for an unexpected error. */
  failureOf(error: unknown): StoreFailure | undefined;
  /** Called first in every transaction; waits until no other process writes. */
  takeWriteLock(db: Kysely<Schema>): Promise<void>;
  /**
   * Called last in a transaction that changed listings. Notifies other processes once the transaction is
   * committed.
   */
  announce(db: Kysely<Schema>, changed: ChangedHandles): Promise<void>;
  /**
   * Calls back when another process changed listings, or may have done so. Returns a function that stops the
   * calls.
   */
  onForeignChange(listener: (changed: ChangedHandles) => void): () => void;
  close(): Promise<void>;
}
