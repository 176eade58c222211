import type { Kysely } from 'kysely';
import type { LogSchema, LogTransaction } from '../log/schema.ts';
import type { TransactionPart } from '../store/store.ts';
import { integer, noBackup, optional, type RowsOf, table, text } from '../store/table.ts';

const bucketTable = table('limit_bucket', noBackup, {
  /** The limit, and the caller; a network as an HMAC. */
  key: text,
  /** Of the HMAC's secret; null if `key` names no network. */
  day: optional(text),
  /** Microseconds since 1970, after which the row can go. */
  full_at: integer,
});

/** In base64, deleted after the day. */
const keyTable = table('limit_key', noBackup, { day: text, secret: text });

export const limitTables = [bucketTable, keyTable] as const;
export interface LimitSchema extends LogSchema, RowsOf<typeof limitTables> {}
export type Db = Kysely<LimitSchema>;
export interface LimitTransaction extends LogTransaction, TransactionPart<'limits'> {}
