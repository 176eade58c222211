import type { Json, Time } from './columns.ts';

/** The append-only log: the leaves' texts. */
export interface LogLeafRow {
  log_index: number;
  type: string;
  leaf: string;
  /** The entry that says that the record was erased. */
  erased_by: number | null;
}

/** Hashes of the complete subtrees over one log's leaves (evidence/log/merkle.ts); level 0 is the leaf hashes. */
export interface LogNodeRow {
  log: number;
  level: number;
  position: number;
  /** Hex. */
  hash: string;
}

/** The record that a leaf commits to; deleting the row erases it, the leaf stays. */
export interface LogRecordRow {
  log_index: number;
  salt: string;
  record: Json;
}

/**
 * The logs, numbered from 1. Entries are appended to the last one, and locking its row puts writers in order. A new log
 * is opened only if the database turns out to be older than a published checkpoint.
 */
export interface LogHeadRow {
  id: number;
  /** log_index of its first entry. */
  base: number;
  /** How many entries it has. */
  size: number;
  opened_at: Time;
  /** Its last published checkpoint, once it is closed. */
  closed_with: string | null;
}

/** The result of the last finished audit of the database by its own nodes, in one row. */
export interface AuditRunRow {
  id: number;
  finished_at: Time;
  entries: number;
  faults: number;
}

/** The seed of the key that signs checkpoints, base64. */
export interface LogKeyRow {
  id: number;
  seed: string;
  created_at: Time;
}
