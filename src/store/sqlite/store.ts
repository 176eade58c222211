import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement, sql } from 'kysely';
import type { Db, Engine } from '../engine.ts';
import { migrate } from '../migrations/migrate.ts';
import type { Schema } from '../schema.ts';
import { createSqlStore } from '../sql-store.ts';
import type { Failure, Store } from '../store.ts';
import { sqliteDdl } from './ddl.ts';
import { sqliteSearch } from './search.ts';
import { createAnnounce, watchForeignWrites } from './watch.ts';

const cachedStatements = 500;
/** Characters; a longer one is of so many values that its like does not come again. */
const longestCached = 16_000;

function toStatement(statement: StatementSync): SqliteStatement {
  const reader = statement.columns().length > 0;
  // FTS5 leaves a last_insert_rowid beyond 2^53 behind, and run() throws on it unless it may answer a bigint.
  if (!reader) statement.setReadBigInts(true);
  return {
    reader,
    all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
    run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
    iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
  };
}

/** SQLite ends a transaction itself when there is no room (SQLITE_FULL); another rollback would hide that error. */
const toRollback = (database: DatabaseSync): SqliteStatement => ({
  reader: false,
  all: () => [],
  run: () => {
    if (database.isTransaction) database.exec('rollback');
    return { changes: 0, lastInsertRowid: 0 };
  },
  iterate: () => [].values(),
});

/** node:sqlite as Kysely's dialect wants it, statements kept. */
function toKyselyDatabase(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(sql) {
      if (sql === 'rollback') return toRollback(database);
      const kept = statements.get(sql);
      if (kept) return kept;
      if (statements.size >= cachedStatements) statements.clear();
      const statement = toStatement(database.prepare(sql));
      if (sql.length <= longestCached) statements.set(sql, statement);
      return statement;
    },
  };
}

function connect(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5000 });
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma temp_store = memory');
  return database;
}

const toKysely = (database: DatabaseSync) =>
  new Kysely<Schema>({ dialect: new SqliteDialect({ database: toKyselyDatabase(database) }) });

/** Two processes that open one new file wait for each other: the whole migration holds the write lock. */
async function migrateFile(database: DatabaseSync, db: Db): Promise<void> {
  database.exec('begin immediate');
  try {
    await migrate(db, sqliteDdl);
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

const writeLockWait_ms = 5000;
const writeLockPause_ms = 5;

/** The first thing that a transaction does; while another process writes, this one goes on with everything else. */
function createBegin(writing: DatabaseSync): () => Promise<void> {
  const takeWriteLock = toStatement(writing.prepare('update log_head set size = size where false'));
  return async () => {
    for (const end_ms = performance.now() + writeLockWait_ms; ; ) {
      try {
        takeWriteLock.run([]);
        return;
      } catch (error) {
        if (failureOf(error) !== 'unavailable' || performance.now() > end_ms) throw error;
      }
      await setTimeout(writeLockPause_ms);
    }
  };
}

/** What `begin` does for writers would keep them waiting for this reader. */
const readSnapshot = <T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> =>
  db.connection().execute(async (connection) => {
    await sql`begin deferred`.execute(connection);
    try {
      return await work(connection);
    } finally {
      await sql`end`.execute(connection);
    }
  });

const [busy, locked, full] = [5, 6, 13];

/** What SQLite's result code (sqlite.org/rescode.html, `errcode` in node:sqlite) means to a caller. */
function failureOf(error: unknown): Failure | undefined {
  if (!(error instanceof Error && 'errcode' in error)) return undefined;
  if (error.errcode === full) return 'storage_full';
  return error.errcode === busy || error.errcode === locked ? 'unavailable' : undefined;
}

/** The stores that this process has open; a name that an earlier process with its number left is not among them. */
const openNodes = new Set<string>();

/** Whether a process that opened the same file still runs; one of another host cannot be asked. */
async function isPresent(node: string): Promise<boolean> {
  const [host, pid] = node.split('/');
  if (host !== hostname()) return true;
  if (Number(pid) === process.pid) return openNodes.has(node);
  try {
    return process.kill(Number(pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The file holds keys: only its owner may read it, and the files that SQLite puts beside it are as this one. */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  closeSync(openSync(path, 'a', 0o600));
}

/**
 * Opens `file:<path>` (made with its folder where missing, WAL, synchronous=FULL) or `:memory:` and brings its
 * schema up to date. In memory one connection serves reads and transactions, so reads wait for a transaction.
 */
export async function openSqliteStore(databaseUrl: string): Promise<Store> {
  const path = databaseUrl.replace(/^file:/, '');
  const inMemory = path === ':memory:';
  if (!inMemory) makeFile(path);
  const writing = connect(path);
  const writer = toKysely(writing);
  await migrateFile(writing, writer);
  // From here on a busy file is waited for without standing still.
  writing.exec('pragma busy_timeout = 0');
  const reader = inMemory ? writer : toKysely(connect(path));
  const watching = inMemory ? writing : connect(path);
  const node = `${hostname()}/${process.pid}/${randomUUID()}`;
  const announce = createAnnounce(writing, node);
  openNodes.add(node);
  const engine: Engine = {
    reader,
    lagging: reader,
    writer,
    search: sqliteSearch,
    snapshot: (work) => readSnapshot(reader, work),
    node,
    isPresent,
    failureOf,
    begin: createBegin(writing),
    announce: async (_db, written) => announce(written),
    onForeignChange: (listener) => watchForeignWrites(watching, node, listener),
    async close() {
      openNodes.delete(node);
      if (!inMemory) {
        await reader.destroy();
        watching.close();
      }
      await writer.destroy();
    },
  };
  return createSqlStore(engine);
}
