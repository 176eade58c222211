import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { ExitError, exitCodes, settingsError } from '../../core/process.ts';
import type { Db } from '../schema.ts';
import { convertObservations, moveLists } from './0005-timelines.ts';

export interface EngineDdl {
  /** Up to 2^53. */
  readonly int8: string;
  /** Sorts by its bytes. */
  readonly text: string;
  /** Of this engine only, as for its search index. */
  createEngineTables(db: Db): Promise<void>;
}

/** With `;` at the end of a line. */
const readStatements = (name: string): string[] =>
  readFileSync(new URL(`./${name}.sql`, import.meta.url), 'utf8')
    .replace(/^--.*\n/gm, '')
    .trim()
    .split(';\n');

/** INT8 and TEXT stand for the engine's types. */
async function runStatements(db: Db, statements: readonly string[], ddl: EngineDdl): Promise<void> {
  for (const statement of statements) {
    const typed = statement.replaceAll(/\bINT8\b/g, ddl.int8).replaceAll(/\bTEXT\b/g, ddl.text);
    await sql.raw(typed).execute(db);
  }
}

const createInitialTables = (ddl: EngineDdl): Migration => ({
  async up(db: Db) {
    await runStatements(db, readStatements('0001-tables'), ddl);
    await sql`insert into log_head (id, base, size, opened_at)
      values (1, 0, 0, ${new Date().toISOString()})`.execute(db);
    await ddl.createEngineTables(db);
  },
});

/** `make` creates and upgrades, `unchanged` does neither. */
export type SchemaOpening = 'make' | 'unchanged';

const adviceFor = {
  other:
    'this database was made by another version of Dossier, from before its first release, and cannot be upgraded; run that version, or set DATABASE_URL to a new database',
  older:
    'this database was made by an older version of Dossier; make a backup with that version, and then start dossier serve, which upgrades it',
  newer:
    'this database was made or upgraded by a newer version of Dossier; run that version or a later one, or restore a backup made before the upgrade into a new database',
};

export class NoDatabase extends ExitError {
  constructor(message = 'there is no database of Dossier') {
    super(exitCodes.io, message);
  }
}

/** Oldest first. Only the comments of an applied file may change. */
const files = readdirSync(new URL('./', import.meta.url))
  .flatMap((file) => (file.endsWith('.sql') ? [file.slice(0, -'.sql'.length)] : []))
  .sort()
  .map((name) => {
    const statements = readStatements(name);
    return { name, statements, sha256: createHash('sha256').update(statements.join(';\n')).digest('hex') };
  });

interface AppliedMigration {
  readonly name: string;
  /** None before 0004-digests. */
  readonly sha256?: string | null;
}

const isOfFile = ({ name, sha256 }: AppliedMigration, file: (typeof files)[number]) =>
  file.name === name && (sha256 ?? file.sha256) === file.sha256;

function otherVersionOf(recorded: readonly AppliedMigration[]) {
  const names = files.map(({ name }) => name);
  if (recorded.length > 0 && recorded[0]?.name !== names[0]) return 'other';
  if (recorded.some(({ name }) => !names.includes(name))) return 'newer';
  if (!recorded.every((one) => files.some((file) => isOfFile(one, file)))) return 'other';
  const isNewest = files.every((file) => recorded.some(({ name, sha256 }) => name === file.name && sha256));
  return isNewest ? undefined : 'older';
}

/** SQLSTATEs undefined_table and undefined_column; a missing role or database has others. */
function isMissing(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === '42P01' || code === '42703' || /no such (table|column)/.test(message);
}

async function readRecorded(db: Db): Promise<AppliedMigration[]> {
  try {
    return (await sql<AppliedMigration>`select * from kysely_migration order by name`.execute(db)).rows;
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** As `table.column`. */
function columnsOf(statement: string): string[] {
  const [, table, body = ''] = /^(?:create|alter) table (\w+) (?:add column )?(.*)$/s.exec(statement) ?? [];
  const parts = body.replace(/^\(|\)$/g, '').replaceAll(/\([^()]*\)/g, '');
  const names = parts.split(',').map((part) => part.trim().split(' ')[0]?.replaceAll('"', ''));
  return table ? names.filter((name) => name !== 'primary').map((name) => `${table}.${name}`) : [];
}

/** Before digests, the text of 0001-tables changed. */
async function hasColumns(db: Db, recorded: readonly AppliedMigration[]): Promise<boolean> {
  const applied = files.filter((file) => recorded.some(({ name }) => name === file.name));
  const all = applied.flatMap(({ statements }) => statements);
  const dropped = all.flatMap((one) => /^drop table (\w+);?$/.exec(one)?.[1] ?? []);
  const made = all
    .map(columnsOf)
    .filter(([column]) => column !== undefined && !dropped.includes(column.split('.')[0] ?? ''));
  const opened = made.map((columns) => {
    const table = sql.table(columns[0]?.split('.')[0] ?? '');
    return sql`exists (select ${sql.join(columns.map((column) => sql.ref(column)))} from ${table})`;
  });
  try {
    await sql`select 1 where false and (${sql.join(opened, sql` or `)})`.execute(db);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function upgrade(db: Db, ddl: EngineDdl): Promise<void> {
  const toMigration = ({ statements }: (typeof files)[number]): Migration => ({
    up: (to: Db) => runStatements(to, statements, ddl),
  });
  const migrations = {
    ...Object.fromEntries(files.map((file) => [file.name, toMigration(file)])),
    '0001-tables': createInitialTables(ddl),
    '0005-timelines': {
      up: async (to: Db) => {
        await runStatements(to, readStatements('0005-timelines'), ddl);
        await convertObservations(to);
        await moveLists(to);
      },
    },
  };
  const provider = { getMigrations: async () => migrations };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  if (error) throw error;
  for (const { name, sha256 } of files)
    await sql`update kysely_migration set sha256 = ${sha256} where name = ${name}`.execute(db);
}

/**
 * Of the rules by which the next import derives anew what follows from a stored record: its references, words
 * of the search, tags, inputs and moves. Raise it when one of them changes.
 */
export const derivation = 6;

async function deriveAnew(db: Db): Promise<void> {
  const { rows } = await sql<{ number: number }>`select number from derivation`.execute(db);
  if (rows.every(({ number }) => number >= derivation)) return;
  await sql`update listing_version set derived = null where status <> 'deleted'`.execute(db);
  await sql`update derivation set number = ${derivation}`.execute(db);
}

/**
 * Throws NoDatabase if none may be made, and ExitError if one cannot or may not be upgraded, which stays as
 * it is.
 */
export async function migrate(db: Db, ddl: EngineDdl, opening: SchemaOpening): Promise<void> {
  const recorded = await readRecorded(db);
  if (recorded.length === 0 && opening === 'unchanged') throw new NoDatabase();
  const version = otherVersionOf(recorded);
  const isUsable = !version || version === 'older';
  const other = isUsable && recorded.length > 0 && !(await hasColumns(db, recorded)) ? 'other' : version;
  if (other && (other !== 'older' || opening === 'unchanged'))
    throw settingsError(`DATABASE_URL: ${adviceFor[other]}`);
  if (other) await upgrade(db, ddl);
  if (opening === 'make') await deriveAnew(db);
}
