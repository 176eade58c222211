import type { Kysely } from 'kysely';
import type { DocumentSchema, DocumentTransaction } from '../document/schema.ts';
import type { TransactionPart } from '../store/store.ts';
import { integer, noBackup, optional, type RowsOf, table, text } from '../store/table.ts';

/**
 * What is or was in a selection. `joined_seq` is 0 if from the first judgement. `view` is `keyOf`
 * (config/files.ts). Follows from the listings, so no backup has it.
 */
const memberTable = table('view_member', noBackup, {
  view: text,
  handle: text,
  joined_seq: integer,
  left_seq: optional(integer),
});

/** RFC 3339, of all listings, perhaps without changes after `seq`. */
const passTable = table('view_pass', noBackup, { view: text, seq: integer, passed_at: text });

export const selectionTables = [memberTable, passTable] as const;
export interface SelectionSchema extends DocumentSchema, RowsOf<typeof selectionTables> {}
export type Db = Kysely<SelectionSchema>;
export interface SelectionTransaction extends DocumentTransaction, TransactionPart<'selections'> {}
