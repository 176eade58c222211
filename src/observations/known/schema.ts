import type { Kysely } from 'kysely';
import type { ClaimSchema, ClaimTransaction } from '../../claims/schema.ts';
import type { TransactionPart } from '../../store/store.ts';
import {
  integer,
  json,
  noBackup,
  optional,
  type RowsOf,
  type TableValue,
  table,
  text,
} from '../../store/table.ts';
import type { ObservationChange } from './observation.ts';
import type { Timeline } from './timeline/timeline.ts';

export const observationTable = table('observation', ['handle'], {
  handle: text,
  observed_at: text,
  observations: json<readonly Timeline[]>(),
  /** Of the newest checks (ms since 1970), oldest first. */
  checks: optional(json<readonly number[]>()),
  /** Of what the record no longer names, the newest last (timeline/past.ts). */
  former: optional(json<readonly Timeline[]>()),
  /** When an import changed the record; null once a check of that record ended. */
  due_since: optional(text),
});

export const changeTable = table('observation_change', ['log_index'], {
  log_index: integer,
  handle: text,
  at: text,
  vantage: text,
  changes: json<readonly ObservationChange[]>(),
});

export const valueTable = table('observed_value', ['handle', 'kind', 'subject', 'digest'], {
  handle: text,
  kind: text,
  subject: text,
  digest: text,
  first_seen_at: text,
  bytes: integer,
  /** zstd in base64 (timeline/timeline.ts). */
  value: text,
});

export type ValueAt = Pick<TableValue<typeof valueTable>, 'handle' | 'kind' | 'subject'>;
export type StoredValue = Pick<TableValue<typeof valueTable>, 'digest' | 'first_seen_at' | 'bytes'>;

/** `place` is the host itself, or an address at the host. */
const pauseTable = table('observed_pause', noBackup, { host: text, place: text, not_before: text });

export const observationTables = [observationTable, changeTable, valueTable, pauseTable] as const;
export interface ObservationSchema extends ClaimSchema, RowsOf<typeof observationTables> {}
export type Db = Kysely<ObservationSchema>;
export interface ObservationTransaction extends ClaimTransaction, TransactionPart<'observations'> {}
