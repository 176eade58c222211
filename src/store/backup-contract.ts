import type { Schema } from './schema.ts';

/** What is not part of a backup: limits are forgotten within a day, looks at repositories within an hour or two. */
type ForgottenTable = 'limit_bucket' | 'limit_key' | 'claim_check';
/** A table that is part of a backup. */
export type DumpedTable = Exclude<keyof Schema, ForgottenTable>;
/** A row as both engines keep it: texts, whole numbers and nulls, by column. */
export type DumpedRow = Readonly<Record<string, string | number | null>>;
/** How many rows each table has. */
export type RowCounts = Readonly<Record<DumpedTable, number>>;

/** Everything that is kept, as it was at one moment. */
export interface Dump {
  readonly counts: RowCounts;
  /** All rows, table by table in a fixed order and by key inside; at most 500 at a time. */
  read(): AsyncIterable<{ readonly table: DumpedTable; readonly rows: readonly DumpedRow[] }>;
}

/** A database that a backup is put into; it is whole only after `finish`. */
export interface Load {
  /** Puts rows of one table in, in one transaction; at most 500. Throws where they do not fit the table. */
  put(table: string, rows: readonly DumpedRow[]): Promise<void>;
  /** Makes the database whole. Throws where it does not hold exactly so many rows. */
  finish(counts: Readonly<Record<string, number>>): Promise<void>;
}
