import type { Json, Time } from './columns.ts';

/** One run of the import: its public report, and the place to resume from. */
export interface ImportRunRow {
  id: number;
  kind: 'full' | 'incremental';
  source: string;
  state: 'running' | 'done' | 'failed' | 'held';
  started_at: Time;
  finished_at: Time | null;
  updated_since: Time | null;
  cursor: string | null;
  /** RunProgress (evidence/import-run.ts). */
  counts: Json;
  error: string | null;
}

/** A record that could not be read, with the reason; replaced when it is sent again. */
export interface QuarantineRow {
  name: string;
  version: string;
  reason: string;
  run_id: number;
  seen_at: Time;
}
