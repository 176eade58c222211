import type { Failure } from '../store.ts';

/** Result codes of SQLite (sqlite.org/rescode.html): SQLITE_BUSY, SQLITE_LOCKED and SQLITE_FULL. */
const [busy, locked, full] = [5, 6, 13];

/** What an error of node:sqlite means to a caller. */
export function sqliteFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error && 'errcode' in error)) return undefined;
  if (error.errcode === full) return 'storage_full';
  return error.errcode === busy || error.errcode === locked ? 'unavailable' : undefined;
}
