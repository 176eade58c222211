import { type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Db } from '../store.ts';

/** What migrations need to know about the engine that they run on. */
export interface EngineDdl {
  /** Column type of integers up to 2^53. */
  readonly int8: RawBuilder<unknown>;
  /** Column type of text that sorts by its bytes. */
  readonly text: RawBuilder<unknown>;
  /** Creates the tables that only this engine has: its search index and what comes with it. */
  createEngineTables(db: Db): Promise<void>;
}

/** Every table and index of all engines, noun by noun, and the head of an empty log. */
const createStatements = ({ int8, text }: EngineDdl): readonly RawBuilder<unknown>[] => [
  sql`create table listing (
    id ${int8} not null primary key, handle ${text} not null, handle_folded ${text} not null,
    namespace ${text} not null, description ${text} not null, version ${text} not null, origin ${text} not null,
    origin_status ${text} not null, published_at ${text} not null, updated_at ${text} not null,
    imported_at ${text} not null, import_run ${int8} not null, remotes ${text} not null, packages ${text} not null, tags ${text} not null,
    facets ${text} not null, title ${text}, status_message ${text}, endpoint ${text}, repository ${text},
    repository_key ${text}, website ${text}, withdrawn ${text}, hidden integer)`,
  sql`create unique index listing_handle on listing (handle)`,
  sql`create index listing_handle_folded on listing (handle_folded)`,
  sql`create index listing_updated on listing (updated_at, id)`,

  sql`create table listing_version (
    handle ${text} not null, version ${text} not null, status ${text} not null, published_at ${text} not null,
    updated_at ${text} not null, digest ${text} not null, record ${text} not null, status_message ${text},
    is_latest integer not null, listed_at ${text} not null, primary key (handle, version))`,
  sql`create index listing_version_listed on listing_version (listed_at, handle, version)`,
  sql`create index listing_version_name on listing_version (version, handle)`,
  sql`create table opt_out (
    handle ${text} not null primary key, state ${text} not null, kind ${text} not null, place ${text} not null,
    place_key ${text} not null, seen_at ${text} not null, checked_at ${text} not null, listing ${text})`,
  sql`create table listing_reference (
    key ${text} not null, published_at ${text} not null, handle ${text} not null, kind ${text} not null,
    publisher ${text} not null, as_of ${text} not null, primary key (key, published_at, handle))`,
  sql`create index listing_reference_handle on listing_reference (handle)`,
  sql`create table facet_count (facet ${text} not null primary key, listings ${int8} not null)`,
  sql`create table publisher_count (namespace ${text} not null primary key, listings ${int8} not null)`,

  sql`create table import_run (
    id ${int8} not null primary key, kind ${text} not null, source ${text} not null, state ${text} not null,
    started_at ${text} not null, progress ${text} not null, finished_at ${text}, updated_since ${text},
    cursor ${text}, error ${text})`,
  sql`create index import_run_state on import_run (state, id)`,
  sql`create table quarantine (
    name ${text} not null, version ${text} not null, reason ${text} not null, seen_at ${text} not null,
    run_id ${int8} not null, primary key (name, version))`,

  sql`create table claim (
    handle ${text} not null primary key, state ${text} not null, claimed_at ${text} not null,
    kind ${text} not null, place ${text} not null, place_key ${text} not null, seen ${text}, root ${text} not null,
    root_generation integer not null, first_proved_at ${text} not null, checked_at ${text} not null,
    suspended_reason ${text}, "commit" ${text}, branch ${text}, proven_commit ${text}, proven_at ${text},
    failed_days ${text}, tried_at ${text}, lost_at ${text}, missed_at ${text})`,
  sql`create index claim_root on claim (root)`,
  sql`create table claim_event (
    log_index ${int8} not null primary key, handle ${text} not null, type ${text} not null, at ${text} not null,
    kind ${text} not null, place ${text} not null, root ${text}, root_generation integer, "commit" ${text}, reason ${text},
    capability_id ${text}, keys ${text})`,
  sql`create index claim_event_handle on claim_event (handle, log_index)`,
  sql`create table claim_check (
    handle ${text} not null, place ${text} not null, begun_at ${text} not null, owner ${text} not null,
    outcome ${text}, primary key (handle, place))`,
  sql`create table capability (
    hash ${text} not null primary key, id ${text} not null, handle ${text} not null, state ${text} not null,
    issued_at ${text} not null, activated_at ${text} not null, ended_at ${text}, signed_by ${text})`,
  sql`create index capability_handle on capability (handle)`,
  sql`create table receipt_key (
    handle ${text} not null, kid ${text} not null, valid_from ${text} not null, jwk ${text} not null,
    valid_until ${text}, kind ${text} not null, place ${text} not null, "commit" ${text},
    primary key (handle, kid, valid_from))`,
  sql`create table claim_key (
    kid integer not null primary key, secret ${text} not null, created_at ${text} not null)`,

  sql`create table rating (
    id ${text} not null primary key, subject_handle ${text} not null, source_handle ${text} not null,
    source_capability_id ${text} not null, source_root ${text} not null, source ${text} not null, source_identity ${text} not null, interaction_id ${text} not null,
    interaction_at ${text} not null, outcome ${text} not null, content ${text} not null,
    content_digest ${text} not null, proof_class ${text} not null, proof_commitment ${text}, proof_salt ${text}, created_at ${text} not null, first_created_at ${text} not null, pair_until ${text} not null, score integer,
    source_root_generation integer not null, subject_root ${text}, subject_root_generation integer,
    related integer not null, declared_interest integer not null, reciprocal integer not null,
    stated_overlap ${text}, source_ended_at ${text}, new_until ${text} not null,
    is_current integer not null, log_index ${int8} not null, supersedes ${text},
    superseded_by ${text}, withdrawn_at ${text}, withdrawn_by ${int8}, erased_at ${text}, voided_at ${text})`,
  sql`create unique index rating_interaction on rating (source_handle, subject_handle, interaction_id)
    where is_current = 1`,
  sql`create index rating_subject on rating (subject_handle, is_current, created_at, id)`,
  sql`create index rating_history on rating (subject_handle, created_at, id)`,
  sql`create index rating_source on rating (source_handle, subject_handle, created_at)`,
  sql`create index rating_by on rating (source_identity, subject_handle)`,
  sql`create table recorded_identity (
    handle ${text} not null, kind ${text} not null, value ${text} not null, first_imported_at ${text} not null,
    primary key (handle, kind, value))`,
  sql`create index recorded_identity_proven on recorded_identity (value, handle) where kind = 'proven'`,
  sql`create table spent_proof (digest ${text} not null primary key, rating_id ${text} not null)`,
  sql`create index spent_proof_rating on spent_proof (rating_id)`,
  sql`create table rating_response (
    rating_id ${text} not null primary key, text ${text} not null, created_at ${text} not null,
    log_index ${int8} not null, erased_at ${text})`,

  sql`create table log_head (
    id ${int8} not null primary key, base ${int8} not null, size ${int8} not null, opened_at ${text} not null,
    closed_with ${text})`,
  sql`insert into log_head (id, base, size, opened_at) values (1, 0, 0, ${new Date().toISOString()})`,
  sql`create table log_leaf (
    log_index ${int8} not null primary key, type ${text} not null, leaf ${text} not null, erased_by ${int8})`,
  sql`create table log_node (
    log ${int8} not null, level ${int8} not null, position ${int8} not null, hash ${text} not null,
    primary key (log, level, position))`,
  sql`create table log_record (
    log_index ${int8} not null primary key, salt ${text} not null, record ${text} not null)`,
  sql`create table audit_run (
    id ${int8} not null primary key, finished_at ${text} not null, entries ${int8} not null,
    faults ${int8} not null)`,
  sql`create table log_key (id ${int8} not null primary key, seed ${text} not null, created_at ${text} not null)`,

  sql`create table feedback (
    id ${text} not null primary key, received_at ${text} not null, state ${text} not null,
    message ${text} not null, found_it integer, category ${text}, handle ${text}, looking_for ${text},
    contact ${text}, rating_id ${text})`,
  sql`create index feedback_state on feedback (state, received_at)`,
  sql`create index feedback_received on feedback (received_at)`,

  sql`create table limit_bucket (key ${text} not null primary key, day ${text}, full_at ${int8} not null)`,
  sql`create index limit_bucket_full_at on limit_bucket (full_at)`,
  sql`create index limit_bucket_day on limit_bucket (day)`,
  sql`create table limit_key (day ${text} not null primary key, secret ${text} not null)`,

  sql`create table lease (name ${text} not null primary key, owner ${text} not null, renewed_at ${int8} not null)`,

  sql`create table observation (
    handle ${text} not null primary key, observed_at ${text} not null, observations ${text} not null,
    due_since ${text})`,
  sql`create index observation_observed on observation (observed_at)`,
  sql`create table observation_change (
    log_index ${int8} not null primary key, handle ${text} not null, at ${text} not null, vantage ${text} not null,
    changes ${text} not null)`,
  sql`create index observation_change_handle on observation_change (handle, log_index)`,
  sql`create table tool_surface (
    handle ${text} not null, remote ${text} not null, digest ${text} not null, first_seen_at ${text} not null,
    tools ${text} not null, primary key (handle, remote, digest))`,
  sql`create table observed_pause (
    host ${text} not null, place ${text} not null, not_before ${text} not null, primary key (host, place))`,

  sql`create table evidence_change (
    seq ${int8} not null primary key, type ${text} not null, handle ${text} not null, at ${text} not null,
    data ${text} not null)`,
  sql`create index evidence_change_handle on evidence_change (handle, seq)`,

  sql`create table view_member (
    view ${text} not null, handle ${text} not null, joined_seq ${int8} not null, left_seq ${int8},
    primary key (view, handle))`,
  sql`create index view_member_moved on view_member (view, coalesce(left_seq, joined_seq))`,
  sql`create table view_pass (view ${text} not null primary key, seq ${int8} not null, passed_at ${text} not null)`,

  sql`create table webhook (
    id ${text} not null primary key, url ${text} not null, domain ${text} not null, network ${text}, secret ${text} not null,
    kind ${text} not null, value ${text} not null, created_at ${text} not null, state ${text} not null,
    served_at ${text} not null, position ${int8} not null, delivered ${int8} not null, failures integer not null, failing_since ${text},
    rest_until ${text}, delivered_at ${text}, last_result ${text})`,
  sql`create table webhook_delivery (
    webhook_id ${text} not null, seq ${int8} not null, handle ${text} not null, state ${text} not null,
    attempts integer not null, next_at ${text} not null, result ${text}, primary key (webhook_id, seq))`,
  sql`create index webhook_delivery_handle on webhook_delivery (webhook_id, handle, seq)`,

  sql`create table moderation (
    log_index ${int8} not null primary key, action ${text} not null, target_kind ${text} not null,
    target ${text} not null, reason ${text} not null, statement ${text} not null, at ${text} not null,
    handle ${text}, record_indexes ${text} not null, ended_by ${int8}, ended_at ${text}, end_reason ${text})`,
  sql`create index moderation_target on moderation (target_kind, target)`,
  sql`create index moderation_handle on moderation (handle)`,
];

/** Creates the database of the first release. */
export const createInitialTables = (ddl: EngineDdl): Migration => ({
  async up(db) {
    for (const statement of createStatements(ddl)) await statement.execute(db);
    await ddl.createEngineTables(db);
  },
});
