import type { Failure } from '../store.ts';

/** SQLSTATEs (PostgreSQL, appendix A) of temporary errors: connections, shutdown, conflicts, time-outs, a standby. */
const temporary = /^(08...|57P0[1-5]|57014|53300|55P03|40001|40P01|25P0[34]|25006)$/;
const diskFull = '53100';

/** Messages of errors that node-postgres throws without a code. */
const lostConnection = /connection terminated|timeout exceeded|connection error|read timeout|not queryable/i;

const socketCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** What an error of node-postgres means to a caller. */
export function postgresFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? error.code : undefined;
  if (code === diskFull) return 'storage_full';
  if (socketCodes.has(code) || (typeof code === 'string' && temporary.test(code))) return 'unavailable';
  return lostConnection.test(error.message) ? 'unavailable' : undefined;
}
