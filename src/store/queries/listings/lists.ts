import type { ListQuery } from '../../contract/listings.ts';
import type { Db, SearchIndex } from '../../engine.ts';
import type { ListingRow } from '../../schema/listings.ts';
import { readVisibleListings } from './visible.ts';

/** Listings with some facets that are sorted by their last update: the newest ones. */
const maxSorted = 1000;

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

const latestFirst = (db: Db, { after, limit }: ListQuery) =>
  db
    .selectFrom('listing')
    .selectAll()
    .where('withdrawn', 'is', null)
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('updated_at', 'id'), '<', tuple(after?.updated_at ?? '', after?.id ?? 0)),
      ),
    )
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/** Of the newest listings with some facets, those updated last. */
async function latestWithFacets(db: Db, index: SearchIndex, { facets, after, limit }: ListQuery) {
  const ids = await index.list(db, { facets, order: 'newest', after: undefined, limit: maxSorted });
  if (ids.length === 0) return [];
  const times = await db.selectFrom('listing').select(['id', 'updated_at']).where('id', 'in', ids).execute();
  const isBehind = (a: { id: number; updated_at: string }, b: { id: number; updated_at: string }) =>
    a.updated_at < b.updated_at || (a.updated_at === b.updated_at && a.id < b.id);
  const sorted = times.sort((a, b) => (isBehind(a, b) ? 1 : -1));
  const next = after ? sorted.filter((time) => isBehind(time, after)) : sorted;
  return readByIds(
    db,
    next.slice(0, limit).map(({ id }) => id),
  );
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
