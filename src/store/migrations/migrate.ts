import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { ExitError, exitCodes } from '../../core/process.ts';
import type { Db } from '../schema.ts';
import { createInitialTables, type EngineDdl, runStatements } from './0001-tables.ts';

/**
 * The changes that opening may make: `make` creates a missing database and upgrades an existing one,
 * `existing` only upgrades, `unchanged` does neither.
 */
export type SchemaOpening = 'make' | 'existing' | 'unchanged';

const adviceFor = {
  'before-release':
    'this database was made by an earlier version of Dossier, before its first release, and cannot be upgraded; set DATABASE_URL to a new one',
  older: 'this database was made by an older version of Dossier; dossier serve upgrades it when it starts',
  newer:
    'this database was made or upgraded by a newer version of Dossier; run that version or a later one, or restore a backup made before the upgrade into a new database',
};

export class NoDatabase extends ExitError {
  constructor(message = 'there is no database of Dossier') {
    super(exitCodes.io, message);
  }
}

/** Versions before the first release had a different first migration. Newer versions have more migrations. */
function otherVersionOf(names: readonly string[], ours: readonly string[]) {
  if (names.length > 0 && names[0] !== ours[0]) return 'before-release';
  if (names.some((name) => !ours.includes(name))) return 'newer';
  return names.length < ours.length ? 'older' : undefined;
}

async function readRecorded(db: Db): Promise<string[]> {
  try {
    const recorded = sql<{ name: string }>`select name from kysely_migration order by name`;
    return (await recorded.execute(db)).rows.map(({ name }) => name);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // SQLSTATE undefined_table. The codes for a role or database that does not exist are different.
    if (code === '42P01' || message.includes('no such table')) return [];
    throw error;
  }
}

/** The SQL files in this folder that add to the first tables, oldest first. */
const additions = ['0002-former-values'];

const createAddition = (name: string, ddl: EngineDdl): Migration => ({
  up: (db: Db) => runStatements(db, `./${name}.sql`, ddl),
});

/**
 * Throws NoDatabase if there is no database and none may be made. Throws ExitError if an existing database
 * cannot or may not be upgraded, and leaves it unchanged.
 */
export async function migrate(db: Db, ddl: EngineDdl, opening: SchemaOpening): Promise<void> {
  const migrations = {
    '0001-tables': createInitialTables(ddl),
    ...Object.fromEntries(additions.map((name) => [name, createAddition(name, ddl)])),
  };
  const names = await readRecorded(db);
  if (names.length === 0 && opening !== 'make') throw new NoDatabase();
  const other = otherVersionOf(names, Object.keys(migrations));
  if (other && (other !== 'older' || opening === 'unchanged'))
    throw new ExitError(exitCodes.configuration, `DATABASE_URL: ${adviceFor[other]}`);
  const provider = { getMigrations: async () => migrations };
  const { error } = other ? await new Migrator({ db, provider }).migrateToLatest() : {};
  if (error) throw error;
}
