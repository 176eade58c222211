import { type SqlBool, sql } from 'kysely';
import type { Context } from '../context.ts';
import type { Payee } from '../core/payee.ts';
import { rankFew, rankListings } from '../search/gather.ts';
import type { FacetChoice, SearchQuery } from '../search/query.ts';
import type { SearchIndex } from '../search/search-index.ts';
import { afterPrefix, findOne } from '../store/query.ts';
import { readCount, readFacetCounts, readListCounts } from './counts.ts';
import {
  type ComparedRow,
  type ListedVersion,
  listedColumns,
  listingTable,
  sampleOrigins,
  type VersionSummary,
  versionSummaryColumns,
  versionTable,
  withoutHidden,
} from './listing.ts';
import { readNear, readNearPackages, toSearch } from './near.ts';
import { readHolding, readRecording } from './recording.ts';
import { readFormerly, readRecordingToo } from './references/former.ts';
import { readAsked, toPayeeKey } from './references/payees.ts';
import type { Reference } from './references/references.ts';
import { readPaidAt, readSharing } from './references/shared.ts';
import type { Db, ListingRow } from './schema.ts';
import { decodeShown, type ListQuery, readBriefs, readByIds, type VersionQuery, visible } from './table.ts';

export interface NewestVersions {
  readonly withDeleted: boolean;
  readonly after?: Pick<VersionSummary, 'published_at' | 'version'> | undefined;
  readonly offset?: number;
  readonly limit: number;
}

const selectVersions = (db: Db, handle: string, withDeleted: boolean) =>
  db
    .selectFrom('listing_version')
    .where('handle', '=', handle)
    .$if(!withDeleted, (rows) => rows.where('status', '<>', 'deleted'));

