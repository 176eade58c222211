import type { Kysely } from 'kysely';
import type { LogSchema, LogTransaction } from '../log/schema.ts';
import type { TransactionPart } from '../store/store.ts';
import { integer, noBackup, optional, type RowsOf, table, text } from '../store/table.ts';

/** All nodes share these token buckets. */
const bucketTable = table('limit_bucket', noBackup, {
  /** The name of the limit, and the key of the caller. A network appears only as an HMAC. */
  key: text,
  /**
   * The day of the secret with which the HMAC in `key` was computed. It is null if `key` names no network.
   */
  day: optional(text),
  /**
   * The time at which the bucket is full again, in microseconds since 1970. The row can be deleted then.
   */
  full_at: integer,
});

/**
 * The secret (base64) with which networks are pseudonymized on its day. The row is deleted after that day.
 */
const keyTable = table('limit_key', noBackup, { day: text, secret: text });

export const limitTables = [bucketTable, keyTable] as const;
export interface LimitSchema extends LogSchema, RowsOf<typeof limitTables> {}
export type Db = Kysely<LimitSchema>;
export interface LimitTransaction extends LogTransaction, TransactionPart<'limits'> {}
