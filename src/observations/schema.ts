import type { Kysely } from 'kysely';
import type { ClaimSchema, ClaimTransaction } from '../claims/schema.ts';
import type { TransactionPart } from '../store/store.ts';
import { integer, json, noBackup, oneOf, optional, type RowsOf, table, text } from '../store/table.ts';
import type { SurfaceMember, SurfaceName } from './endpoint/surface.ts';
import type { ObservationChange, StoredObservation } from './observation.ts';

export const observationTable = table('observation', ['handle'], {
  handle: text,
  /** The time at which the last check ended, whatever it found. */
  observed_at: text,
  observations: json<readonly StoredObservation[]>(),
  /** The time at which an import changed the record; null once a check of that record has ended. */
  due_since: optional(text),
});

export const changeTable = table('observation_change', ['log_index'], {
  log_index: integer,
  handle: text,
  at: text,
  vantage: text,
  changes: json<readonly ObservationChange[]>(),
});

export const surfaceTable = table('listed_surface', ['handle', 'remote', 'surface', 'digest'], {
  handle: text,
  remote: text,
  surface: oneOf<SurfaceName>(),
  /** The Merkle root (hex) over the members, without the properties that `withoutForm` leaves out. */
  digest: text,
  first_seen_at: text,
  members: json<readonly SurfaceMember[]>(),
});

/** Whole values of facts, each stored once for its listing. */
export const valueTable = table('observed_value', ['handle', 'digest'], {
  handle: text,
  /** The SHA-256 (hex) of the RFC 8785 JSON. */
  digest: text,
  /** When a check last read the value. */
  at: text,
  /** zstd in base64 (values.ts). */
  value: text,
});

/** `place` is the host itself, or an address at the host. */
const pauseTable = table('observed_pause', noBackup, { host: text, place: text, not_before: text });

export const observationTables = [
  observationTable,
  changeTable,
  surfaceTable,
  valueTable,
  pauseTable,
] as const;
export interface ObservationSchema extends ClaimSchema, RowsOf<typeof observationTables> {}
export type Db = Kysely<ObservationSchema>;
export interface ObservationTransaction extends ClaimTransaction, TransactionPart<'observations'> {}
