import { sql } from 'kysely';
import { dayText } from '../core/text.ts';
import { readModeratedListings } from '../moderation/table.ts';
import { replaceInIndex } from '../search/indexing.ts';
import { type Facet, isOfCheck, withNativeFacets } from '../search/query.ts';
import type { SearchIndex } from '../search/search-index.ts';
import { inChunks, precompileQuery, upsert } from '../store/query.ts';
import type { RowOf } from '../store/table.ts';
import { updateCounts } from './counts.ts';
import {
  type ListedVersion,
  type Listing,
  type ListingVersion,
  listingTable,
  summaryTable,
  toStoredVersion,
  versionTable,
} from './listing.ts';
import { createListingReads, readNewestVersions } from './reads.ts';
import { deleteFormer, type FormerReference, replaceFormer } from './references/former.ts';
import { rowReferences } from './references/of-record.ts';
import { endPayees } from './references/payees.ts';
import { toIndexKeys } from './references/references.ts';
import { deleteReferences, putReferences } from './references/shared.ts';
import type { Db, ListingRow } from './schema.ts';

/** A record as an import replaced it, in the form in which the present one is read. */
type PastRecord = Awaited<ReturnType<typeof readReplaced>>[number];

export const shownVersions = 10;
/** The newest of each listing are stored. */
const mostRecords = 100;

async function readReplaced(db: Db, handles: readonly string[]) {
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
  const records = [];
  for (const row of rows) {
    const newest = await readNewestVersions(db, row.handle, { withDeleted: true, limit: shownVersions });
    const versions = newest.map(toStoredVersion);
    records.push({ row: { ...row, stored_versions: Number(row.stored_versions) }, versions });
  }
  return records;
}

/**
 * Keeps the records of these listings before they are replaced at this time (RFC 3339). Of each day, the
 * record with which it began is kept. Call it before anything of the listings is written.
 */
const keepPast = (db: Db, handles: readonly string[], at: string): Promise<void> =>
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
  if (!row) return undefined;
  const past = JSON.parse(row.record) as PastRecord;
  // What was kept before folders were read has none.
  return { ...past, row: { ...past.row, repository_folder: past.row.repository_folder ?? null } };
}

/** Of a listing that the registry or its publisher withdrew, no text of the publisher stays. */
export const deletePast = (db: Db, handles: readonly string[]): Promise<void> =>
  inChunks(handles, async (chunk) => {
    await db.deleteFrom('past_record').where('handle', 'in', chunk).execute();
    const deleted = db.updateTable('listing_version').where('status', '=', 'deleted');
    await deleted.set({ status_message: null }).where('handle', 'in', chunk).execute();
  });

/** A registry may publish thousands in one millisecond. */
const probedIds = 512;

/** Of equal static ranks, the later one gets the next free id. */
async function toFreeIds(
  db: Db,
  rows: readonly ListingRow[],
  known: ReadonlyMap<string, ListingRow>,
): Promise<ListingRow[]> {
  const wanted = rows.filter((row) => known.get(row.handle)?.id !== row.id).map(({ id }) => id);
  if (wanted.length === 0) return [...rows];
  const taken = await db.selectFrom('listing').select(['id', 'handle']).where('id', 'in', wanted).execute();
  const holders = new Map(taken.map(({ id, handle }) => [id, handle]));
  const placed: ListingRow[] = [];
  const read = new Set<number>();
  for (const row of rows) {
    let { id } = row;
    while (holders.has(id) && holders.get(id) !== row.handle) {
      id += 1;
      const from = id - (id % probedIds);
      if (read.has(from)) continue;
      read.add(from);
      const taken = db.selectFrom('listing').select(['id', 'handle']).where('id', '>=', from);
      for (const one of await taken.where('id', '<', from + probedIds).execute())
        holders.set(one.id, one.handle);
    }
    holders.set(id, row.handle);
    placed.push({ ...row, id });
  }
  return placed;
}

/** They change facets without an import or a check. */
interface NativeFacts {
  readonly state: string | undefined;
  readonly isRated: boolean;
}

const readFacets = precompileQuery((db: Db, handle: string) =>
  db.selectFrom('listing').select('facets').where('handle', '=', handle),
);

