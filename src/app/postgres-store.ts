import { CompiledQuery, sql } from 'kysely';
import type { PoolConfig } from 'pg';
import { postgresSearch } from '../search/postgres.ts';
import { type EngineDdl, migrate, type SchemaOpening } from '../store/migrations/migrate.ts';
import { createDb, readConnections, toPoolConfig, withoutTimeouts } from '../store/postgres/connection.ts';
import { openReplica, watchChanges } from '../store/postgres/replica.ts';
import { isPresentQuery, openWatch } from '../store/postgres/watch.ts';
import type { Store, StoreFailure } from '../store/store.ts';
import type { Db, Schema, SqlEngine } from './schema.ts';
import { createSqlStore } from './sql-store.ts';

const pendingList_kb = 256;

const postgresDdl: EngineDdl = {
  int8: 'bigint',
  text: 'text collate "C"',
  async createEngineTables(db) {
    await sql`create table listing_search (
      id bigint primary key, position bigint not null, terms tsvector not null, text text not null)`.execute(
      db,
    );
    // Every search also reads GIN's pending list; without it, writing would be slower.
    await sql`create index listing_search_terms on listing_search using gin (terms)
      with (gin_pending_list_limit = ${sql.lit(pendingList_kb)})`.execute(db);
    await sql`create table search_term (
      term text collate "C" primary key, listings bigint not null, strong bigint not null)
      with (fillfactor = 70)`.execute(db);
  },
};

/** SQLSTATEs (PostgreSQL, appendix A) that pass. */
const temporary = /^(08...|57P0[1-5]|57014|53300|55P03|40001|40P01|25P0[34]|25006)$/;
const diskFull = '53100';

/** Of node-postgres, without a code. */
const lostConnection = /connection terminated|timeout exceeded|connection error|read timeout|not queryable/i;

const unreachable = /^E(?:CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)$/;

function postgresFailure(error: unknown): StoreFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  if (code === diskFull) return 'storage_full';
  const isPassing = temporary.test(code) || unreachable.test(code) || lostConnection.test(error.message);
  return isPassing ? 'unavailable' : undefined;
}

/** Held by each commit until it ends. */
const writeLock = 0x646f7373;

async function migrateDatabase(config: PoolConfig, opening: SchemaOpening): Promise<void> {
  await using db = createDb<Schema>({ ...withoutTimeouts(config), max: 2 });
  await migrate(db, postgresDdl, opening);
}

/** Without time-outs, because a backup is as slow as its file or pipe. */
async function readSnapshot<T>(config: PoolConfig, work: (db: Db) => Promise<T>): Promise<T> {
  await using db = createDb<Schema>({ ...withoutTimeouts(config), max: 1 });
  return await db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work);
}

const runIn = (db: Db) => (text: string, values: readonly unknown[]) =>
  db.executeQuery<{ present: boolean }>(CompiledQuery.raw(text, [...values]));

/** PostgreSQL 15 or later; `readUrl` is a replica for searches and lists. Throws NoDatabase. */
export async function openPostgresStore(
  databaseUrl: string,
  readUrl?: string,
  opening: SchemaOpening = 'make',
): Promise<Store> {
  const config = toPoolConfig(databaseUrl);
  await migrateDatabase(config, opening);
  const lagging = await openReplica<Schema>(readUrl ?? databaseUrl);
  const watch = await openWatch(config);
  const reader = createDb<Schema>({ ...config, max: readConnections });
  const writer = createDb<Schema>({ ...config, max: 1 });
  const health = createDb<Schema>({ ...config, max: 1 });
  const engine: SqlEngine = {
    reader,
    lagging,
    health,
    writer,
    search: postgresSearch,
    findDamage: async () => undefined,
    // VACUUM FULL would, but locks each table.
    dropDeleted: async () => false,
    snapshot: (work) => readSnapshot(config, work),
    now_ms: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::int8`,
    isWell: async () => (await runIn(health)(isPresentQuery, [watch.node])).rows[0]?.present === true,
    failureOf: postgresFailure,
    takeWriteLock: async (db) => void (await runIn(db)('select pg_advisory_xact_lock($1)', [writeLock])),
    announce: (db, changed) => watch.announce(runIn(db), changed),
    onForeignChange: watchChanges(watch, { reader, replica: readUrl ? lagging : undefined }),
    async close() {
      await watch.close();
      for (const db of [reader, lagging, health, writer]) await db.destroy();
    },
  };
  return createSqlStore(engine);
}
