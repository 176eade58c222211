import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Db } from '../schema.ts';

export interface EngineDdl {
  /** Column type of integers up to 2^53. */
  readonly int8: string;
  /** Column type of text that sorts by its bytes. */
  readonly text: string;
  /** Creates the tables that only this engine has, such as those of its search index. */
  createEngineTables(db: Db): Promise<void>;
}

/**
 * Each statement ends with `;` at the end of a line. The words INT8 and TEXT stand for the engine's types.
 */
export async function runStatements(
  db: Db,
  file: string,
  { int8, text }: Pick<EngineDdl, 'int8' | 'text'>,
): Promise<void> {
  const statements = readFileSync(new URL(file, import.meta.url), 'utf8')
    .replace(/^--.*\n/gm, '')
    .replaceAll(/\bINT8\b/g, int8)
    .replaceAll(/\bTEXT\b/g, text);
  for (const statement of statements.trim().split(';\n')) await sql.raw(statement).execute(db);
}

export const createInitialTables = (ddl: EngineDdl): Migration => ({
  async up(db: Db) {
    await runStatements(db, './0001-tables.sql', ddl);
    await sql`insert into log_head (id, base, size, opened_at)
      values (1, 0, 0, ${new Date().toISOString()})`.execute(db);
    await ddl.createEngineTables(db);
  },
});