async function readReindexed(
  db: Db,
  handle: string,
  {
    ofCheck,
    readNative,
  }: { ofCheck: readonly Facet[] | undefined; readNative: (handle: string) => Promise<NativeFacts> },
): Promise<ListingRow | undefined> {
  const [stored] = await readFacets(db, handle);
  if (!stored) return undefined;
  const { state = 'imported', isRated } = await readNative(handle);
  const { facets } = summaryTable.decode(stored);
  const known = ofCheck ? [...facets.filter((facet) => !isOfCheck(facet)), ...ofCheck] : facets;
  const changed = summaryTable.encodeChange({ facets: withNativeFacets(known, state, isRated) });
  if (changed.facets === stored.facets) return undefined;
  const row = await db.selectFrom('listing').selectAll().where('handle', '=', handle).executeTakeFirst();
  return row && { ...row, ...changed };
}

/** By an import. */
export interface DerivedRecord {
  readonly handle: string;
  /** With new comparisons. */
  readonly versions: readonly Pick<ListedVersion, 'version' | 'derived' | 'compared'>[];
  readonly shown: { readonly version: string; readonly record: string } | undefined;
  /** Undefined: what is stored stays. */
  readonly former: readonly FormerReference[] | undefined;
}

const updateDerived = precompileQuery(
  (db: Db, handle: string, version: string, derived: string, compared: string | null) =>
    db
      .updateTable('listing_version')
      .set({ derived, compared })
      .where('handle', '=', handle)
      .where('version', '=', version),
);

const updateShown = precompileQuery((db: Db, handle: string, version: string, shown: string | null) =>
  db
    .updateTable('listing_version')
    .set({ shown: sql<string | null>`case when version = ${version} then ${shown} end` })
    .where('handle', '=', handle)
    .where(({ or, eb }) => or([eb('version', '=', version), eb('shown', 'is not', null)])),
);

async function putDerived(db: Db, { handle, versions, shown, former }: DerivedRecord): Promise<void> {
  for (const { version, ...one } of versions) {
    const { derived, compared = null } = versionTable.encodeChange(one);
    await updateDerived(db, handle, version, derived ?? '{}', compared);
  }
  await updateShown(db, handle, shown?.version ?? '', shown?.record ?? null);
  if (former) await replaceFormer(db, handle, former);
}

const upsertVersions = precompileQuery((db: Db, rows: readonly RowOf<typeof versionTable>[]) =>
  upsert(db, 'listing_version', rows, 'handle', 'version'),
);

const upsertListings = precompileQuery((db: Db, rows: readonly ListingRow[]) =>
  upsert(db, 'listing', rows, 'handle'),
);

const indexed = ({ hidden, id, withdrawn, title, description, tags, facets, ...row }: ListingRow) =>
  [
    hidden,
    id,
    withdrawn,
    title,
    description,
    tags,
    facets,
    row.remotes,
    row.packages,
    row.repository_key,
    row.website,
    row.owners,
  ].join('\n');

const isVisible = ({ withdrawn }: ListingRow) => !withdrawn;

const endpointsOf = ({ remotes }: ListingRow) =>
  (JSON.parse(remotes) as Listing['remotes']).map(({ url }) => url).join('\n');

async function updateIndex(
  db: Db,
  search: SearchIndex,
  {
    known,
    after,
    isAnew,
  }: { known: ReadonlyMap<string, ListingRow>; after: readonly ListingRow[]; isAnew: boolean },
): Promise<void> {
  const isStale = (row: ListingRow) => {
    const before = known.get(row.handle);
    return isAnew || !before || indexed(before) !== indexed(row);
  };
  const stale = after.filter(isStale);
  const removed = stale.flatMap(({ handle }) => known.get(handle) ?? []).filter(isVisible);
  const removedIds = removed.map(({ id }) => id);
  await replaceInIndex(db, search, { removedIds, listings: stale, toKeys: toIndexKeys });
  const before = stale.filter(({ handle }) => known.has(handle));
  // Checks of endpoints no longer recorded are not about the listing.
  const isMoved = (row: ListingRow) => {
    const was = known.get(row.handle);
    return !isVisible(row) || !was || endpointsOf(was) !== endpointsOf(row);
  };
  const handlesOf = (rows: readonly ListingRow[]) => rows.map(({ handle }) => handle);
  await deleteReferences(db, handlesOf(before), 'record');
  await deleteReferences(db, handlesOf(before.filter(isMoved)), 'check');
  await endPayees(db, handlesOf(before.filter(isMoved)));
  await putReferences(db, stale.filter(isVisible).flatMap(rowReferences));
}

/** Actions in force decide, whatever the row says. */
function asModerated(row: ListingRow, actions: ReadonlySet<string> | undefined): ListingRow {
  const recorded = row.withdrawn === 'operator' ? null : row.withdrawn;
  return {
    ...row,
    withdrawn: recorded ?? (actions?.has('withdraw') ? 'operator' : null),
    hidden: actions?.has('hide') ? 1 : null,
  };
}

