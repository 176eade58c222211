import type { Json, Time } from './columns.ts';

/** What this service last observed of a listing, in one row, because every reader wants all of it. */
export interface ObservationRow {
  handle: string;
  /** When the last look ended, whatever it found. */
  observed_at: Time;
  /** StoredObservation[] (evidence/observation). */
  observations: Json;
  /** When an import changed what is to be looked at; null once a look at that record has ended. */
  due_since: Time | null;
}

/** What one look found changed; the log commits to it. */
export interface ObservationChangeRow {
  log_index: number;
  handle: string;
  at: Time;
  vantage: string;
  /** ObservationChange[] (evidence/observation). */
  changes: Json;
}

/** Tool objects as an endpoint sent them; the five newest sets of each endpoint are stored. */
export interface ToolSurfaceRow {
  handle: string;
  remote: string;
  digest: string;
  first_seen_at: Time;
  tools: Json;
}

/** A host, or an address of it, that asked to be left alone for a while. */
export interface ObservedPauseRow {
  host: string;
  /** The host itself, or the address. */
  place: string;
  not_before: Time;
}
