import type { Kysely } from 'kysely';
import type { LogSchema, LogTransaction } from '../log/schema.ts';
import type { TransactionPart } from '../store/store.ts';
import { integer, noBackup, optional, type RowsOf, table, text } from '../store/table.ts';

/** A token bucket of a limit that all nodes share (limit.ts). */
const bucketTable = table('limit_bucket', noBackup, {
  /** Name of the limit and what it counts; a network only as that day's HMAC. */
  key: text,
  /** The day whose key made the network's HMAC; null if `key` names no network. */
  day: optional(text),
  /** The time at which it is full again, in microseconds since 1970. From then on the row can be deleted. */
  full_at: integer,
});

/** The key that networks are pseudonymized with on a day, base64; it is deleted after that day. */
const keyTable = table('limit_key', noBackup, { day: text, secret: text });

export const limitTables = [bucketTable, keyTable] as const;
export interface LimitSchema extends LogSchema, RowsOf<typeof limitTables> {}
export type Db = Kysely<LimitSchema>;
export interface LimitTransaction extends LogTransaction, TransactionPart<'limits'> {}
