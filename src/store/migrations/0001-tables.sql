-- The tables and indexes that the first migration makes on every engine, noun by noun. INT8 and TEXT stand
-- for the types that an engine has for integers up to 2^53, and for text that sorts by its bytes.
create table listing (
  id INT8 not null primary key, handle TEXT not null, handle_folded TEXT not null,
  namespace TEXT not null, description TEXT not null, version TEXT not null, origin TEXT not null,
  origin_status TEXT not null, published_at TEXT not null, updated_at TEXT not null,
  imported_at TEXT not null, import_run INT8 not null, remotes TEXT not null, packages TEXT not null, tags TEXT not null,
  facets TEXT not null, title TEXT, status_message TEXT, endpoint TEXT, repository TEXT,
  repository_key TEXT, website TEXT, withdrawn TEXT, hidden integer, undated integer);
create unique index listing_handle on listing (handle);
create index listing_handle_folded on listing (handle_folded);
create index listing_updated on listing (updated_at, id);
create table listing_version (
  handle TEXT not null, version TEXT not null, status TEXT not null, published_at TEXT not null,
  updated_at TEXT not null, digest TEXT not null, record TEXT not null, status_message TEXT,
  is_latest integer not null, undated integer, listed_at TEXT not null, primary key (handle, version));
create index listing_version_listed on listing_version (listed_at, handle, version);
create index listing_version_name on listing_version (version, handle);
create index listing_version_published on listing_version (handle, published_at, version, status);
create table opt_out (
  handle TEXT not null, state TEXT not null, kind TEXT not null, place TEXT not null,
  place_key TEXT not null, seen_at TEXT not null, checked_at TEXT not null, missing_at TEXT, listing TEXT,
  primary key (handle, kind, place_key));
create table listing_reference (
  key TEXT not null, published_at TEXT not null, handle TEXT not null, kind TEXT not null,
  publisher TEXT not null, as_of TEXT not null, primary key (key, published_at, handle));
create index listing_reference_handle on listing_reference (handle);
create table facet_count (facet TEXT not null primary key, listings INT8 not null);
create table publisher_count (namespace TEXT not null primary key, listings INT8 not null);
create table import_run (
  id INT8 not null primary key, kind TEXT not null, source TEXT not null, state TEXT not null,
  started_at TEXT not null, progress TEXT not null, finished_at TEXT, updated_since TEXT,
  cursor TEXT, error TEXT);
create index import_run_state on import_run (state, id);
create table quarantine (
  name TEXT not null, version TEXT not null, reason TEXT not null, seen_at TEXT not null,
  run_id INT8 not null, primary key (name, version));
create table claim (
  handle TEXT not null primary key, state TEXT not null, claimed_at TEXT not null,
  kind TEXT not null, place TEXT not null, place_key TEXT not null, seen TEXT, root TEXT not null,
  root_generation integer not null, first_proved_at TEXT not null, checked_at TEXT not null,
  suspended_reason TEXT, "commit" TEXT, branch TEXT, proven_commit TEXT, proven_at TEXT,
  failed_days TEXT, tried_at TEXT, lost_at TEXT, missed_at TEXT, missing TEXT, moving TEXT);
create index claim_root on claim (root);
create table claim_event (
  log_index INT8 not null primary key, handle TEXT not null, type TEXT not null, at TEXT not null,
  kind TEXT not null, place TEXT not null, root TEXT, root_generation integer, "commit" TEXT, reason TEXT,
  capability_id TEXT, keys TEXT);
create index claim_event_handle on claim_event (handle, log_index);
create table claim_check (
  handle TEXT not null, place TEXT not null, begun_at TEXT not null, owner TEXT not null,
  outcome TEXT not null, primary key (handle, place));
create table capability (
  hash TEXT not null primary key, id TEXT not null, handle TEXT not null, state TEXT not null,
  issued_at TEXT not null, activated_at TEXT not null, ended_at TEXT, signed_by TEXT);
create index capability_handle on capability (handle);
create table receipt_key (
  handle TEXT not null, kid TEXT not null, valid_from TEXT not null, jwk TEXT not null,
  valid_until TEXT, kind TEXT not null, place TEXT not null, "commit" TEXT,
  primary key (handle, kid, valid_from));
create table claim_key (
  kid integer not null primary key, secret TEXT not null, created_at TEXT not null);
create table rating (
  id TEXT not null primary key, subject_handle TEXT not null, source_handle TEXT not null,
  source_capability_id TEXT not null, source_root TEXT not null, source TEXT not null, source_identity TEXT not null, interaction_id TEXT not null,
  interaction_at TEXT not null, outcome TEXT not null, content TEXT not null,
  content_digest TEXT not null, proof_class TEXT not null, proof_commitment TEXT, proof_salt TEXT, created_at TEXT not null, first_created_at TEXT not null, pair_until TEXT not null, score integer,
  source_root_generation integer not null, subject_root TEXT, subject_root_generation integer,
  related integer not null, declared_interest integer not null, reciprocal integer not null,
  stated_overlap TEXT, source_ended_at TEXT, new_until TEXT not null,
  is_current integer not null, log_index INT8 not null, supersedes TEXT,
  superseded_by TEXT, withdrawn_at TEXT, withdrawn_by INT8, erased_at TEXT, voided_at TEXT);
