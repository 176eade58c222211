import type { ClaimKind } from '../../evidence/claim/proof-place.ts';
import type { ClaimEvent } from '../../evidence/listing/listing-document.ts';
import type { Json, Time } from './columns.ts';

/** The claim of a listing: where it was proven, and when that was last checked. */
export interface ClaimRow {
  handle: string;
  state: 'claimed' | 'suspended';
  suspended_reason: string | null;
  claimed_at: Time;
  kind: ClaimKind;
  place: string;
  place_key: string;
  /** What the last proof of a domain saw (SeenFacts). */
  seen: Json | null;
  root: string;
  root_generation: number;
  first_proved_at: Time;
  commit_id: string | null;
  branch: string | null;
  proven_commit: string | null;
  proven_at: Time | null;
  /** Days, YYYY-MM-DD, with spaces between. */
  failed_days: string | null;
  tried_at: Time | null;
  lost_at: Time | null;
  missed_at: Time | null;
  checked_at: Time;
}

/** Events of claims, ordered by log_index. */
export interface ClaimEventRow {
  handle: string;
  type: ClaimEvent['type'];
  at: Time;
  kind: ClaimKind;
  place: string;
  /** The control root that held the claim; null for an event of a listing that was never claimed. */
  root: string | null;
  root_generation: number | null;
  commit_id: string | null;
  reason: string | null;
  capability_id: string | null;
  log_index: number;
}

/** The latest check of a place where a listing can be claimed, stored for an hour so that all nodes return the same result. */
export interface ClaimCheckRow {
  handle: string;
  /** Kind and key of the place. */
  place: string;
  begun_at: Time;
  /** Who makes it: the node’s name, and an id of the check. */
  owner: string;
  /** Its result (claims/check-claim.ts), once there is one. */
  outcome: Json | null;
}

/** A capability by its hash; the secret itself is never stored. */
export interface CapabilityRow {
  /** SHA-256 of the capability, hex. */
  hash: string;
  /** First 16 hex digits of the hash. */
  id: string;
  handle: string;
  state: 'active' | 'suspended' | 'revoked' | 'leaked';
  issued_at: Time;
  activated_at: Time;
  ended_at: Time | null;
  signed_by: string | null;
}

/** A key for receipts that a listing published with its claim, and the time in which it was seen there. */
export interface ReceiptKeyRow {
  handle: string;
  kid: string;
  jwk: Json;
  valid_from: Time;
  valid_until: Time | null;
  /** Where it was first seen. */
  kind: ClaimKind;
  place: string;
  commit_id: string | null;
}

/** Keys that sign challenges. */
export interface ClaimKeyRow {
  kid: number;
  secret: string;
  created_at: Time;
}
