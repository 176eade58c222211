import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { ExitError, exitCodes } from '../../core/process.ts';
import type { Db } from '../store.ts';
import { createInitialTables, type EngineDdl } from './0001-tables.ts';
import { createFormerValues } from './0002-former-values.ts';

/**
 * What opening may do to a database: `make` one that is missing, and bring an `existing` one up to date;
 * `unchanged` does neither.
 */
export type Opening = 'make' | 'existing' | 'unchanged';

const adviceFor = {
  'before-release':
    'this database was made by an earlier version of Dossier, before its first release, and cannot be upgraded; set DATABASE_URL to a new one',
  older: 'this database was made by an older version of Dossier; dossier serve upgrades it when it starts',
  newer:
    'this database was made or upgraded by a newer version of Dossier; run that version or a later one, or restore a backup made before the upgrade into a new database',
};

/** There is nothing to open, and nothing may be made. */
export class NoDatabase extends ExitError {
  constructor(message = 'there is no database of Dossier') {
    super(exitCodes.io, message);
  }
}

/**
 * Which other version left a database with migrations that are not ours: versions before the first release
 * had another first one, newer ones have further ones.
 */
function otherVersionOf(names: readonly string[], ours: readonly string[]) {
  if (names.length > 0 && names[0] !== ours[0]) return 'before-release';
  if (names.some((name) => !ours.includes(name))) return 'newer';
  return names.length < ours.length ? 'older' : undefined;
}

/** The migrations that a database has; none if there is no schema of ours in it. */
async function readRecorded(db: Db): Promise<string[]> {
  try {
    const recorded = sql<{ name: string }>`select name from kysely_migration order by name`;
    return (await recorded.execute(db)).rows.map(({ name }) => name);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // SQLSTATE undefined_table. A role or a database that does not exist has other codes.
    if (code === '42P01' || message.includes('no such table')) return [];
    throw error;
  }
}

/**
 * Brings a database up to date as far as `opening` allows. Throws NoDatabase, and ExitError if a version that
 * we cannot follow made it, or one that may not be changed is older; it is left alone then.
 */
export async function migrate(db: Db, ddl: EngineDdl, opening: Opening): Promise<void> {
  // Every migration under the name of its file, oldest first. A new one is a file here and a line in this
  // list.
  const migrations = {
    '0001-tables': createInitialTables(ddl),
    '0002-former-values': createFormerValues(ddl),
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
