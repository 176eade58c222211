import type { Kysely } from 'kysely';
import type { LogSchema, LogTransaction } from '../log/schema.ts';
import type { TransactionPart } from '../store/store.ts';
import { integer, noBackup, optional, type RowsOf, table, text } from '../store/table.ts';

/** All nodes share them. */
const bucketTable = table('limit_bucket', noBackup, {
  /** The limit, and the key of the caller. A network appears only as an HMAC. */
  key: text,
  /** Of the secret of the HMAC in `key`; null if `key` names no network. */
  day: optional(text),
  /** When the bucket is full again and the row can be deleted, in microseconds since 1970. */
  full_at: integer,
});

/** The base64 secret of its day, after which the row is deleted. */
const keyTable = table('limit_key', noBackup, { day: text, secret: text });

export const limitTables = [bucketTable, keyTable] as const;
export interface LimitSchema extends LogSchema, RowsOf<typeof limitTables> {}
export type Db = Kysely<LimitSchema>;
export interface LimitTransaction extends LogTransaction, TransactionPart<'limits'> {}
