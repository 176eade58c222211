/** JSON as text, the same on both engines. */
type Json = string;
/** RFC 3339 UTC with milliseconds, so that text order is time order. */
type Time = string;

/** One listing: the facts of its latest version. */
export interface ListingRow {
  /** The static rank (evidence/listing/static-rank.ts). */
  id: number;
  handle: string;
  handle_folded: string;
  namespace: string;
  title: string | null;
  description: string;
  version: string;
  /** Name of the registry it was imported from. */
  origin: string;
  origin_status: 'active' | 'deprecated';
  status_message: string | null;
  published_at: Time;
  updated_at: Time;
  imported_at: Time;
  endpoint: string | null;
  repository: string | null;
  /** Lower-cased host/path without .git; the same for two listings of one repository. */
  repository_key: string | null;
  website: string | null;
  remotes: Json;
  packages: Json;
  tags: Json;
  /** Why the listing is no longer shown; its text columns are then empty. */
  withdrawn: 'deleted' | 'optout' | null;
  /** Search facets, `kind:value` separated by spaces. */
  facets: string;
}

/** Every version the registry ever listed, with its cleaned record. */
export interface ListingVersionRow {
  handle: string;
  version: string;
  status: 'active' | 'deprecated' | 'deleted';
  status_message: string | null;
  published_at: Time;
  updated_at: Time;
  /** 0 or 1. */
  is_latest: number;
  /** SHA-256 of the entry as received, hex. */
  digest: string;
  record: Json;
}

/** Imported signals, apart from ratings: one row per listing and source (queries/listings/signals.ts). */
export interface ImportedSignalRow {
  handle: string;
  source: string;
  signals: Json;
}

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
  /** Which process works on a running one (registry/lease.ts) and when it last reported that; null if none does. */
  lease_owner: string | null;
  lease_at: Time | null;
}

/** A record that could not be read, with the reason; replaced when it is sent again. */
export interface QuarantineRow {
  name: string;
  version: string;
  reason: string;
  run_id: number;
  seen_at: Time;
}

/** The claim of a listing: write access to which repository was shown, and when that was last checked. */
export interface ClaimRow {
  handle: string;
  state: 'claimed' | 'suspended';
  suspended_reason: string | null;
  claimed_at: Time;
  repository: string;
  repository_key: string;
  commit_id: string | null;
  branch: string | null;
  checked_at: Time;
}

/** Events of claims, ordered by log_index. */
export interface ClaimEventRow {
  handle: string;
  type: 'activated' | 'rotated' | 'restored' | 'suspended' | 'revoked';
  at: Time;
  repository: string;
  commit_id: string | null;
  reason: string | null;
  capability_id: string | null;
  log_index: number;
}

/** The latest check of a listing’s repository, stored for an hour so that all nodes return the same result. */
export interface ClaimCheckRow {
  handle: string;
  repository_key: string;
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
}

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

/** The append-only log: the leaves' texts. */
export interface LogLeafRow {
  log_index: number;
  type: string;
  leaf: string;
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

/** The seed of the key that signs checkpoints, base64. */
export interface LogKeyRow {
  id: number;
  seed: string;
  created_at: Time;
}

/** Private feedback; only the operator reads it. */
export interface FeedbackRow {
  id: string;
  received_at: Time;
  state: 'open' | 'closed';
  category: string | null;
  handle: string | null;
  message: string;
  looking_for: string | null;
  /** 0 or 1. */
  found_it: number | null;
  contact: string | null;
}

/** Keys that sign challenges. */
export interface ClaimKeyRow {
  kid: number;
  secret: string;
  created_at: Time;
}

/** A token bucket of a limit that all nodes share (limits/limit.ts). */
export interface LimitBucketRow {
  /** Name of the limit and what it counts; a network only as that day's HMAC. */
  key: string;
  /** The day whose key made the network's HMAC; null where `key` names no network. */
  day: string | null;
  /** When it is full again, in microseconds since 1970; from then on the row can be deleted. */
  full_at: number;
}

/** Keys that networks are pseudonymized with for one day, base64. */
export interface LimitKeyRow {
  day: string;
  secret: string;
}

/** How many visible listings have a facet; every write updates it, so that no read has to count. */
export interface FacetCountRow {
  facet: string;
  listings: number;
}

/** How many visible listings a namespace has; every write updates it, so that no read has to count. */
export interface PublisherCountRow {
  namespace: string;
  listings: number;
}

export interface Schema {
  listing: ListingRow;
  listing_version: ListingVersionRow;
  imported_signal: ImportedSignalRow;
  import_run: ImportRunRow;
  quarantine: QuarantineRow;
  claim: ClaimRow;
  claim_event: ClaimEventRow;
  claim_check: ClaimCheckRow;
  capability: CapabilityRow;
  rating: RatingRow;
  rating_response: RatingResponseRow;
  log_leaf: LogLeafRow;
  log_node: LogNodeRow;
  log_record: LogRecordRow;
  log_head: LogHeadRow;
  log_key: LogKeyRow;
  feedback: FeedbackRow;
  claim_key: ClaimKeyRow;
  facet_count: FacetCountRow;
  publisher_count: PublisherCountRow;
  limit_bucket: LimitBucketRow;
  limit_key: LimitKeyRow;
}
