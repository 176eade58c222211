import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { sqliteSearch } from '../search/sqlite.ts';
import { type EngineDdl, migrate, NoDatabase, type SchemaOpening } from '../store/migrations/migrate.ts';
import { connect, createDb, sqliteFailure } from '../store/sqlite/connection.ts';
import { createAnnounce, watchFile, watchForeignChanges } from '../store/sqlite/file.ts';
import type { Store } from '../store/store.ts';
import type { Db, Schema, SqlEngine } from './schema.ts';
import { createSqlStore } from './sql-store.ts';

/** Numbered by position, and by id. Other processes read `changed_handles` (store/sqlite/file.ts). */
const sqliteDdl: EngineDdl = {
  int8: 'integer',
  text: 'text',
  async createEngineTables(db) {
    await sql`create virtual table listing_search using fts5(terms, content='', contentless_delete=1,
      detail=column, tokenize=ascii)`.execute(db);
    await sql`create virtual table listing_facet using fts5(facets, content='', contentless_delete=1,
      detail=none, tokenize=ascii)`.execute(db);
    await sql`create table search_doc (position integer not null primary key, text text not null)`.execute(
      db,
    );
    await sql`create table search_term (
      term text not null primary key, listings integer not null, strong integer not null) without rowid`.execute(
      db,
    );
    await sql`create table changed_handles (
      seq integer not null primary key, node text not null, handles text not null)`.execute(db);
  },
};

const longestWait_ms = 5000;
const retryAfter_ms = 5;

/** While another process holds the lock, this one goes on answering. */
function createWriteLock(writing: DatabaseSync): () => Promise<void> {
  const takeLock = writing.prepare('update log_head set size = size where false');
  // run() also reports last_insert_rowid, which FTS5 may set above 2^53.
  takeLock.setReadBigInts(true);
  return async () => {
    for (const end_ms = performance.now() + longestWait_ms; ; ) {
      try {
        takeLock.run();
        return;
      } catch (error) {
        if (sqliteFailure(error) !== 'unavailable' || performance.now() > end_ms) throw error;
      }
      await setTimeout(retryAfter_ms);
    }
  };
}

/** `immediate`: of two processes with the same new file, one waits. */
async function migrateFile(database: DatabaseSync, db: Db, opening: SchemaOpening): Promise<void> {
  database.exec(opening === 'unchanged' ? 'begin' : 'begin immediate');
  try {
    await migrate(db, sqliteDdl, opening);
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

/** Deferred, so that it does not take the write lock. */
const readOnce = <T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> =>
  db.connection().execute(async (connection) => {
    await sql`begin deferred`.execute(connection);
    try {
      return await work(connection);
    } finally {
      await sql`end`.execute(connection);
    }
  });

/** On its own connection, for which no other read has to wait. */
async function readSnapshot<T>(path: string, work: (db: Db) => Promise<T>): Promise<T> {
  await using db = createDb<Schema>(connect(path));
  return await readOnce(db, work);
}

async function isDoneInTime(attempt: () => boolean): Promise<boolean> {
  for (const end_ms = performance.now() + longestWait_ms; performance.now() < end_ms; ) {
    try {
      if (attempt()) return true;
    } catch (error) {
      if (!['unavailable', 'storage_full'].includes(sqliteFailure(error) ?? '')) throw error;
    }
    await setTimeout(retryAfter_ms);
  }
  return false;
}

/**
 * SQLite leaves copies of rows that it moved to another page. False if the file is locked for too long or the
 * disk is full.
 */
async function dropDeleted(path: string): Promise<boolean> {
  const database = connect(path);
  try {
    // `vacuum` would build the new file in memory.
    database.exec('pragma busy_timeout = 0; pragma temp_store = file');
    const emptyLog = database.prepare('pragma wal_checkpoint(truncate)');
    const isRewritten = await isDoneInTime(() => database.exec('vacuum') === undefined);
    return isRewritten && (await isDoneInTime(() => emptyLog.get()?.busy === 0));
  } finally {
    database.close();
  }
}

async function quickCheck(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db);
  const found = rows[0]?.quick_check;
  return found === 'ok' ? undefined : found?.replace(/\s+/g, ' ');
}

async function connectAll(path: string, opening: SchemaOpening) {
  const inMemory = path === ':memory:';
  if (opening === 'make' && !inMemory) {
    mkdirSync(dirname(path), { recursive: true });
    // Only its owner may read it, because it holds keys; `-wal` and `-shm` get the same mode.
    closeSync(openSync(path, 'a', 0o600));
  }
  // Setting the journal's mode would write to an empty file.
  if (opening !== 'make' && !statSync(path, { throwIfNoEntry: false })?.size) throw new NoDatabase();
  const writing = connect(path);
  const writer = createDb<Schema>(writing);
  await migrateFile(writing, writer, opening);
  // Waiting inside SQLite would block the event loop.
  writing.exec('pragma busy_timeout = 0');
  const reading = inMemory ? writing : connect(path);
  const reader = inMemory ? writer : createDb<Schema>(reading);
  const watching = inMemory ? writing : connect(path);
  const snapshot: SqlEngine['snapshot'] = (work) =>
    inMemory ? readOnce(reader, work) : readSnapshot(path, work);
  const close = async () => {
    await reader.destroy();
    await writer.destroy();
    // Kysely closes only what it has used.
    for (const database of [reading, watching, writing]) if (database.isOpen) database.close();
  };
  return { writing, writer, reader, watching, snapshot, close };
}

/** In memory, reads wait for an open transaction. Throws NoDatabase. */
export async function openSqliteStore(databaseUrl: string, opening: SchemaOpening = 'make'): Promise<Store> {
  const path = databaseUrl.replace(/^file:/, '');
  const { writing, writer, reader, watching, snapshot, close } = await connectAll(path, opening);
  const file = watchFile(path);
  const takeWriteLock = createWriteLock(writing);
  const node = randomUUID();
  const announce = createAnnounce(writing, node);
  const engine: SqlEngine = {
    reader,
    lagging: reader,
    health: reader,
    writer,
    search: sqliteSearch,
    findDamage: () => quickCheck(reader),
    dropDeleted: async () => path === ':memory:' || dropDeleted(path),
    snapshot,
    now_ms: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
    isWell: async () => file.isWell(),
    failureOf: file.failureOf,
    takeWriteLock() {
      file.requireSame();
      return takeWriteLock();
    },
    announce: async (_db, changed) => announce(changed),
    onForeignChange: (listener) => watchForeignChanges(watching, node, listener),
    close,
  };
  return createSqlStore(engine);
}
