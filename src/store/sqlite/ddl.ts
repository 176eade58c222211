import { sql } from 'kysely';
import type { EngineDdl } from '../migrations/engine-ddl.ts';

/**
 * Tables that only SQLite has: the search index by position, the one of facets by id, what ranking reads, the counts of
 * terms, and what each commit changed (watch.ts).
 */
export const sqliteDdl: EngineDdl = {
  int8: sql`integer`,
  text: sql`text`,
  async createEngineTables(db) {
    await sql`create virtual table listing_search using fts5(terms, content='', contentless_delete=1,
      detail=column, tokenize=ascii)`.execute(db);
    await sql`create virtual table listing_facet using fts5(facets, content='', contentless_delete=1,
      detail=none, tokenize=ascii)`.execute(db);
    await sql`create table search_doc (position integer not null primary key, text text not null)`.execute(
      db,
    );
    await sql`create table search_term (
      term text not null primary key, listings integer not null, strong integer not null) without rowid`.execute(
      db,
    );
    await sql`create table changed_handles (
      seq integer not null primary key, node text not null, handles text not null)`.execute(db);
  },
};
