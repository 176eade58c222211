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

/** The result code of an error of node:sqlite, without what extends it. */
const codeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;

/** What an error of node:sqlite means to a caller. */
export const sqliteFailure = (error: unknown): Failure | undefined => failures[codeOf(error) ?? -1];

/** Whether an error of node:sqlite says that the content of the file is no database or a damaged one. */
export const isDamagedContent = (error: unknown): error is Error =>
  codeOf(error) === corrupt || codeOf(error) === notADatabase || isForeignNumber(error);

/** No integer that we store is above 2^53: node:sqlite refuses to read one that damage has left. */
const isForeignNumber = (error: unknown) =>
  error instanceof Error && /too large to be represented as a JavaScript number/.test(error.message);
