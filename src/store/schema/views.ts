import type { Time } from './columns.ts';

/** The last time of a listing in a view. */
export interface ViewMemberRow {
  view: string;
  handle: string;
  joined_seq: number;
  left_seq: number | null;
}

/** How far a view is judged. */
export interface ViewPassRow {
  view: string;
  seq: number;
  passed_at: Time;
}
