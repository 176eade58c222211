import type { ListingWrites } from '../../contract/listings.ts';
import type { Db, SearchIndex } from '../../engine.ts';
import type { ListingRow } from '../../schema/listings.ts';
import { replaceInIndex } from '../../search/indexing.ts';
import { excluded } from '../excluded.ts';
import { inChunks } from '../in-chunks.ts';
import { readModeratedListings } from '../moderation.ts';
import { precompileQuery } from '../precompiled-query.ts';
import { toFreeIds } from './free-ids.ts';
import { putOptOut, removeOptOut } from './opt-outs.ts';
import { createListingReads } from './reads.ts';
import { readReindexed } from './reindex.ts';
import { encodeListing } from './rows.ts';
import { writeSignals } from './signals.ts';
import { updateCounts } from './update-counts.ts';
import { writeVersions } from './versions.ts';

const upsertListings = precompileQuery((db, rows: readonly ListingRow[]) =>
  db
    .insertInto('listing')
    .values(rows)
    .onConflict((conflict) => conflict.column('handle').doUpdateSet(excluded(rows[0]))),
);

async function deleteListings(db: Db, rows: readonly ListingRow[]): Promise<void> {
  if (rows.length === 0) return;
  const handles = rows.map(({ handle }) => handle);
  await db.deleteFrom('listing').where('handle', 'in', handles).execute();
}

/** The columns that the search index depends on, as one text. */
const indexed = (row: ListingRow) =>
  [row.hidden, row.id, row.withdrawn, row.handle, row.title, row.description, row.tags, row.facets].join(
    '\n',
  );

const isVisible = ({ withdrawn }: ListingRow) => !withdrawn;

/** Replaces those rows in the search index whose indexed columns changed. */
async function updateIndex(
  db: Db,
  search: SearchIndex,
  { known, after }: { known: ReadonlyMap<string, ListingRow>; after: readonly ListingRow[] },
): Promise<void> {
  const isStale = (row: ListingRow) => {
    const before = known.get(row.handle);
    return !before || indexed(before) !== indexed(row);
  };
  const stale = after.filter(isStale);
  const removed = stale.flatMap(({ handle }) => known.get(handle) ?? []).filter(isVisible);
  const removedIds = removed.map(({ id }) => id);
  await replaceInIndex(db, search, { removedIds, listings: stale });
}

/** A row as the actions of the operator that stand want it, whatever was put. */
function asModerated(row: ListingRow, actions: ReadonlySet<string> | undefined): ListingRow {
  const recorded = row.withdrawn === 'operator' ? null : row.withdrawn;
  return {
    ...row,
    withdrawn: recorded ?? (actions?.has('withdraw') ? 'operator' : null),
    hidden: actions?.has('hide') ? 1 : 0,
  };
}

async function putRows(db: Db, search: SearchIndex, rows: readonly ListingRow[]): Promise<void> {
  if (rows.length === 0) return;
  const handles = rows.map(({ handle }) => handle);
  const before = await db.selectFrom('listing').selectAll().where('handle', 'in', handles).execute();
  const known = new Map(before.map((row) => [row.handle, row]));
  const moderated = await readModeratedListings(db, handles);
  const wanted = rows.map((row) => asModerated(row, moderated.get(row.handle)));
  const after = await toFreeIds(db, wanted, known);
  const isMoved = (row: ListingRow) => known.has(row.handle) && known.get(row.handle)?.id !== row.id;
  await deleteListings(db, after.filter(isMoved));
  await inChunks(after, (chunk) => upsertListings(db, chunk));
  await updateIndex(db, search, { known, after });
  await updateCounts(db, before, after);
}

/** Writes of listings inside a transaction; `touch` receives each handle that changed. */
export function createListingWrites(
  db: Db,
  search: SearchIndex,
  touch: (handle: string) => void,
): ListingWrites {
  const put = async (rows: readonly ListingRow[]) => {
    for (const { handle } of rows) touch(handle);
    await putRows(db, search, rows);
  };
  return {
    ...createListingReads(db, search),
    putOptOut: (optOut) => putOptOut(db, optOut),
    removeOptOut: (handle) => removeOptOut(db, handle),
    putVersions: (versions, at) => writeVersions(db, versions, at),
    async relistVersions(handle, listed_at) {
      await db.updateTable('listing_version').set({ listed_at }).where('handle', '=', handle).execute();
    },
    async deleteVersions(handle) {
      touch(handle);
      await db.deleteFrom('listing_version').where('handle', '=', handle).execute();
    },
    mergeIndex: (isFirst) => search.merge(db, isFirst),
    putListings: (listings) => put(listings.map(encodeListing)),
    async reindex(handle) {
      touch(handle);
      const row = await readReindexed(db, handle);
      if (row) await put([row]);
    },
    async moderate(handle) {
      touch(handle);
      const row = await db.selectFrom('listing').selectAll().where('handle', '=', handle).executeTakeFirst();
      if (row) await put([row]);
    },
    async putSignals(signals) {
      for (const { handle } of signals) touch(handle);
      await writeSignals(db, signals);
    },
  };
}