/** True if a listing became invisible that answers about others may name. */
async function putRows(db: Db, search: SearchIndex, rows: readonly ListingRow[], isAnew: boolean) {
  if (rows.length === 0) return false;
  const handles = rows.map(({ handle }) => handle);
  const before = await db.selectFrom('listing').selectAll().where('handle', 'in', handles).execute();
  const known = new Map(before.map((row) => [row.handle, row]));
  const moderated = await readModeratedListings(db, handles);
  const wanted = rows.map((row) => asModerated(row, moderated.get(row.handle)));
  const after = await toFreeIds(db, wanted, known);
  const moved = after.flatMap(({ handle, id }) => ((known.get(handle)?.id ?? id) === id ? [] : handle));
  if (moved.length > 0) await db.deleteFrom('listing').where('handle', 'in', moved).execute();
  await inChunks(after, (chunk) => upsertListings(db, chunk));
  await updateIndex(db, search, { known, after, isAnew });
  await updateCounts(db, before, after);
  return after.some((row) => !isVisible(row) && known.get(row.handle)?.withdrawn === null);
}

/**
 * `touch` receives changed handles, or nothing if any may have changed; `standing` those that the registry
 * or publisher withdrew. `readNative` reads modules above this one.
 */
export function createListingWrites(
  db: Db,
  search: SearchIndex,
  {
    touch,
    standing,
    readNative,
  }: {
    readonly touch: (handle?: string) => void;
    readonly standing: (handle: string) => void;
    readonly readNative: (handle: string) => Promise<NativeFacts>;
  },
) {
  const put = async (rows: readonly ListingRow[], isAnew = false) => {
    for (const { handle, withdrawn } of rows) {
      touch(handle);
      if (withdrawn === 'deleted' || withdrawn === 'optout') standing(handle);
    }
    if (await putRows(db, search, rows, isAnew)) touch();
  };
  return {
    ...createListingReads(db, search),
    /** Before anything of a page with these listings is written. */
    keepPast: (handles: readonly string[], at: string) => keepPast(db, handles, at),
    /** A run read these, and changed no listing that shows them. */
    readAgain: (
      versions: readonly Pick<ListingVersion, 'handle' | 'version'>[],
      { origin, import_run }: Pick<Listing, 'origin' | 'import_run'>,
    ) =>
      inChunks(versions, (chunk) =>
        db
          .updateTable('listing')
          .set({ import_run })
          .where('origin', '=', origin)
          .where(({ eb, refTuple, tuple }) =>
            eb(
              refTuple('handle', 'version'),
              'in',
              chunk.map(({ handle, version }) => tuple(handle, version)),
            ),
          )
          .execute(),
      ),
    /** `listed_at`: when their present state became visible. */
    putVersions: (versions: readonly ListingVersion[], listed_at: string) =>
      inChunks(versions, (chunk) =>
        upsertVersions(
          db,
          // What is derived stays.
          chunk.map((one) => versionTable.encodeChange({ ...one, listed_at }) as RowOf<typeof versionTable>),
        ),
      ),
    /** `listed_at`: when it was withdrawn, hidden or shown again here. */
    async relistVersions(handle: string, listed_at: string) {
      await db.updateTable('listing_version').set({ listed_at }).where('handle', '=', handle).execute();
    },
    async deleteVersions(handle: string) {
      touch(handle);
      await db.deleteFrom('listing_version').where('handle', '=', handle).execute();
      await deleteFormer(db, handle);
    },
    /** Call it after `putVersions`. */
    async putDerived(derived: DerivedRecord) {
      touch(derived.handle);
      await putDerived(db, derived);
    },
    /**
     * So that searches after many writes read less. Call it with `true`, then with `false` until it returns
     * false.
     */
    mergeIndex: (isFirst: boolean) => search.merge(db, isFirst),
    /**
     * What the operator hid or withdrew stays so. `isAnew`: the index is made again too, because it may have
     * stems of other rules.
     */
    putListings: (listings: readonly Listing[], { isAnew = false } = {}) =>
      put(listings.map(listingTable.encode), isAnew),
    /** By claim and ratings, and by `ofCheck` if given. */
    async reindex(handle: string, ofCheck?: readonly Facet[]) {
      touch(handle);
      const row = await readReindexed(db, handle, { ofCheck, readNative });
      if (row) await put([row]);
    },
    async moderate(handle: string) {
      // Answers about other listings may name it.
      touch();
      const row = await db.selectFrom('listing').selectAll().where('handle', '=', handle).executeTakeFirst();
      if (row) await put([row]);
    },
  };
}
