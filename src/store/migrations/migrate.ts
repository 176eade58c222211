import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { ExitError, exitCodes } from '../../config/exit.ts';
import type { Db } from '../engine.ts';
import type { EngineDdl } from './engine-ddl.ts';
import { listMigrations } from './index.ts';

/** Whether the first migration of a database is none of ours: versions before the first release had others. */
async function isFromBeforeRelease(db: Db, first: string | undefined): Promise<boolean> {
  const recorded = sql<{ name: string }>`select name from kysely_migration order by name limit 1`;
  const name = (await recorded.execute(db)).rows[0]?.name;
  return name !== undefined && name !== first;
}

/**
 * Brings a database up to date. Throws ExitError, and leaves the database alone, where a version before the first
 * release made it.
 */
export async function migrate(db: Db, ddl: EngineDdl): Promise<void> {
  const migrations = listMigrations(ddl);
  const provider = { getMigrations: async () => migrations };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  if (!error) return;
  if (!(await isFromBeforeRelease(db, Object.keys(migrations)[0]).catch(() => false))) throw error;
  throw new ExitError(
    exitCodes.configuration,
    'DATABASE_URL: this database was made by an earlier version of Dossier, before its first release, and cannot be upgraded; set DATABASE_URL to a new one',
  );
}
