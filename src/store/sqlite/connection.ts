import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { StoreFailure } from '../store.ts';

const cachedStatements = 500;
/** Longer ones have so many parameters that they seldom recur. */
const longestCached_chars = 16_000;
const busyTimeout_ms = 5000;

export function connect(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: busyTimeout_ms });
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; pragma temp_store = memory; pragma secure_delete = on',
  );
  return database;
}

function toStatement(statement: StatementSync): SqliteStatement {
  const reader = statement.columns().length > 0;
  // FTS5 may leave a last_insert_rowid above 2^53, for which run() throws without bigints.
  if (!reader) statement.setReadBigInts(true);
  return {
    reader,
    all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
    run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
    iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
  };
}

/** SQLite rolls back on SQLITE_FULL, and a second rollback would hide that error. */
const toRollback = (database: DatabaseSync): SqliteStatement => ({
  reader: false,
  all: () => [],
  run: () => {
    if (database.isTransaction) database.exec('rollback');
    return { changes: 0, lastInsertRowid: 0 };
  },
  iterate: () => [].values(),
});

function toKyselyDatabase(database: DatabaseSync): SqliteDatabase {
  const statements = new LRUCache<string, SqliteStatement>({ max: cachedStatements });
  return {
    close: () => database.close(),
    prepare(sql) {
      if (sql === 'rollback') return toRollback(database);
      const cached = statements.get(sql);
      if (cached) return cached;
      const statement = toStatement(database.prepare(sql));
      if (sql.length <= longestCached_chars) statements.set(sql, statement);
      return statement;
    },
  };
}

export const createDb = <Schema>(database: DatabaseSync): Kysely<Schema> =>
  new Kysely<Schema>({ dialect: new SqliteDialect({ database: toKyselyDatabase(database) }) });

/** sqlite.org/rescode.html */
const busy = 5;
const locked = 6;
const io = 10;
const corrupt = 11;
const full = 13;
const notADatabase = 26;
const failures: Readonly<Record<number, StoreFailure>> = {
  [busy]: 'unavailable',
  [locked]: 'unavailable',
  [io]: 'damaged',
  [corrupt]: 'damaged',
  [notADatabase]: 'damaged',
  [full]: 'storage_full',
};

const resultCodeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;

export const sqliteFailure = (error: unknown): StoreFailure | undefined =>
  failures[resultCodeOf(error) ?? -1];

export const isDamagedContent = (error: unknown): error is Error =>
  resultCodeOf(error) === corrupt || resultCodeOf(error) === notADatabase || isForeignNumber(error);

/** None of ours is above 2^53, so only damage leaves what node:sqlite refuses. */
const isForeignNumber = (error: unknown) =>
  error instanceof Error && /too large to be represented as a JavaScript number/.test(error.message);
