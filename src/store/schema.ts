import type { Kysely } from 'kysely';
import { integer, noBackup, type RowsOf, table, text } from './table.ts';

/** `owner` is new each time. */
const leaseTable = table('lease', noBackup, {
  name: text,
  owner: text,
  /** Milliseconds since 1970, by the database's clock. */
  renewed_at: integer,
});

export const storeTables = [leaseTable] as const;
/** Higher floors add their tables. */
export interface StoreSchema extends RowsOf<typeof storeTables> {}
export type Db = Kysely<StoreSchema>;
