import { type RawBuilder, sql } from 'kysely';
import type { SearchQuery } from '../contract/listings.ts';
import type { Db, IndexHit, SearchIndex } from '../engine.ts';
import { readVisibleListings } from '../queries/listings/visible.ts';
import type { ListingRow } from '../schema/listings.ts';
import { isFrequent } from './estimate.ts';
import { toExpression, toLexemes, toNameExpression } from './terms.ts';
import { createIndexCondition, createTierReader, scannedRows } from './tier-reader.ts';

async function readListings(db: Db, ids: readonly number[]): Promise<Map<number, ListingRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('listing')
    .selectAll()
    .where('id', 'in', [...ids])
    .where('withdrawn', 'is', null)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

async function searchTiers(db: Db, query: SearchQuery): Promise<IndexHit[]> {
  const read = createTierReader(db, query);
  const found: { id: number; tier: IndexHit['tier'] }[] = [];
  for (const tier of query.words.length > 0 ? ([1, 2, 3] as const) : ([0] as const)) {
    if (tier < (query.after?.tier ?? 0) || found.length >= query.limit) continue;
    const afterId = query.after?.tier === tier ? query.after.id : 0;
    const matches = await read({ tier, afterId, limit: query.limit - found.length });
    found.push(...matches.map(({ id }) => ({ id, tier })));
  }
  const listings = await readListings(
    db,
    found.map(({ id }) => id),
  );
  // A listing withdrawn since the index was read is left out.
  return found.flatMap(({ id, tier }) => {
    const listing = listings.get(id);
    return listing ? [{ listing, tier }] : [];
  });
}

async function listEverything(db: Db, { after, limit }: SearchQuery): Promise<IndexHit[]> {
  const rows = await readVisibleListings(db, after?.id ?? 0, limit);
  return rows.map((listing) => ({ listing, tier: 0 }));
}

/** Facet texts of the first `limit` rows of a source that has listing ids. */
async function readFacets(db: Db, source: RawBuilder<unknown>, limit: number): Promise<string[]> {
  const query = sql<{ facets: string | null }>`select string_agg(listing.facets, chr(10)) as facets from
    (select id from ${source} limit ${limit}) as matches join listing on listing.id = matches.id`;
  return (await query.execute(db)).rows[0]?.facets?.split('\n') ?? [];
}

/** A tsvector with GIN. No parser or dictionary of PostgreSQL is used, so that words are the same as in SQLite. */
export const postgresSearch: SearchIndex = {
  async replace(db, removedIds, rows) {
    if (removedIds.length > 0)
      await sql`delete from listing_search where id = any(${removedIds}::bigint[])`.execute(db);
    if (rows.length === 0) return;
    const values = rows.map((row) => sql`(${row.id}::bigint, array_to_tsvector(${toLexemes(row)}::text[]))`);
    await sql`insert into listing_search (id, words) values ${sql.join(values)}`.execute(db);
  },

  search: (db, query) =>
    query.words.length + query.facets.length > 0 ? searchTiers(db, query) : listEverything(db, query),

  async matchedFacets(db, terms, limit) {
    const tier = terms.words.length > 0 ? 3 : 0;
    const expression = toExpression(terms, tier);
    if (await isFrequent(db, expression, { matches: limit, rows: scannedRows })) {
      // Twice the rows that should do, because matches are not spread evenly.
      const rows = sql`(select id, words from listing_search order by id limit ${2 * scannedRows}) as first_rows`;
      const facets = await readFacets(db, sql`${rows} where words @@ ${expression}::tsquery`, limit);
      if (facets.length >= limit) return facets;
    }
    const condition = await createIndexCondition(db, terms);
    return readFacets(db, sql`listing_search where ${condition(tier)}`, limit);
  },

  async named(db, words, limit) {
    if (words.length === 0) return [];
    // The sum keeps PostgreSQL from reading all listings in the order of their ids instead.
    const query = sql<ListingRow>`select listing.* from listing_search join listing on listing.id = listing_search.id
      where words @@ ${toNameExpression(words)}::tsquery order by listing_search.id + 0 limit ${limit}`;
    return (await query.execute(db)).rows;
  },
};
