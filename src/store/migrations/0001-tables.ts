import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Db } from '../schema.ts';

export interface EngineDdl {
  /** Up to 2^53. */
  readonly int8: string;
  /** Sorts by its bytes. */
  readonly text: string;
  /** Of this engine only, as for its search index. */
  createEngineTables(db: Db): Promise<void>;
}

/** With `;` at the end of a line. */
export const readStatements = (name: string): string[] =>
  readFileSync(new URL(`./${name}.sql`, import.meta.url), 'utf8')
    .replace(/^--.*\n/gm, '')
    .trim()
    .split(';\n');

/** INT8 and TEXT stand for the engine's types. */
export async function runStatements(db: Db, statements: readonly string[], ddl: EngineDdl): Promise<void> {
  for (const statement of statements) {
    const typed = statement.replaceAll(/\bINT8\b/g, ddl.int8).replaceAll(/\bTEXT\b/g, ddl.text);
    await sql.raw(typed).execute(db);
  }
}

export const createInitialTables = (ddl: EngineDdl): Migration => ({
  async up(db: Db) {
    await runStatements(db, readStatements('0001-tables'), ddl);
    await sql`insert into log_head (id, base, size, opened_at)
      values (1, 0, 0, ${new Date().toISOString()})`.execute(db);
    await ddl.createEngineTables(db);
  },
});
