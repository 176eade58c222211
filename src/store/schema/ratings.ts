import type { Json, Time } from './columns.ts';

/** A native rating, every version of it. */
export interface RatingRow {
  id: string;
  subject_handle: string;
  source_handle: string;
  source_capability_id: string;
  source_root: string;
  /** What source_root is counted as, and whom it stands for, by which it is matched (evidence/rating/identity.ts). */
  source: string;
  source_identity: string;
  source_root_generation: number;
  /** The control root whose claim of the subject was in force when this version was made. */
  subject_root: string | null;
  subject_root_generation: number | null;
  interaction_id: string;
  interaction_at: Time;
  outcome: string;
  score: number | null;
  /** The remaining content fields. */
  content: Json;
  /** SHA-256 of the canonical content, hex: tells a replay from a conflict. */
  content_digest: string;
  /** What was checked of the interaction (evidence/rating/proof). */
  proof_class: string;
  /** SHA-256 of salt and proof, and the salt; base64. */
  proof_commitment: string | null;
  proof_salt: string | null;
  /** What decides the group (evidence/rating/groups.ts): the first three are 0 or 1. */
  related: number;
  declared_interest: number;
  reciprocal: number;
  stated_overlap: Json | null;
  source_ended_at: Time | null;
  new_until: Time;
  created_at: Time;
  /** Of the first version. */
  first_created_at: Time;
  /** 90 days later: until when a rating in the other direction makes a pair with it. */
  pair_until: Time;
  supersedes: string | null;
  superseded_by: string | null;
  withdrawn_at: Time | null;
  withdrawn_by: number | null;
  /** When the operator erased what it said; it is withdrawn then too. */
  erased_at: Time | null;
  /** When the operator voided it; it counts in no group then. */
  voided_at: Time | null;
  /** 1 while neither superseded, withdrawn nor voided. */
  is_current: number;
  log_index: number;
}

/** A proof that a rating used up; the row goes when the rating is erased. */
export interface SpentProofRow {
  /** SHA-256 of what identifies the proof, hex. */
  digest: string;
  rating_id: string;
}

/** The rated listing’s only response to a rating. */
export interface RatingResponseRow {
  rating_id: string;
  text: string;
  created_at: Time;
  log_index: number;
  /** When the operator erased its text. */
  erased_at: Time | null;
}

/** An account or host that a version of a listing ever named, or that its namespace or a claim of it proved. */
export interface RecordedIdentityRow {
  handle: string;
  kind: 'proven' | 'stated';
  value: string;
  first_imported_at: Time;
}
