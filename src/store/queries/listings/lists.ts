import { type SqlBool, sql } from 'kysely';
import type { ListQuery } from '../../contract/listings.ts';
import type { Db, SearchIndex } from '../../engine.ts';
import type { ListingRow } from '../../schema/listings.ts';
import { readVisibleListings } from './visible.ts';

/** So many listings with some facets are all read and sorted by their last update. */
const maxSorted = 2000;

/** The visible listings of some ids, in the same order. */
export async function readByIds(db: Db, ids: readonly number[]): Promise<ListingRow[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('listing')
    .selectAll()
    .where('id', 'in', [...ids])
    .where('withdrawn', 'is', null)
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const newestFirst = (db: Db, after: number | undefined, limit: number) =>
  db
    .selectFrom('listing')
    .selectAll()
    .where('withdrawn', 'is', null)
    .where('id', '<', after ?? Number.MAX_SAFE_INTEGER)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/** A facet stands between spaces, or at an end of the column. LIKE would ignore capitals on SQLite only. */
const hasFacet = (facet: string) =>
  sql<SqlBool>`replace(' ' || facets || ' ', ${` ${facet} `}, '') <> ' ' || facets || ' '`;

const latestFirst = (db: Db, { facets, after, limit }: ListQuery) =>
  db
    .selectFrom('listing')
    .selectAll()
    .where('withdrawn', 'is', null)
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('updated_at', 'id'), '<', tuple(after?.updated_at ?? '', after?.id ?? 0)),
      ),
    )
    .where((eb) => eb.and(facets.map(hasFacet)))
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

interface Updated {
  readonly id: number;
  readonly updated_at: string;
}

const isBehind = (a: Updated, b: Updated) =>
  a.updated_at < b.updated_at || (a.updated_at === b.updated_at && a.id < b.id);

/** Those of a few listings that come next by their last update. */
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

/**
 * Listings with some facets, those updated last first. Where there are many, listings are read by their last update
 * until enough have the facets, which is soon; few are all read.
 */
async function latestWithFacets(db: Db, index: SearchIndex, query: ListQuery): Promise<ListingRow[]> {
  const range = { facets: query.facets, order: 'newest', after: undefined } as const;
  const ids = await index.list(db, { ...range, limit: maxSorted + 1 });
  if (ids.length <= maxSorted) return readByIds(db, await sortLatest(db, ids, query));
  return latestFirst(db, query);
}

/** Visible listings by their facets alone, in one of three orders. */
export async function readList(db: Db, index: SearchIndex, query: ListQuery): Promise<ListingRow[]> {
  const { facets, sort, after, limit } = query;
  if (sort === 'updated')
    return facets.length > 0 ? latestWithFacets(db, index, query) : latestFirst(db, query);
  const order = sort === 'published' ? 'newest' : 'oldest';
  if (facets.length > 0)
    return readByIds(db, await index.list(db, { facets, order, after: after?.id, limit }));
  return order === 'oldest'
    ? readVisibleListings(db, after?.id ?? 0, limit)
    : newestFirst(db, after?.id, limit);
}
