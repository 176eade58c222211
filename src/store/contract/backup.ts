import type { Schema } from '../schema/schema.ts';

/**
 * Not part of a backup: limits expire within a day, shared checks of repositories within an hour or two, the counts of
 * search terms and the members of views follow from the listings, a restored database is audited anew, leases end with the
 * processes that hold them, and pauses of hosts within a day.
 */
type TransientTable =
  | 'limit_bucket'
  | 'limit_key'
  | 'claim_check'
  | 'search_term'
  | 'view_member'
  | 'view_pass'
  | 'audit_run'
  | 'lease'
  | 'observed_pause';
/** A table that is part of a backup. */
export type DumpedTable = Exclude<keyof Schema, TransientTable>;
/** A row as both engines store it: texts, whole numbers and nulls, by column. */
export type DumpedRow = Readonly<Record<string, string | number | null>>;
/** How many rows each table has. */
export type RowCounts = Readonly<Record<DumpedTable, number>>;

/** All data of a store, as of one moment. */
export interface Dump {
  readonly counts: RowCounts;
  /** Yields all rows, table by table in a fixed order and ordered by key within each; at most 500 and about 4 MiB at a time. */
  read(): AsyncIterable<{ readonly table: DumpedTable; readonly rows: readonly DumpedRow[] }>;
}

/** A database that is being filled from a backup; it can be used only after `finish`. */
export interface Load {
  /** Inserts at most 500 rows of one table in one transaction. Throws if they do not fit the table. */
  put(table: string, rows: readonly DumpedRow[]): Promise<void>;
  /** Marks the database as complete. Throws unless it holds exactly as many rows as `counts` says. */
  finish(counts: Readonly<Record<string, number>>): Promise<void>;
}
