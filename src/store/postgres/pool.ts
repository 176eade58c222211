import { Kysely, PostgresDialect } from 'kysely';
import { Pool, type PoolClient, type PoolConfig, types } from 'pg';
import type { Schema } from '../schema.ts';

const connect_ms = 3000;
const statement_ms = 5000;
const idleTransaction_ms = 15_000;

/** Whole numbers below 2^53 are numbers; node-postgres leaves int8 as text. */
const int8 = 20;
const getTypeParser: typeof types.getTypeParser = (oid, format) =>
  oid === int8 ? Number : types.getTypeParser(oid, format);

/** How every connection is made; the isolation is said, for a database may have another default. */
export const toPoolConfig = (connectionString: string, options = ''): PoolConfig => ({
  connectionString,
  application_name: 'dossier',
  types: { getTypeParser },
  options: `-c default_transaction_isolation=read\\ committed ${options}`,
  connectionTimeoutMillis: connect_ms,
  statement_timeout: statement_ms,
  query_timeout: statement_ms + 1000,
  idle_in_transaction_session_timeout: idleTransaction_ms,
  keepAlive: true,
});

/** The same without time-outs, for what may take its time. */
export const withoutTimeouts = (config: PoolConfig): PoolConfig => ({
  ...config,
  statement_timeout: 0,
  query_timeout: 0,
  idle_in_transaction_session_timeout: 0,
});

type Query = (...given: unknown[]) => Promise<unknown>;

const isSilent = (error: unknown) => error instanceof Error && error.message === 'Query read timeout';

/**
 * Makes a connection bear its own end: one that breaks in somebody's hands tells them by what they asked (unheard, its
 * error would end the process), and one that fell silent is not put back among the living.
 */
function endure(client: PoolClient): void {
  client.on('error', () => undefined);
  const query = client.query.bind(client) as Query;
  const ask: Query = async (...given) => {
    try {
      return await query(...given);
    } catch (error) {
      if (isSilent(error)) void (client as unknown as { end(): Promise<void> }).end().catch(() => undefined);
      throw error;
    }
  };
  Object.assign(client, { query: ask });
}

/** A pool of connections under Kysely. */
export function createDb(config: PoolConfig): Kysely<Schema> {
  const pool = new Pool(config);
  pool.on('error', () => undefined).on('connect', endure);
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}
