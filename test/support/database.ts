import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { openPostgresStore } from '../../src/app/postgres-store.ts';
import { openSqliteStore } from '../../src/app/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';

/** Address of the PostgreSQL that these tests run on; undefined where they run on SQLite. */
export const postgresUrl = process.env.TEST_POSTGRES;

/** A database with our tables and nothing in them. */
export const templateDatabase = 'dossier_template';

let made = 0;
let connections: Pool | undefined;

async function createPostgresDatabase(server: string): Promise<string> {
  const name = `test_${process.pid}_${Date.now().toString(36)}_${made++}`;
  connections ??= new Pool({ connectionString: `${server}/postgres`, max: 1, allowExitOnIdle: true }).on(
    'error',
    () => undefined,
  );
  await connections.query(`create database ${name} template ${templateDatabase} strategy file_copy`);
  return `${server}/${name}`;
}

/**
 * Value of DATABASE_URL of a new database on the engine that this run is about; only one process may open it.
 */
export const createDatabase = async (): Promise<string> =>
  postgresUrl ? createPostgresDatabase(postgresUrl) : ':memory:';

/** The same for several processes; SQLite's file goes into `folder`. */
export const createSharedDatabase = async (
  folder = mkdtempSync(join(tmpdir(), 'dossier-database-')),
): Promise<string> =>
  postgresUrl ? createPostgresDatabase(postgresUrl) : `file:${join(folder, `${made++}.db`)}`;

/** Opens a database by its DATABASE_URL, without a cache. */
export const openDatabase = (databaseUrl: string): Promise<Store> =>
  databaseUrl.startsWith('postgres:') ? openPostgresStore(databaseUrl) : openSqliteStore(databaseUrl);
