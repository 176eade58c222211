import type { Kysely } from 'kysely';
import type { SearchSchema } from '../search/schema.ts';
import type { TransactionPart } from '../store/store.ts';
import { integer, json, noBackup, oneOf, optional, type RowsOf, table, text } from '../store/table.ts';
import type { Change } from './change.ts';

export const changeTable = table('evidence_change', ['seq'], {
  seq: integer,
  type: oneOf<Change['type']>(),
  handle: text,
  at: text,
  data: json<Change['data']>(),
});

/** A restore writes them last, because a database without a log counts as incomplete. */
export const headTable = table(
  'log_head',
  ['id'],
  {
    id: integer,
    /** Of the first entry of the log. */
    base: integer,
    size: integer,
    opened_at: text,
    closed_with: optional(text),
  },
  { isLast: true },
);

/** The log_index of the entry that says so. */
const leafTable = table('log_leaf', ['log_index'], {
  log_index: integer,
  type: text,
  leaf: text,
  erased_by: optional(integer),
});

/** Hex (`ReadNode` in log/merkle.ts). */
const nodeTable = table('log_node', ['log', 'level', 'position'], {
  log: integer,
  level: integer,
  position: integer,
  hash: text,
});

const recordTable = table('log_record', ['log_index'], { log_index: integer, salt: text, record: text });

const keyTable = table('log_key', ['id'], { id: integer, seed: text, created_at: text });

/** One row. No backup contains it, so a restored database is audited anew. */
const auditTable = table('audit_run', noBackup, {
  id: integer,
  finished_at: text,
  entries: integer,
  faults: integer,
});

export const logTables = [
  changeTable,
  keyTable,
  leafTable,
  nodeTable,
  recordTable,
  headTable,
  auditTable,
] as const;
export interface LogSchema extends SearchSchema, RowsOf<typeof logTables> {}
export type Db = Kysely<LogSchema>;
export interface LogTransaction extends TransactionPart<'leases' | 'log' | 'audits'> {}
