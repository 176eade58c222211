import { CompiledQuery } from 'kysely';
import type { PoolConfig } from 'pg';
import type { Db, Engine } from '../engine.ts';
import { migrate } from '../migrations/migrate.ts';
import { createSqlStore } from '../sql-store.ts';
import type { ChangedHandles, Store } from '../store.ts';
import { postgresDdl } from './ddl.ts';
import { postgresFailure } from './failure.ts';
import { createDb, toPoolConfig, withoutTimeouts } from './pool.ts';
import { repeatWhenCaughtUp } from './replica-lag.ts';
import { postgresSearch } from './search.ts';
import { isPresentQuery, openWatch, type Watch } from './watch.ts';

const readConnections = 8;

/** Held to the end of each writing transaction of any node, as SQLite holds its write lock. */
const writeLock = 0x646f7373;

/** Nodes that start together wait for the first one on Kysely's own lock. */
async function migrateDatabase(config: PoolConfig): Promise<void> {
  const db = createDb({ ...withoutTimeouts(config), max: 2 });
  try {
    await migrate(db, postgresDdl);
  } finally {
    await db.destroy();
  }
}

/** A connection of its own, which may take its time: a backup goes as fast as what it is written to. */
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

/** The replica, asked once: one that is not there or is another database shall not be noticed by the first reader. */
async function openReplica(url: string): Promise<Db> {
  const db = createDb({ ...toPoolConfig(url, searchOptions), max: readConnections });
  try {
    await db.selectFrom('listing').select('id').limit(1).execute();
    return db;
  } catch (error) {
    await db.destroy();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`DATABASE_READ_URL: ${reason}`, { cause: error });
  }
}

const runIn = (db: Db) => (text: string, values: readonly unknown[]) =>
  db.executeQuery<{ present: boolean }>(CompiledQuery.raw(text, [...values]));

/** Searches have connections of their own: they are slower than what is read of one listing, and planned otherwise. */
const searchOptions = '-c enable_seqscan=off -c jit=off -c max_parallel_workers_per_gather=0';

/** Calls back on what other nodes wrote; where reads lag, on everything once more when they show it. */
function watchWrites(watch: Watch, { reader, replica }: { reader: Db; replica: Db | undefined }) {
  return (listener: (written: ChangedHandles) => void): (() => void) => {
    const stopping = new AbortController();
    const undo = [watch.onChange(listener)];
    if (replica) {
      const repeat = repeatWhenCaughtUp({ primary: reader, replica }, listener, stopping.signal);
      undo.push(watch.onChange(repeat), watch.onOwnChange(repeat));
    }
    return () => {
      stopping.abort();
      for (const end of undo) end();
    };
  };
}

/**
 * Opens a database of PostgreSQL 15 or later for any number of nodes and brings its schema up to date. Transactions of
 * all nodes run one after the other under one lock, so that none has to be tried again; reads wait for nobody. With
 * `readUrl` searches and lists are read from a replica.
 */
export async function openPostgresStore(databaseUrl: string, readUrl?: string): Promise<Store> {
  const config = toPoolConfig(databaseUrl);
  await migrateDatabase(config);
  const lagging = await openReplica(readUrl ?? databaseUrl);
  const watch = await openWatch(config);
  const reader = createDb({ ...config, max: readConnections });
  const writer = createDb({ ...config, max: 1 });
  const engine: Engine = {
    reader,
    lagging,
    writer,
    search: postgresSearch,
    snapshot: (work) => readSnapshot(config, work),
    node: String(watch.node),
    isPresent: async (node) =>
      /^\d{1,10}$/.test(node) && (await runIn(reader)(isPresentQuery, [node])).rows[0]?.present === true,
    failureOf: postgresFailure,
    begin: async (db) => void (await runIn(db)('select pg_advisory_xact_lock($1)', [writeLock])),
    announce: (db, written) => watch.announce(runIn(db), written),
    onForeignChange: watchWrites(watch, { reader, replica: readUrl ? lagging : undefined }),
    async close() {
      await watch.close();
      await reader.destroy();
      await lagging.destroy();
      await writer.destroy();
    },
  };
  return createSqlStore(engine);
}
