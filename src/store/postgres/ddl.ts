import { sql } from 'kysely';
import type { EngineDdl } from '../migrations/engine-ddl.ts';

const pendingList_kb = 256;

/** The search index of PostgreSQL is a tsvector with GIN; notifications take the place of a table of changes. */
export const postgresDdl: EngineDdl = {
  int8: sql`bigint`,
  text: sql`text collate "C"`,
  async createEngineTables(db) {
    await sql`create table listing_search (
      id bigint primary key, position bigint not null, terms tsvector not null, text text not null)`.execute(
      db,
    );
    // Every search reads all of what GIN has not merged yet; without such a list a row would take three times as long.
    await sql`create index listing_search_terms on listing_search using gin (terms)
      with (gin_pending_list_limit = ${sql.lit(pendingList_kb)})`.execute(db);
    await sql`create table search_term (
      term text collate "C" primary key, listings bigint not null, strong bigint not null)
      with (fillfactor = 70)`.execute(db);
  },
};
