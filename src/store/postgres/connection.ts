import { setTimeout as wait } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import { Client, Pool, type PoolClient, type PoolConfig, types } from 'pg';

export const readConnections = 8;

/** Below `statement_timeout`, so that a write succeeds after the lock of an idle transaction. */
const idleTransactionTimeout_ms = 3000;

/** node-postgres returns it as text; ours are below 2^53. */
const int8 = 20;
const getTypeParser: typeof types.getTypeParser = (oid, format) =>
  oid === int8 ? Number : types.getTypeParser(oid, format);

/** The database's default isolation may differ. */
export const toPoolConfig = (connectionString: string, options = ''): PoolConfig => ({
  connectionString,
  application_name: 'dossier',
  types: { getTypeParser },
  options: `-c default_transaction_isolation=read\\ committed ${options}`,
  connectionTimeoutMillis: 3000,
  statement_timeout: 5000,
  query_timeout: 6000,
  idle_in_transaction_session_timeout: idleTransactionTimeout_ms,
  keepAlive: true,
});

export const withoutTimeouts = (config: PoolConfig): PoolConfig => ({
  ...config,
  statement_timeout: 0,
  query_timeout: 0,
  idle_in_transaction_session_timeout: 0,
});

type PostgresQuery = (...parameters: unknown[]) => Promise<unknown>;

/**
 * A broken client rejects its query; its 'error' event would end the process. After a timeout it is closed
 * and not pooled.
 */
function handleClientErrors(client: PoolClient): void {
  client.on('error', () => undefined);
  const query = client.query.bind(client) as PostgresQuery;
  const queryOrClose: PostgresQuery = async (...parameters) => {
    try {
      return await query(...parameters);
    } catch (error) {
      const isTimeout = error instanceof Error && error.message === 'Query read timeout';
      if (isTimeout && client instanceof Client) void client.end().catch(() => undefined);
      throw error;
    }
  };
  Object.assign(client, { query: queryOrClose });
}

export function createDb<Schema>(config: PoolConfig): Kysely<Schema> {
  const pool = new Pool(config);
  pool.on('error', () => undefined).on('connect', handleClientErrors);
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

const heartbeat_ms = 1000;
const firstRetry_ms = 50;
const longestRetry_ms = 1000;

/** `lost` resolves at its end. */
export interface Session {
  readonly client: Client;
  readonly lost: Promise<void>;
}

type Open = () => Promise<Session>;

const pause = (time_ms: number, stopped: AbortSignal) =>
  wait(time_ms, undefined, { signal: stopped, ref: false });

async function openWithRetries(open: Open, stopped: AbortSignal): Promise<Session> {
  for (let retry_ms = firstRetry_ms; ; retry_ms = Math.min(retry_ms * 2, longestRetry_ms)) {
    try {
      return await open();
    } catch {
      await pause(retry_ms, stopped);
    }
  }
}

/** A silent client's session is lost. */
async function sendHeartbeats(current: () => Session, stopped: AbortSignal): Promise<never> {
  for (;;) {
    await pause(heartbeat_ms, stopped);
    const { client } = current();
    await client.query('select 1').catch(() => client.end());
  }
}

/**
 * Opens a lost session again, trying each second at least, and calls `onReopened`. Returns how to close it.
 */
export async function keepSession(open: Open, onReopened: () => void): Promise<() => Promise<void>> {
  const stopping = new AbortController();
  let session = await open();
  const reopenWhenLost = async () => {
    for (;;) {
      await session.lost;
      stopping.signal.throwIfAborted();
      session = await openWithRetries(open, stopping.signal);
      if (stopping.signal.aborted) return session.client.end();
      onReopened();
    }
  };
  const running = Promise.allSettled([reopenWhenLost(), sendHeartbeats(() => session, stopping.signal)]);
  return async () => {
    stopping.abort();
    await session.client.end().catch(() => undefined);
    await running;
  };
}
