import type { Config } from '../config/config.ts';
import { toShownDatabase } from '../config/settings.ts';
import { ExitError, ioError, settingsError } from '../core/process.ts';
import { NoDatabase, type SchemaOpening } from '../store/migrations/migrate.ts';
import { isDamagedContent } from '../store/sqlite/connection.ts';
import type { Store } from '../store/store.ts';
import { createCachedStore } from './cached-store.ts';

async function openEngine(url: string, readUrl: string, opening: SchemaOpening): Promise<Store> {
  if (/^postgres(ql)?:/.test(url))
    return (await import('./postgres-store.ts')).openPostgresStore(url, readUrl || undefined, opening);
  return (await import('./sqlite-store.ts')).openSqliteStore(url, opening);
}

const nextWhenDamaged =
  'stop every process that uses it, and put back an intact copy of the file or restore the newest backup (docs/operations.md, "When something is down")';

/** Undefined unless SQLite's file is damaged. */
export const toDamageError = (error: unknown): ExitError | undefined =>
  isDamagedContent(error)
    ? ioError(`DATABASE_URL: the database cannot be read: ${error.message}; ${nextWhenDamaged}`)
    : undefined;

export { NoDatabase, type SchemaOpening };

/** Also if a restore into it has not ended. Throws ExitError. */
export async function connectStore(
  databases: Pick<Config, 'databaseUrl' | 'databaseReadUrl'>,
  opening: SchemaOpening,
): Promise<Store> {
  const { databaseUrl: url, databaseReadUrl: readUrl } = databases;
  try {
    return createCachedStore(await openEngine(url, readUrl, opening));
  } catch (error) {
    if (error instanceof NoDatabase)
      throw new NoDatabase(
        `there is no database of Dossier at ${toShownDatabase(url)}; set DATABASE_URL to one, or make one with dossier serve or dossier import`,
      );
    if (error instanceof ExitError) throw error;
    const { message, code } = error as NodeJS.ErrnoException;
    throw ioError(
      `DATABASE_URL: cannot open ${toShownDatabase(url)}: ${message || code}${isDamagedContent(error) ? `; ${nextWhenDamaged}` : ''}`,
    );
  }
}

/** Throws ExitError, also if a restore has not ended. */
export async function openStore(
  databases: Parameters<typeof connectStore>[0],
  opening: SchemaOpening = 'unchanged',
): Promise<Store> {
  const store = await connectStore(databases, opening);
  if (await store.isComplete()) return store;
  await store.close();
  throw settingsError(
    'DATABASE_URL: a restore into this database is running or was interrupted; wait for it to end, or run it again',
  );
}
