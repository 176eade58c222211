import type { Kysely } from 'kysely';
import type { StoreSchema } from '../store/schema.ts';
import { integer, noBackup, type RowsOf, table, text } from '../store/table.ts';

/** A restore counts again. Engines have their own tables (app/sqlite-store.ts, app/postgres-store.ts). */
const termTable = table('search_term', noBackup, { term: text, listings: integer, strong: integer });

export const searchTables = [termTable] as const;
export interface SearchSchema extends StoreSchema, RowsOf<typeof searchTables> {}
export type Db = Kysely<SearchSchema>;
