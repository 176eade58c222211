import type { Failure } from '../store.ts';

/** Result codes of SQLite (sqlite.org/rescode.html), without what extends them. */
const [busy, locked, io, corrupt, full, notADatabase] = [5, 6, 10, 11, 13, 26] as const;
const failures: Readonly<Record<number, Failure>> = {
  [busy]: 'unavailable',
  [locked]: 'unavailable',
  [io]: 'damaged',
  [corrupt]: 'damaged',
  [notADatabase]: 'damaged',
  [full]: 'storage_full',
};

/** What an error of node:sqlite means to a caller. */
export function sqliteFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error && 'errcode' in error)) return undefined;
  return failures[Number(error.errcode) & 0xff];
}
