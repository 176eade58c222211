import type { Json, Time } from './columns.ts';

/** A native rating, every version of it. */
export interface RatingRow {
  id: string;
  subject_handle: string;
  source_handle: string;
  source_capability_id: string;
  source_root: string;
  interaction_id: string;
  interaction_at: Time;
  outcome: string;
  score: number | null;
  /** The remaining content fields. */
  content: Json;
  /** SHA-256 of the canonical content, hex: tells a replay from a conflict. */
  content_digest: string;
  flags: Json;
  /** 0 or 1. */
  independent: number;
  created_at: Time;
  supersedes: string | null;
  superseded_by: string | null;
  withdrawn_at: Time | null;
  withdrawn_reason: string | null;
  /** 1 while neither superseded nor withdrawn. */
  is_current: number;
  log_index: number;
}

/** The rated listing’s only response to a rating. */
export interface RatingResponseRow {
  rating_id: string;
  text: string;
  created_at: Time;
  log_index: number;
}
