import { sql } from 'kysely';
import { dayText } from '../core/text.ts';
import { inChunks } from '../store/query.ts';
import type { VersionSummary } from './listing.ts';
import type { Db, ListingRow } from './schema.ts';
import { readNewestVersions } from './versions.ts';

/** A record as an import replaced it, in the form in which the present one is read. */
export interface PastRecord {
  readonly row: ListingRow & {
    readonly shown_digest: string | null;
    readonly shown: string | null;
    readonly stored_versions: number;
  };
  readonly versions: readonly Pick<VersionSummary, 'version' | 'status' | 'published_at'>[];
}

export const shownVersions = 10;
/** The newest of each listing are stored. */
const mostRecords = 100;

async function readReplaced(db: Db, handles: readonly string[]): Promise<PastRecord[]> {
  const rows = await db
    .selectFrom('listing')
    .leftJoin('listing_version as shown', (join) =>
      join.onRef('shown.handle', '=', 'listing.handle').onRef('shown.version', '=', 'listing.version'),
    )
    .where('listing.handle', 'in', [...handles])
    .selectAll('listing')
    .select(['shown.digest as shown_digest', 'shown.shown'])
    .select(
      sql<number>`(select count(*) from listing_version as other where other.handle = listing.handle)`.as(
        'stored_versions',
      ),
    )
    .execute();
  const records: PastRecord[] = [];
  for (const row of rows) {
    const newest = await readNewestVersions(db, row.handle, { withDeleted: true, limit: shownVersions });
    const versions = newest.map(({ version, status, published_at }) => ({ version, status, published_at }));
    records.push({ row: { ...row, stored_versions: Number(row.stored_versions) }, versions });
  }
  return records;
}

/**
 * Keeps the records of these listings before they are replaced at this time (RFC 3339). Of each day, the
 * record with which it began is kept. Call it before anything of the listings is written.
 */
export const keepPast = (db: Db, handles: readonly string[], at: string): Promise<void> =>
  inChunks(handles, async (chunk) => {
    const until = dayText(at);
    for (const record of await readReplaced(db, chunk)) {
      const { handle, imported_at } = record.row;
      if (dayText(imported_at) >= until) continue;
      await db
        .insertInto('past_record')
        .values({ handle, until, record: JSON.stringify(record) })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const all = db.selectFrom('past_record').select('until').where('handle', '=', handle);
      const [oldest] = await all.orderBy('until', 'desc').offset(mostRecords).limit(1).execute();
      if (oldest)
        await db
          .deleteFrom('past_record')
          .where('handle', '=', handle)
          .where('until', '<=', oldest.until)
          .execute();
    }
  });

/** The record as it was at the end of a day (YYYY-MM-DD). Undefined if it is still the present one. */
export async function readPastRecord(db: Db, handle: string, day: string): Promise<PastRecord | undefined> {
  const later = db.selectFrom('past_record').select('record').where('handle', '=', handle);
  const row = await later.where('until', '>', day).orderBy('until').limit(1).executeTakeFirst();
  return row && (JSON.parse(row.record) as PastRecord);
}

/** Of a listing that the registry or its publisher withdrew, no text of the publisher stays. */
export const deletePast = (db: Db, handles: readonly string[]): Promise<void> =>
  inChunks(handles, async (chunk) => {
    await db.deleteFrom('past_record').where('handle', 'in', chunk).execute();
  });
