import type { ListingVersion, VersionSummary } from '../../../evidence/listing/listing.ts';
import type { Db } from '../../engine.ts';
import type { ListingVersionRow } from '../../schema/listings.ts';
import { excluded } from '../excluded.ts';
import { inChunks } from '../in-chunks.ts';
import { precompileQuery } from '../precompiled-query.ts';
import { decodeVersion, decodeVersionSummary, encodeVersion } from './rows.ts';

/** The columns of a version without its record and status message. */
export const summaryColumns = [
  'handle',
  'version',
  'status',
  'published_at',
  'updated_at',
  'is_latest',
  'digest',
] as const;

/** All versions of some listings, without their records. */
export async function readVersionSummaries(db: Db, handles: readonly string[]): Promise<VersionSummary[]> {
  if (handles.length === 0) return [];
  const rows = db
    .selectFrom('listing_version')
    .select(summaryColumns)
    .where('handle', 'in', [...handles]);
  return (await rows.execute()).map(decodeVersionSummary);
}

/** One version with its record. */
export async function readVersion(
  db: Db,
  handle: string,
  version: string,
): Promise<ListingVersion | undefined> {
  const rows = db.selectFrom('listing_version').selectAll().where('handle', '=', handle);
  const row = await rows.where('version', '=', version).executeTakeFirst();
  return row && decodeVersion(row);
}

const upsertVersions = precompileQuery((db, rows: readonly ListingVersionRow[]) =>
  db
    .insertInto('listing_version')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['handle', 'version']).doUpdateSet(excluded(rows[0]))),
);

/** Inserts or replaces versions by handle and version. */
export const writeVersions = (db: Db, versions: readonly ListingVersion[], at: string): Promise<void> =>
  inChunks(versions, (chunk) =>
    upsertVersions(
      db,
      chunk.map((version) => encodeVersion(version, at)),
    ),
  );
