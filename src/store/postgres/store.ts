import { CompiledQuery } from 'kysely';
import type { PoolConfig } from 'pg';
import type { Db, Engine } from '../engine.ts';
import { migrate } from '../migrations/migrate.ts';
import { createSqlStore } from '../sql-store.ts';
import type { ChangedHandles, Store } from '../store.ts';
import { createDb, toPoolConfig, withoutTimeouts } from './connection.ts';
import { postgresDdl } from './ddl.ts';
import { postgresFailure } from './failure.ts';
import { repeatWhenCaughtUp } from './replica-lag.ts';
import { postgresSearch } from './search.ts';
import { isPresentQuery, openWatch, type Watch } from './watch.ts';

const readConnections = 8;

/** Planner settings of connections that only search. */
const searchOptions = '-c enable_seqscan=off -c jit=off -c max_parallel_workers_per_gather=0';

/** Key of the advisory lock that every writing transaction of any node holds to its end. */
const writeLock = 0x646f7373;

/** Kysely's own lock makes nodes that start together wait for the first one. */
async function migrateDatabase(config: PoolConfig): Promise<void> {
  const db = createDb({ ...withoutTimeouts(config), max: 2 });
  try {
    await migrate(db, postgresDdl);
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

/** Connects what searches and lists read from, and reads from it once, so that a wrong address fails at start. */
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

const createIsPresent = (reader: Db) => async (node: string) =>
  /^\d{1,10}$/.test(node) && (await runIn(reader)(isPresentQuery, [node])).rows[0]?.present === true;

/** Calls back on changes of other nodes and, where there is a replica, on all changes again once it has them. */
function watchChanges(watch: Watch, { reader, replica }: { reader: Db; replica: Db | undefined }) {
  return (listener: (changed: ChangedHandles) => void): (() => void) => {
    const stopping = new AbortController();
    const unsubscribe = [watch.onChange(listener)];
    if (replica) {
      const repeat = repeatWhenCaughtUp({ primary: reader, replica }, listener, stopping.signal);
      unsubscribe.push(watch.onChange(repeat), watch.onOwnChange(repeat));
    }
    return () => {
      stopping.abort();
      for (const end of unsubscribe) end();
    };
  };
}

/**
 * Opens a database of PostgreSQL 15 or later for any number of nodes and brings its schema up to date. Writing
 * transactions of all nodes run one at a time under one lock, so that none has to be repeated; reads never wait for it.
 * With `readUrl`, searches and lists are read from a replica.
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
    isPresent: createIsPresent(reader),
    failureOf: postgresFailure,
    takeWriteLock: async (db) => void (await runIn(db)('select pg_advisory_xact_lock($1)', [writeLock])),
    announce: (db, changed) => watch.announce(runIn(db), changed),
    onForeignChange: watchChanges(watch, { reader, replica: readUrl ? lagging : undefined }),
    async close() {
      await watch.close();
      for (const db of [reader, lagging, writer]) await db.destroy();
    },
  };
  return createSqlStore(engine);
}
