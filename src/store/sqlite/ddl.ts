import { sql } from 'kysely';
import type { EngineDdl } from '../migrations/engine-ddl.ts';

/** Tables that only SQLite has: the search index, its frequent words, and what each commit changed (watch.ts). */
export const sqliteDdl: EngineDdl = {
  int8: sql`integer`,
  text: sql`text`,
  async createEngineTables(db) {
    await sql`create virtual table listing_search using fts5(words, content='', contentless_delete=1,
      detail=column, tokenize=ascii)`.execute(db);
    await sql`create table listing_search_word (word text not null primary key) without rowid`.execute(db);
    await sql`create table changed_handles (
      seq integer not null primary key, node text not null, handles text not null)`.execute(db);
  },
};
