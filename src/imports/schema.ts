import type { Kysely } from 'kysely';
import type { ObservationSchema, ObservationTransaction } from '../observations/known/schema.ts';
import type { RatingSchema, RatingTransaction } from '../ratings/schema.ts';
import type { TransactionPart } from '../store/store.ts';
import { integer, type RowsOf, table, text } from '../store/table.ts';
import { importRunTable } from './import-run.ts';

/** Unreadable entries, and the run that last saw each. */
const quarantineTable = table('quarantine', ['name', 'version'], {
  name: text,
  version: text,
  reason: text,
  run_id: integer,
  seen_at: text,
});

export const importTables = [importRunTable, quarantineTable] as const;
export interface ImportSchema extends ObservationSchema, RatingSchema, RowsOf<typeof importTables> {}
export type Db = Kysely<ImportSchema>;
export interface ImportTransaction
  extends ObservationTransaction,
    RatingTransaction,
    TransactionPart<'imports'> {}