create unique index rating_interaction on rating (source_handle, subject_handle, interaction_id)
  where is_current = 1;
create index rating_subject on rating (subject_handle, is_current, log_index);
create index rating_history on rating (subject_handle, log_index);
create index rating_source on rating (source_handle, subject_handle, log_index);
create index rating_by on rating (source_identity, subject_handle);
create table recorded_identity (
  handle TEXT not null, kind TEXT not null, value TEXT not null, first_imported_at TEXT not null,
  primary key (handle, kind, value));
create index recorded_identity_proven on recorded_identity (value, handle) where kind = 'proven';
create table spent_proof (digest TEXT not null primary key, rating_id TEXT not null);
create index spent_proof_rating on spent_proof (rating_id);
create table rating_response (
  rating_id TEXT not null primary key, text TEXT not null, created_at TEXT not null,
  log_index INT8 not null, erased_at TEXT);
create table log_head (
  id INT8 not null primary key, base INT8 not null, size INT8 not null, opened_at TEXT not null,
  closed_with TEXT);
create table log_leaf (
  log_index INT8 not null primary key, type TEXT not null, leaf TEXT not null, erased_by INT8);
create table log_node (
  log INT8 not null, level INT8 not null, position INT8 not null, hash TEXT not null,
  primary key (log, level, position));
create table log_record (
  log_index INT8 not null primary key, salt TEXT not null, record TEXT not null);
create table audit_run (
  id INT8 not null primary key, finished_at TEXT not null, entries INT8 not null,
  faults INT8 not null);
create table log_key (id INT8 not null primary key, seed TEXT not null, created_at TEXT not null);
create table feedback (
  id TEXT not null primary key, received_at TEXT not null, state TEXT not null,
  message TEXT not null, found_it integer, category TEXT, handle TEXT, looking_for TEXT,
  contact TEXT, rating_id TEXT);
create index feedback_state on feedback (state, received_at);
create index feedback_received on feedback (received_at);
create table limit_bucket (key TEXT not null primary key, day TEXT, full_at INT8 not null);
create index limit_bucket_full_at on limit_bucket (full_at);
create index limit_bucket_day on limit_bucket (day);
create table limit_key (day TEXT not null primary key, secret TEXT not null);
create table lease (name TEXT not null primary key, owner TEXT not null, renewed_at INT8 not null);
create table observation (
  handle TEXT not null primary key, observed_at TEXT not null, observations TEXT not null,
  due_since TEXT);
create index observation_observed on observation (observed_at);
create table observation_change (
  log_index INT8 not null primary key, handle TEXT not null, at TEXT not null, vantage TEXT not null,
  changes TEXT not null);
create index observation_change_handle on observation_change (handle, log_index);
create table listed_surface (
  handle TEXT not null, remote TEXT not null, surface TEXT not null, digest TEXT not null,
  first_seen_at TEXT not null, members TEXT not null, primary key (handle, remote, surface, digest));
create table observed_pause (
  host TEXT not null, place TEXT not null, not_before TEXT not null, primary key (host, place));
create table evidence_change (
  seq INT8 not null primary key, type TEXT not null, handle TEXT not null, at TEXT not null,
  data TEXT not null);
create index evidence_change_handle on evidence_change (handle, seq);
create table view_member (
  view TEXT not null, handle TEXT not null, joined_seq INT8 not null, left_seq INT8,
  primary key (view, handle));
create index view_member_moved on view_member (view, coalesce(left_seq, joined_seq));
create table view_pass (view TEXT not null primary key, seq INT8 not null, passed_at TEXT not null);
create table webhook (
  id TEXT not null primary key, url TEXT not null, domain TEXT not null, network TEXT, secret TEXT not null,
  kind TEXT not null, value TEXT not null, created_at TEXT not null, state TEXT not null,
  served_at TEXT not null, position INT8 not null, delivered INT8 not null, failures integer not null, failing_since TEXT,
  rest_until TEXT, delivered_at TEXT, last_result TEXT);
create table webhook_delivery (
  webhook_id TEXT not null, seq INT8 not null, handle TEXT not null, state TEXT not null,
  attempts integer not null, next_at TEXT not null, result TEXT, primary key (webhook_id, seq));
create index webhook_delivery_handle on webhook_delivery (webhook_id, handle, seq);
create table moderation (
  log_index INT8 not null primary key, action TEXT not null, target_kind TEXT not null,
  target TEXT not null, reason TEXT not null, statement TEXT not null, at TEXT not null,
  handle TEXT, record_indexes TEXT not null, ended_by INT8, ended_at TEXT, end_reason TEXT);
create index moderation_target on moderation (target_kind, target);
create index moderation_handle on moderation (handle);
