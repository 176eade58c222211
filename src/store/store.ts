import type { Kysely, RawBuilder } from 'kysely';
import type { StoreSchema } from './schema.ts';
import type { StoredRow } from './table.ts';

export interface StoreDump {
  readonly counts: Readonly<Record<string, number>>;
  /** By table and key; each part has up to 500 rows and 256 KiB of text, or one row. */
  read(): AsyncIterable<{ readonly table: string; readonly rows: readonly StoredRow[] }>;
}

/** Only `finish` makes the database usable. */
export interface Load {
  /** Up to 500 rows in a transaction. Throws if they do not fit. */
  put(table: string, rows: readonly StoredRow[]): Promise<void>;
  /** Throws if the numbers of rows differ. */
  finish(counts: Readonly<Record<string, number>>): Promise<void>;
}

/** Held once among all nodes. */
export interface Lease extends AsyncDisposable {
  readonly name: string;
  readonly owner: string;
  /** Aborted when it was lost, or could not be renewed in time: from then on another node may act. */
  readonly signal: AbortSignal;
  /**
   * False if another holder can have it. Check it before each act outside the database, and `isHeldBy` in
   * transactions.
   */
  isOurs(): boolean;
  /** Never rejects: otherwise it expires. */
  release(): Promise<void>;
}

export interface Leases {
  /** Undefined after a release. */
  find(name: string): Promise<{ readonly isHeld: boolean; readonly renewed_at: string } | undefined>;
  /** Begins the `owner` of each of its leases. */
  readonly holder: string;
  /** Undefined while anybody has it. */
  take(name: string): Promise<Lease | undefined>;
  /** For a store whose thread has ended, so that nobody waits until they expire. */
  releaseOf(holder: string): Promise<void>;
  end(): Promise<void>;
}

/** Of each noun (app/sql-store.ts). */
// biome-ignore lint/suspicious/noEmptyInterface: app/sql-store.ts adds the reads that it makes
export interface Reads {}

/** Sees its own writes. Functions take a module's part, such as ClaimTransaction. */
// biome-ignore lint/suspicious/noEmptyInterface: app/sql-store.ts adds the reads and writes that it makes
export interface Transaction {}

/** The package's declarations have an empty `Transaction`. */
export type TransactionPart<Name extends string> = Pick<Transaction, Extract<Name, keyof Transaction>>;

/** Listings, and keys of views; 'all' if unknown. */
export type ChangedHandles = readonly string[] | 'all';

/** Disk full, unreachable for now, or a file that an operator has to repair. */
export type StoreFailure = 'storage_full' | 'unavailable' | 'damaged';

/** One conformance suite tests all engines. */
export interface Store
  extends Reads,
    AsyncDisposable,
    Pick<Engine, 'failureOf' | 'isWell' | 'findDamage' | 'dropDeleted' | 'close'> {
  /**
   * Runs `work` in a transaction that sees all earlier writes, and returns when its own are durable. If
   * `work` throws, nothing is written. After a conflict it runs again, so it must have no effects outside
   * the transaction: in it, `write` and requests to hosts reject.
   */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** They wait for no other reads. */
  readonly health: Reads;
  readonly leases: Leases;
  /** False during a restore, and after an interrupted one. */
  isComplete(): Promise<boolean>;
  /** Reads of one moment, however long `work` takes; a database in memory is not written meanwhile. */
  snapshot<T>(work: (reads: Reads) => Promise<T>): Promise<T>;
  dump<T>(work: (dump: StoreDump) => Promise<T>): Promise<T>;
  /** Undefined if the database is in use. */
  load(): Promise<Load | undefined>;
  /** Calls back after commits of any process that changed listings, or may have. Returns how to stop. */
  onChange(listener: (changed: ChangedHandles) => void): () => void;
}

export interface Engine<Schema extends StoreSchema = StoreSchema> {
  readonly reader: Kysely<Schema>;
  /** With a replica, behind the latest writes. */
  readonly lagging: Kysely<Schema>;
  /** For whether this node is well. */
  readonly health: Kysely<Schema>;
  /** One transaction after another, with the write lock from its start. */
  readonly writer: Kysely<Schema>;
  /** One line. Not every engine has such a check. */
  findDamage(): Promise<string | undefined>;
  /** False if files may still have deleted content. Blocks other writers. */
  dropDeleted(): Promise<boolean>;
  snapshot<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /** Milliseconds since 1970, by the one clock of all nodes. */
  readonly now_ms: RawBuilder<number>;
  /**
   * SQLite: it is still the opened file, without damage lately. PostgreSQL: the writes of others are
   * received.
   */
  isWell(): Promise<boolean>;
  /** Undefined if unexpected. */
  failureOf(error: unknown): StoreFailure | undefined;
  /** First in every transaction; waits for other processes. */
  takeWriteLock(db: Kysely<Schema>): Promise<void>;
  /** Last in a transaction that changed listings; others hear of it at the commit. */
  announce(db: Kysely<Schema>, changed: ChangedHandles): Promise<void>;
  /** Calls back when another process changed listings, or may have. Returns how to stop. */
  onForeignChange(listener: (changed: ChangedHandles) => void): () => void;
  close(): Promise<void>;
}
