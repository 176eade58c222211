/** JSON kept as text, the same on both engines. */
type Json = string;
/** RFC 3339 UTC with milliseconds, so that text order is time order. */
type Time = string;

/** One listing: the facts of its latest version, ready to show. */
export interface ListingTable {
  /** The static order: first publication, never moved by ratings or by publishing more (see evidence/order.ts). */
  id: number;
  handle: string;
  handle_folded: string;
  namespace: string;
  title: string | null;
  description: string;
  version: string;
  /** Where it was imported from, as it was named then. */
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
  /** Why the listing is not shown any more; its text columns are then empty. */
  withdrawn: 'deleted' | 'optout' | null;
  /** Search facets as they stand in the index, `kind:value` separated by spaces. */
  facets: string;
}

/** Every version the registry ever named, with its cleaned record. */
export interface ListingVersionTable {
  handle: string;
  version: string;
  status: 'active' | 'deprecated' | 'deleted';
  status_message: string | null;
  published_at: Time;
  updated_at: Time;
  is_latest: number;
  /** SHA-256 of the entry as received, hex; an equal one means nothing to do. */
  digest: string;
  record: Json;
}

/** Imported signals, apart from ratings: one row a listing and source (see signals.ts). */
export interface ImportedSignalTable {
  handle: string;
  source: string;
  signals: Json;
}

/** One run of the import, kept as its public report and as the place to resume from. */
export interface ImportRunTable {
  id: number;
  kind: 'full' | 'incremental';
  source: string;
  state: 'running' | 'done' | 'failed' | 'held';
  started_at: Time;
  finished_at: Time | null;
  updated_since: Time | null;
  cursor: string | null;
  /** Counts so far (see ImportCounts). */
  counts: Json;
  error: string | null;
  /** Who works on a running one (registry/lease.ts) and when that was last shown; null where nobody does. */
  lease_owner: string | null;
  lease_at: Time | null;
}

/** A record that could not be read, with the reason; replaced when it comes again. */
export interface QuarantineTable {
  name: string;
  version: string;
  reason: string;
  run_id: number;
  seen_at: Time;
}

/** The claim of a listing: who showed write access, when it was last seen. */
export interface ClaimTable {
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

/** What happened to a claim; log_index is the key and the order. */
export interface ClaimEventTable {
  handle: string;
  type: 'activated' | 'rotated' | 'restored' | 'suspended' | 'revoked';
  at: Time;
  repository: string;
  commit_id: string | null;
  reason: string | null;
  capability_id: string | null;
  log_index: number;
}

/** The newest look at a listing’s repository, kept for an hour: what one node saw, the others answer. */
export interface ClaimCheckTable {
  handle: string;
  repository_key: string;
  begun_at: Time;
  /** Whose look it is: a node among those on the database, and one name for each look. */
  owner: string;
  /** What it came to (claim/check-claim.ts), once that is known. */
  outcome: Json | null;
}

/** A capability by its hash; the secret itself is never stored. */
export interface CapabilityTable {
  /** SHA-256 of the capability, hex. */
  hash: string;
  /** First 16 hex digits of the hash. */
  id: string;
  handle: string;
  state: 'active' | 'suspended' | 'revoked' | 'burnt';
  issued_at: Time;
  activated_at: Time;
  ended_at: Time | null;
}

/** A native rating, every version of it. */
export interface RatingTable {
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
  /** SHA-256 of the canonical content, to tell a replay from a conflict. */
  content_digest: string;
  flags: Json;
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

/** What the rated listing answered to a rating, once. */
export interface RatingResponseTable {
  rating_id: string;
  text: string;
  created_at: Time;
  log_index: number;
}

/** The append-only log: the leaves' texts. */
export interface LogLeafTable {
  log_index: number;
  type: string;
  leaf: string;
}

/** Hashes of the complete subtrees over one log's leaves (evidence/merkle.ts); level 0 are the leaf hashes. */
export interface LogNodeTable {
  log: number;
  level: number;
  position: number;
  /** Hex. */
  hash: string;
}

/** What a leaf commits to; deleting the row erases it, the leaf stays. */
export interface LogRecordTable {
  log_index: number;
  salt: string;
  record: Json;
}

/**
 * The logs, numbered from 1; the last one is written to, and locking its row orders the writers. A log begins anew only
 * where the database turned out to be older than a checkpoint that was published.
 */
export interface LogHeadTable {
  id: number;
  /** log_index of its first entry. */
  base: number;
  /** Entries in it. */
  size: number;
  opened_at: Time;
  /** The last checkpoint that was published of it, once it is closed. */
  closed_with: string | null;
}

/** The seed of the key that signs checkpoints, base64. */
export interface LogKeyTable {
  id: number;
  seed: string;
  created_at: Time;
}

/** Private feedback, read by the operator only. */
export interface FeedbackTable {
  id: string;
  received_at: Time;
  state: 'open' | 'closed';
  category: string | null;
  handle: string | null;
  message: string;
  looking_for: string | null;
  found_it: number | null;
  contact: string | null;
}

/** Keys that sign challenges, newest first by created_at. */
export interface ClaimKeyTable {
  kid: number;
  secret: string;
  created_at: Time;
}

/** A bucket of a limit that all nodes share (limits/limit.ts). */
export interface LimitBucketTable {
  /** Name of the limit and whom it counts; a network only as that day's HMAC. */
  key: string;
  /** The day whose key made the network's HMAC; null where no network is in the key. */
  day: string | null;
  /** When it is full again, microseconds since 1970; the row is needed no longer then. */
  full_at: number;
}

/** Keys that networks are known by for one day, base64. */
export interface LimitKeyTable {
  day: string;
  secret: string;
}

/** How many visible listings have a facet; kept by the writes, so that no read counts. */
export interface FacetCountTable {
  facet: string;
  listings: number;
}

/** How many visible listings a namespace has; kept by the writes, so that no read counts. */
export interface PublisherCountTable {
  namespace: string;
  listings: number;
}

export interface Schema {
  listing: ListingTable;
  listing_version: ListingVersionTable;
  imported_signal: ImportedSignalTable;
  import_run: ImportRunTable;
  quarantine: QuarantineTable;
  claim: ClaimTable;
  claim_event: ClaimEventTable;
  claim_check: ClaimCheckTable;
  capability: CapabilityTable;
  rating: RatingTable;
  rating_response: RatingResponseTable;
  log_leaf: LogLeafTable;
  log_node: LogNodeTable;
  log_record: LogRecordTable;
  log_head: LogHeadTable;
  log_key: LogKeyTable;
  feedback: FeedbackTable;
  claim_key: ClaimKeyTable;
  facet_count: FacetCountTable;
  publisher_count: PublisherCountTable;
  limit_bucket: LimitBucketTable;
  limit_key: LimitKeyTable;
}
