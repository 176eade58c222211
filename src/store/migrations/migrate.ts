import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { ExitError, exitCodes } from '../../config/exit.ts';
import type { Db } from '../engine.ts';
import type { EngineDdl } from './engine-ddl.ts';
import { listMigrations } from './index.ts';

type OtherVersion = 'before-release' | 'newer';

const adviceFor: Readonly<Record<OtherVersion, string>> = {
  'before-release':
    'this database was made by an earlier version of Dossier, before its first release, and cannot be upgraded; set DATABASE_URL to a new one',
  newer:
    'this database was made or upgraded by a newer version of Dossier; run that version or a later one, or restore a backup made before the upgrade into a new database',
};

/**
 * Which other version left a database with migrations that are not ours: versions before the first release had another
 * first one, newer ones have further ones.
 */
async function otherVersionOf(db: Db, ours: readonly string[]): Promise<OtherVersion | undefined> {
  const recorded = sql<{ name: string }>`select name from kysely_migration order by name`;
  const names = (await recorded.execute(db)).rows.map(({ name }) => name);
  if (names.length > 0 && names[0] !== ours[0]) return 'before-release';
  return names.some((name) => !ours.includes(name)) ? 'newer' : undefined;
}

/** Brings a database up to date. Throws ExitError, and leaves it alone, where a version that we cannot follow made it. */
export async function migrate(db: Db, ddl: EngineDdl): Promise<void> {
  const migrations = listMigrations(ddl);
  const provider = { getMigrations: async () => migrations };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  if (!error) return;
  const other = await otherVersionOf(db, Object.keys(migrations)).catch(() => undefined);
  if (!other) throw error;
  throw new ExitError(exitCodes.configuration, `DATABASE_URL: ${adviceFor[other]}`);
}
