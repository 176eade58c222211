import { CompiledQuery, sql } from 'kysely';
import type { PoolConfig } from 'pg';
import type { Db, Engine } from '../engine.ts';
import { migrate, type Opening } from '../migrations/migrate.ts';
import { createSqlStore } from '../sql-store.ts';
import type { Store } from '../store.ts';
import { createDb, readConnections, toPoolConfig, withoutTimeouts } from './connection.ts';
import { postgresDdl } from './ddl.ts';
import { postgresFailure } from './failure.ts';
import { openReplica, watchChanges } from './replica.ts';
import { postgresSearch } from './search.ts';
import { isPresentQuery, openWatch, type Watch } from './watch.ts';

/** Key of the advisory lock that every writing transaction of any node holds to its end. */
const writeLock = 0x646f7373;

/** Kysely's own lock makes nodes that start together wait for the first one. */
async function migrateDatabase(config: PoolConfig, opening: Opening): Promise<void> {
  const db = createDb({ ...withoutTimeouts(config), max: 2 });
  try {
    await migrate(db, postgresDdl, opening);
  } finally {
    await db.destroy();
  }
}

/** Reads on a connection without time-outs, because a backup is as slow as what it is written to. */
async function readSnapshot<T>(config: PoolConfig, work: (db: Db) => Promise<T>): Promise<T> {
  const db = createDb({ ...withoutTimeouts(config), max: 1 });
  try {
    return await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(work);
  } finally {
    await db.destroy();
  }
}

const runIn = (db: Db) => (text: string, values: readonly unknown[]) =>
  db.executeQuery<{ present: boolean }>(CompiledQuery.raw(text, [...values]));

const createIsWell =
  (health: Db, { node }: Watch) =>
  async () =>
    (await runIn(health)(isPresentQuery, [node])).rows[0]?.present === true;

/**
 * Opens a database of PostgreSQL 15 or later for any number of nodes. Throws NoDatabase if it has none of our tables and
 * `opening` does not allow to make them. Writing transactions of all nodes run one at a time under one lock, so that none
 * has to be repeated; reads never wait for it. With `readUrl`, searches and lists are read from a replica.
 */
export async function openPostgresStore(
  databaseUrl: string,
  readUrl?: string,
  opening: Opening = 'make',
): Promise<Store> {
  const config = toPoolConfig(databaseUrl);
  await migrateDatabase(config, opening);
  const lagging = await openReplica(readUrl ?? databaseUrl);
  const watch = await openWatch(config);
  const reader = createDb({ ...config, max: readConnections });
  const writer = createDb({ ...config, max: 1 });
  const health = createDb({ ...config, max: 1 });
  const engine: Engine = {
    reader,
    lagging,
    health,
    writer,
    search: postgresSearch,
    findDamage: async () => undefined,
    snapshot: (work) => readSnapshot(config, work),
    now_ms: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::int8`,
    isWell: createIsWell(health, watch),
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
