import { sql } from 'kysely';
import type { Db } from '../../engine.ts';
import type { Schema } from '../../schema/schema.ts';
import { precompileQuery } from '../precompiled-query.ts';

/** True or 1 if a table has a row of the listing. */
const hasRow = (table: keyof Schema, column = 'handle') =>
  sql<
    boolean | number
  >`exists (select 1 from ${sql.table(table)} as other where ${sql.ref(`other.${column}`)} = listing.handle)`;

const doneRunsOfSource = sql`import_run as other where other.source = import_run.source and other.state = 'done'`;
const otherVersions = sql`listing_version as other where other.handle = listing.handle and other.version <> listing.version`;
/** What the operator did to the listing itself or its ratings, and every block of a namespace or account. */
const standing = sql`moderation as other where other.ended_by is null and (other.handle = listing.handle or other.target_kind in ('namespace', 'account'))`;

/** True or 1 if a visible listing has a facet of this range, from the stored counts. */
const isRecorded = (from: string, before = `${from}!`) =>
  sql<
    boolean | number
  >`exists (select 1 from facet_count where facet >= ${from} and facet < ${before} and listings > 0)`;

/** A template of an address is no endpoint to search for, but it gives a listing its tag. */
const hasEndpoints = sql<boolean | number>`(${isRecorded('has:endpoint')} or ${isRecorded('tag:remote')})`;

const selectFacts = precompileQuery((db, handles: readonly string[]) =>
  db
    .selectFrom('listing')
    .leftJoin('observation', 'observation.handle', 'listing.handle')
    .leftJoin('publisher_count', 'publisher_count.namespace', 'listing.namespace')
    .leftJoin('import_run', 'import_run.id', 'listing.import_run')
    .leftJoin('imported_signal', 'imported_signal.handle', 'listing.handle')
    .where('listing.handle', 'in', [...handles])
    .selectAll('listing')
    .select([
      'observation.observed_at',
      'observation.observations',
      'publisher_count.listings as publisher_listings',
      'import_run.source as run_source',
      'import_run.counts as run_counts',
      'imported_signal.source as signal_source',
      'imported_signal.signals',
      sql<string | null>`(select finished_at from ${doneRunsOfSource} order by id desc limit 1)`.as(
        'read_at',
      ),
      sql<string | null>`(select counts from ${doneRunsOfSource} and kind = 'full' order by id limit 1)`.as(
        'full_run_counts',
      ),
      sql<boolean | number>`exists (select 1 from ${otherVersions})`.as('has_other_versions'),
      sql<boolean | number>`(${hasRow('claim')} or ${hasRow('claim_event')})`.as('has_claims'),
      hasRow('rating', 'subject_handle').as('has_ratings'),
      sql<boolean | number>`exists (select 1 from ${standing})`.as('has_moderation'),
      hasEndpoints.as('copy_has_endpoints'),
      isRecorded('package:', 'package;').as('copy_has_packages'),
      isRecorded('has:repository').as('copy_has_repositories'),
    ]),
);

/**
 * What most listings have, in one statement, because each further one costs as much as reading the listing: a row for each
 * source of imported signals, in no particular order, and one row where there is none. Rows differ in their signals only.
 */
export const readFactsRows = (db: Db, handles: readonly string[]) => selectFacts(db, handles);
export type FactsRow = Awaited<ReturnType<typeof readFactsRows>>[number];
