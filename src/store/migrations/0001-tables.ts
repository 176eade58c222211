import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Db } from '../store.ts';

/** What migrations need to know about the engine that they run on. */
export interface EngineDdl {
  /** Column type of integers up to 2^53. */
  readonly int8: string;
  /** Column type of text that sorts by its bytes. */
  readonly text: string;
  /** Creates the tables that only this engine has: its search index and what comes with it. */
  createEngineTables(db: Db): Promise<void>;
}

const tables = readFileSync(new URL('./0001-tables.sql', import.meta.url), 'utf8');

/** Creates the database of the first release: its tables, and the head of an empty log. */
export const createInitialTables = ({ int8, text, createEngineTables }: EngineDdl): Migration => ({
  async up(db) {
    const statements = tables
      .replace(/^--.*\n/gm, '')
      .replaceAll('INT8', int8)
      .replaceAll('TEXT', text);
    for (const statement of statements.trim().split(';\n')) await sql.raw(statement).execute(db);
    await db
      .insertInto('log_head')
      .values({ id: 1, base: 0, size: 0, opened_at: new Date().toISOString() })
      .execute();
    await createEngineTables(db);
  },
});
