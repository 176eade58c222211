import type { Kysely } from 'kysely';
import type { StoreSchema } from '../store/schema.ts';
import { integer, noBackup, type RowsOf, table, text } from '../store/table.ts';

/**
 * The number of visible listings that have a term, and of the listings about which the term says most. Every
 * write updates it, and a restore fills it from the listings. The other tables of the index belong to one
 * engine (sqlite.ts, postgres.ts).
 */
const termTable = table('search_term', noBackup, { term: text, listings: integer, strong: integer });

export const searchTables = [termTable] as const;
export interface SearchSchema extends StoreSchema, RowsOf<typeof searchTables> {}
export type Db = Kysely<SearchSchema>;