/** Newest first, without their records. */
export async function readNewestVersions(
  db: Db,
  handle: string,
  { withDeleted, after, offset = 0, limit }: NewestVersions,
): Promise<ComparedRow[]> {
  const rows = selectVersions(db, handle, withDeleted)
    .select([...versionSummaryColumns, 'compared'])
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(published_at, version) < (${after?.published_at ?? ''}, ${after?.version ?? ''})`,
      ),
    )
    .orderBy('published_at', 'desc')
    .orderBy('version', 'desc')
    .limit(limit)
    .offset(offset);
  return (await rows.execute()).map(versionTable.decode);
}

/** Dated by the registry, newest first, without deleted ones. */
async function readDatedVersions(db: Db, handle: string, limit: number): Promise<ListedVersion[]> {
  const rows = selectVersions(db, handle, false).selectAll().where('undated', 'is', null);
  const newest = rows.orderBy('published_at', 'desc').orderBy('version', 'desc').limit(limit);
  return (await newest.execute()).map(versionTable.decode);
}

const mostNaming = 10;

/**
 * Until then, the newest ten whose comparison has one of the first keys that any has, or of which nothing is
 * derived yet; whether that is all.
 */
async function readVersionsNaming(
  db: Db,
  handle: string,
  { tries: [keys, ...others], until }: { readonly tries: readonly string[][]; readonly until: string },
): Promise<{ readonly versions: readonly ListedVersion[]; readonly isWhole: boolean }> {
  if (!keys) return { versions: [], isWhole: true };
  const naming = keys.map((key) => sql<SqlBool>`replace(compared, ${key}, '') <> compared`);
  const newest = await selectVersions(db, handle, false)
    .selectAll()
    .where('published_at', '<=', until)
    .where(({ eb, or }) => or([...naming, eb('derived', 'is', null)]))
    .orderBy('published_at', 'desc')
    .limit(mostNaming + 1)
    .execute();
  if (newest.length === 0) return readVersionsNaming(db, handle, { tries: others, until });
  const versions = newest.slice(0, mostNaming).map(versionTable.decode);
  return { versions, isWhole: newest.length <= mostNaming };
}

async function readVersionSpan(db: Db, handle: string, until?: string) {
  const { versions, deleted, first, last } = await selectVersions(db, handle, true)
    .$if(until !== undefined, (rows) => rows.where('published_at', '<', until ?? ''))
    .select(({ fn }) => [
      fn.countAll<number>().as('versions'),
      sql<number>`count(case when status = 'deleted' then 1 end)`.as('deleted'),
      fn.min('published_at').as('first'),
      fn.max('published_at').as('last'),
    ])
    .executeTakeFirstOrThrow();
  return { count: Number(versions), deleted: Number(deleted), first, last };
}

export async function readVersionsPage(
  handle: string,
  { page, perPage }: { readonly page: number; readonly perPage: number },
  { store }: Pick<Context, 'store'>,
) {
  const { newestVersions, versionSpan } = store.listings;
  const query = { withDeleted: true, offset: (page - 1) * perPage, limit: perPage };
  const [versions, span] = await Promise.all([newestVersions(handle, query), versionSpan(handle)]);
  return { versions, page, span };
}

/** The version that the listing shows, or last showed. */
const isLatest = sql<boolean>`(listing.version = listing_version.version or listing.version = '' and
  listing_version.version = (select other.version from listing_version as other
    where other.handle = listing_version.handle order by other.published_at desc, other.version desc limit 1))`;

const selectListed = (db: Db) =>
  db
    .selectFrom('listing_version')
    .innerJoin('listing', 'listing.handle', 'listing_version.handle')
    .select(listedColumns.map((name) => `listing_version.${name}` as const))
    .select(['listing.withdrawn', isLatest.as('isLatest')])
    .where('listing.origin', 'not in', [...sampleOrigins]);

type ListedQuery = ReturnType<typeof selectListed>;

/** LIKE would have wildcards. */
const isNamed = (text: string) =>
  sql<boolean>`listing_version.handle in (select named.handle from listing as named
    where replace(named.handle_folded, ${text.toLowerCase()}, '') <> named.handle_folded)`;

function filter(listed: ListedQuery, { version, versions, handles, withDeleted, named }: VersionQuery) {
  return listed
    .$if(version === 'latest', (query) => query.where(isLatest))
    .$if(version !== undefined && version !== 'latest', (query) =>
      query.where('listing_version.version', '=', version ?? ''),
    )
    .$if(versions !== undefined, (query) =>
      query.where('listing_version.version', 'in', [...(versions ?? [])]),
    )
    .$if(handles !== undefined, (query) => query.where('listing_version.handle', 'in', [...(handles ?? [])]))
    .$if(named !== undefined, (query) => query.where(isNamed(named ?? '')))
    .$if(!withDeleted, (query) =>
      query.where('listing_version.status', '<>', 'deleted').where('listing.withdrawn', 'is', null),
    );
}

export interface PagedVersion extends ListedVersion {
  readonly isLatest: boolean;
}

const withdrawnHere = 'Withdrawn from this directory.';

/** What was being written when the caller read the time may become visible with an earlier one. */
const overlap_ms = 60_000;

function inOrder(listed: ListedQuery, { after, updatedSince }: VersionQuery): ListedQuery {
  const byName = (some: ListedQuery) =>
    some.orderBy('listing_version.handle').orderBy('listing_version.version');
  const place = sql`listing_version.handle, listing_version.version`;
  if (updatedSince === undefined) {
    if (!after) return byName(listed);
    // Follows from the first bound, but without it PostgreSQL reads listings from the beginning.
    return byName(listed)
      .where(sql<boolean>`(${place}) > (${after.handle}, ${after.version})`)
      .where('listing.handle', '>=', after.handle);
  }
  const since = new Date(Date.parse(updatedSince) - overlap_ms).toISOString();
  const changed = listed.where('listing_version.listed_at', '>=', since).orderBy('listing_version.listed_at');
  const next = sql<boolean>`(listing_version.listed_at, ${place}) > (${after?.listed_at}, ${after?.handle}, ${after?.version})`;
  return byName(after ? changed.where(next) : changed);
}

async function readVersionPage(db: Db, query: VersionQuery): Promise<PagedVersion[]> {
  if (query.handles?.length === 0 || query.versions?.length === 0) return [];
  const rows = await inOrder(filter(selectListed(db), query), query)
    .limit(query.limit)
    .execute();
  return rows.map(({ withdrawn, isLatest, ...row }) => ({
    ...versionTable.decode(row),
    isLatest: Boolean(isLatest),
    ...((withdrawn === 'optout' || withdrawn === 'operator') && {
      status: 'deleted' as const,
      status_message: undefined,
      record: JSON.stringify({ name: row.handle, version: row.version, description: withdrawnHere }),
    }),
  }));
}

const valuesOf = {
  handle: sql`listing where withdrawn is null`,
  namespace: sql`publisher_count where listings > 0`,
} as const;

/**
 * Up to so many listings with the facets are all read and sorted. Otherwise they are read in the order of
 * their updates until enough have them.
 */
const maxSorted = 2000;

const byRank = (db: Db, { after, limit }: ListQuery, order: 'oldest' | 'newest') =>
  visible(db)
    .selectAll()
    .$if(after !== undefined, (rows) => rows.where('id', order === 'oldest' ? '>' : '<', after?.id ?? 0))
    .orderBy('id', order === 'oldest' ? 'asc' : 'desc')
    .limit(limit)
    .execute();

/** LIKE would ignore case on SQLite only. */
const hasFacet = (facet: string) =>
  facet.startsWith('publisher:')
    ? sql<SqlBool>`lower(namespace) = ${facet.slice('publisher:'.length)}`
    : sql<SqlBool>`replace(' ' || facets || ' ', ${` ${facet} `}, '') <> ' ' || facets || ' '`;

const latestFirst = (db: Db, { facets, after, limit }: ListQuery) =>
  visible(db)
    .selectAll()
    .where(({ and }) =>
      and([
        ...(after ? [sql<SqlBool>`(updated_at, id) < (${after.updated_at}, ${after.id})`] : []),
        ...facets.map(hasFacet),
      ]),
    )
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

const isBehind = (a: NonNullable<ListQuery['after']>, b: NonNullable<ListQuery['after']>) =>
  a.updated_at < b.updated_at || (a.updated_at === b.updated_at && a.id < b.id);

async function sortLatest(db: Db, ids: readonly number[], { after, limit }: ListQuery): Promise<number[]> {
  if (ids.length === 0) return [];
  const times = await db
    .selectFrom('listing')
    .select(['id', 'updated_at'])
    .where('id', 'in', [...ids])
    .execute();
  const next = after ? times.filter((time) => isBehind(time, after)) : times;
  const sorted = next.sort((a, b) => (isBehind(a, b) ? 1 : -1));
  return sorted.slice(0, limit).map(({ id }) => id);
}

async function latestWithFacets(db: Db, index: SearchIndex, query: ListQuery): Promise<ListingRow[]> {
  const range = { facets: query.facets, order: 'newest', after: undefined } as const;
  const ids = await index.list(db, { ...range, limit: maxSorted + 1 });
  if (ids.length <= maxSorted) return readByIds(db, await sortLatest(db, ids, query));
  return latestFirst(db, query);
}

async function readSorted(db: Db, index: SearchIndex, query: ListQuery): Promise<ListingRow[]> {
  const { facets, sort, after, limit } = query;
  if (sort === 'updated')
    return facets.length > 0 ? latestWithFacets(db, index, query) : latestFirst(db, query);
  const order = sort === 'published' ? 'newest' : 'oldest';
  if (facets.length > 0)
    return readByIds(db, await index.list(db, { facets, order, after: after?.id, limit }));
  return byRank(db, query, order);
}

export type ListingReads = ReturnType<typeof createListingReads>;

/** Visible means not withdrawn. Shown means neither withdrawn nor hidden. */
export const createListingReads = (db: Db, search: SearchIndex) => ({
  /** Includes a withdrawn listing and hidden texts. */
  byHandle: (handle: string) => findOne(db, 'listing', { handle }, listingTable),
  /** As `byHandle`, in no particular order. */
  byHandles: async (handles: readonly string[]) => {
    if (handles.length === 0) return [];
    const rows = db.selectFrom('listing').selectAll();
    return (await rows.where('handle', 'in', [...handles]).execute()).map(listingTable.decode);
  },
  near: (text: string, limit: number) => readNear(db, search, text, limit),
  withTool: (folded: string) => toSearch(db, search).listings.withTools([folded]),
  nearPackages: (name: string, limit: number) => readNearPackages(db, name, limit),
  /** Visible ones for each reference: the holder's, then the oldest. */
  recording: (references: readonly Reference[], limit: number) =>
    readRecording(db, search, references, limit),
  holding: (reference: Reference) => readHolding(db, search, reference),
  /** Shown ones for each reference, the latest first; without any, those that the registry deleted. */
  formerly: (references: readonly Reference[], limit: number) => readFormerly(db, references, limit),
  recordingToo: (handle: string, limit: number) => readRecordingToo(db, handle, limit),
  /**
   * First those on the network of `payee` or an unknown one, then present before former. Without former
   * ones of hidden listings.
   */
  asked: (payee: Payee, limit: number) => readAsked(db, payee, limit),
  search: (query: SearchQuery<FacetChoice>) => rankListings(toSearch(db, search), query),
  /** Visible ones that most likely have the words, best first. */
  best: async (text: string, limit: number) =>
    (await rankFew(toSearch(db, search), text, limit)).hits.map(({ id }) => id),
  list: async (query: ListQuery) => (await readSorted(db, search, query)).map(decodeShown),
  listCounts: (facets: readonly FacetChoice[]) => readListCounts(db, search, facets),
  /** These and their briefs: visible, in the order of the ids. */
  byIds: async (ids: readonly number[]) =>
    (await readByIds(db, ids)).map(listingTable.decode).map(withoutHidden),
  briefs: (ids: readonly number[]) => readBriefs(db, ids),
  /** Visible ones, once for each kind of shared fact; `of_own` are of the same publisher. */
  sharing: (handle: string) => readSharing(db, handle),
  /** The oldest visible ones, at most 201, with the last sight of each. */
  paidAt: (address: string) => readPaidAt(db, toPayeeKey(address)),
  /** Most listings first. */
  facetCounts: (kind: string) => readFacetCounts(db, kind),
  page: (afterHandle: string, limit: number) => {
    const next = visible(db).select(['handle', 'updated_at']).where('handle', '>', afterHandle);
    return next.orderBy('handle').limit(limit).execute();
  },
  /** Among visible handles, from 1. */
  handleAt: async (position: number) => {
    const sorted = visible(db).select('handle').orderBy('handle');
    return (
      await sorted
        .offset(position - 1)
        .limit(1)
        .executeTakeFirst()
    )?.handle;
  },
  count: () => readCount(db, 'facet_count'),
  publisherListings: (namespace: string) => readCount(db, 'publisher_count', namespace),
  completions: async (part: keyof typeof valuesOf, prefix: string, limit: number) => {
    const name = sql.ref(part);
    const query = sql<{ value: string }>`select ${name} as value from ${valuesOf[part]}
      and ${name} >= ${prefix} and ${name} < ${afterPrefix(prefix)} order by ${name} limit ${limit}`;
    return (await query.execute(db)).rows.map(({ value }) => value);
  },
  /** Without the shipped sample. */
  versionPage: (query: VersionQuery) => readVersionPage(db, query),
  versionSummaries: async (handles: readonly string[]): Promise<VersionSummary[]> => {
    if (handles.length === 0) return [];
    const rows = db.selectFrom('listing_version').select(versionSummaryColumns);
    return (await rows.where('handle', 'in', [...handles]).execute()).map(versionTable.decode);
  },
  newestVersions: (handle: string, query: NewestVersions) => readNewestVersions(db, handle, query),
  datedVersions: (handle: string, limit: number) => readDatedVersions(db, handle, limit),
  versionsNaming: (handle: string, asked: Parameters<typeof readVersionsNaming>[2]) =>
    readVersionsNaming(db, handle, asked),
  /** Of all, or of those published before a time. */
  versionSpan: (handle: string, until?: string) => readVersionSpan(db, handle, until),
  /** Of which nothing is derived yet, as after an upgrade. */
  underived: async () => {
    const rows = db.selectFrom('listing_version').where('derived', 'is', null).groupBy('handle');
    const versions = db.fn.countAll().as('versions');
    return rows.select(['handle', versions]).orderBy('handle').execute();
  },
  version: (handle: string, version: string) =>
    findOne(db, 'listing_version', { handle, version }, versionTable),
});
