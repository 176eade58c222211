import { sql } from 'kysely';
import type { EngineDdl } from '../migrations/engine-ddl.ts';

/** The search index of PostgreSQL is a tsvector with GIN; notifications take the place of a table of changes. */
export const postgresDdl: EngineDdl = {
  int8: sql`bigint`,
  text: sql`text collate "C"`,
  async createEngineTables(db) {
    await sql`create table listing_search (id bigint primary key, words tsvector not null)`.execute(db);
    await sql`create index listing_search_words on listing_search using gin (words)`.execute(db);
  },
};
