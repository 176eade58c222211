import { type RawBuilder, sql } from 'kysely';
import type { Db, SearchIndex } from '../engine.ts';
import type { ListingRow, SearchHit, SearchQuery } from '../store.ts';
import {
  type Asked,
  beginningExpression,
  expression,
  nameExpression,
  othersExpression,
  toLexemes,
} from './terms.ts';

type Found = Pick<ListingRow, 'id'>;

/** So many matches of one tier behind an id. */
interface Place {
  readonly tier: number;
  readonly after: number;
  readonly limit: number;
}

/**
 * Listings looked at one by one from the oldest on. PostgreSQL knows no index that finds words in the static order, and
 * cannot tell how many will match; a look at the first thousand can. A word of one listing in five hundred or more is
 * found by reading on, a rarer one by its index, and neither takes longer than the other (docs/decisions/0012).
 */
const [sampled, readOnRows] = [1000, 10_000] as const;

const everyListing = (db: Db, after: number, limit: number) =>
  db
    .selectFrom('listing')
    .selectAll()
    .where('withdrawn', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

/** Matches among the next `rows` listings, with the tier of each. */
async function readRange(db: Db, query: Asked, range: { after: number; rows: number }) {
  const of = (tier: number) => sql`words @@ ${expression(query, tier)}::tsquery`;
  const widest = query.words.length > 0 ? 3 : 0;
  const tier = widest === 0 ? sql`0` : sql`case when ${of(1)} then 1 when ${of(2)} then 2 else 3 end`;
  const found = sql<Found & { tier: number }>`select id, ${tier} as tier from
    (select id, words from listing_search where id > ${range.after} order by id limit ${range.rows}) as listed
    where ${of(widest)}`;
  return (await found.execute(db)).rows.sort((a, b) => a.id - b.id);
}

/** Leaves out what a narrower tier has, row by row, for the index is slow at that. */
const notNarrower = (query: Asked, tier: number) =>
  tier > 1 ? sql`and not words @@ ${expression(query, tier - 1)}::tsquery` : sql``;

type IndexCondition = (tier: number) => RawBuilder<boolean>;

/** How many looks at a listing take as long as one entry of a list that the index reads. */
const looksPerEntry = 0.1;

/** How many listings match, as the planner's statistics of the lexemes have it; nothing is read. */
async function estimateMatches(db: Db, tsquery: string): Promise<number> {
  const explained = sql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>`explain (format json)
    select from listing_search where words @@ ${tsquery}::tsquery`;
  return (await explained.execute(db)).rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}

/**
 * What the index looks for. It joins the lists of all words that begin with the last one before it asks for any other
 * word, so where those are too many the other words are looked up and what they find is looked at.
 */
async function toIndexCondition(db: Db, query: Asked): Promise<IndexCondition> {
  const whole = (tier: number) => sql<boolean>`words @@ ${expression(query, tier)}::tsquery`;
  const [others, beginning] = [othersExpression(query, 3), beginningExpression(query, 3)];
  if (!others || !beginning) return whole;
  const [looked, begun] = [await estimateMatches(db, others), await estimateMatches(db, beginning)];
  if (looked >= begun * looksPerEntry) return whole;
  // No index has the vector with nothing added.
  return (tier) => sql<boolean>`words @@ ${othersExpression(query, tier)}::tsquery
    and words || ''::tsvector @@ ${beginningExpression(query, tier)}::tsquery`;
}

/** Matches of one tier by the index. */
async function readIndex(db: Db, matches: RawBuilder<boolean>, { after, limit }: Place) {
  // The sum keeps PostgreSQL from reading all listings in their order instead.
  const found = sql<Found>`select id from listing_search where ${matches} and id > ${after} order by id + 0 limit ${limit}`;
  return (await found.execute(db)).rows;
}

/** Matches of one tier among the next ten thousand listings; reads no more of them than it takes. */
async function readOn(db: Db, query: Asked, { tier, after, limit }: Place) {
  const found = sql<Found>`select id from
    (select id, words from listing_search where id > ${after} order by id limit ${readOnRows}) as listed
    where words @@ ${expression(query, tier)}::tsquery ${notNarrower(query, tier)} order by id limit ${limit}`;
  return (await found.execute(db)).rows;
}

/** Matches of one tier after a place, in the static order. */
function createTierReader(db: Db, query: Asked) {
  const ranges = new Map<number, ReturnType<typeof readRange>>();
  const near = async ({ tier, after }: Place) => {
    const range = ranges.get(after) ?? readRange(db, query, { after, rows: sampled });
    ranges.set(after, range);
    return (await range).filter((found) => found.tier === tier);
  };
  let condition: Promise<IndexCondition> | undefined;
  return async (place: Place): Promise<Found[]> => {
    const { tier, limit } = place;
    let found: Found[] = await near(place);
    if (found.length > 0 && found.length < limit) found = await readOn(db, query, place);
    if (found.length >= limit) return found.slice(0, limit);
    condition ??= toIndexCondition(db, query);
    return readIndex(db, sql`${(await condition)(tier)} ${notNarrower(query, tier)}`, place);
  };
}

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

async function searchTiers(db: Db, query: SearchQuery): Promise<SearchHit[]> {
  const read = createTierReader(db, query);
  const found: { id: number; tier: SearchHit['tier'] }[] = [];
  for (const tier of query.words.length > 0 ? ([1, 2, 3] as const) : ([0] as const)) {
    if (tier < (query.after?.tier ?? 0) || found.length >= query.limit) continue;
    const after = query.after?.tier === tier ? query.after.id : 0;
    const matches = await read({ tier, after, limit: query.limit - found.length });
    found.push(...matches.map(({ id }) => ({ id, tier })));
  }
  const listings = await readListings(
    db,
    found.map(({ id }) => id),
  );
  // A listing that was withdrawn since is left out.
  return found.flatMap(({ id, tier }) => {
    const listing = listings.get(id);
    return listing ? [{ listing, tier }] : [];
  });
}

/** Whether the first listings hold so many matches, and some to spare, as far as the planner can tell. */
async function isFrequent(db: Db, tsquery: string, matches: number): Promise<boolean> {
  const listed = sql<{ rows: number }>`select reltuples as rows from pg_class
    where oid = 'listing_search'::regclass`;
  const [counted] = (await listed.execute(db)).rows;
  const share = (await estimateMatches(db, tsquery)) / Math.max(1, counted?.rows ?? 0);
  return share * readOnRows >= matches;
}

/** Facet texts of the first `limit` of some matches. */
async function readFacets(db: Db, matches: RawBuilder<unknown>, limit: number): Promise<string[]> {
  const found = sql<{ facets: string | null }>`select string_agg(listing.facets, chr(10)) as facets from
    (select id from ${matches} limit ${limit}) as found join listing on listing.id = found.id`;
  return (await found.execute(db)).rows[0]?.facets?.split('\n') ?? [];
}

/** A tsvector with GIN: no parser or dictionary of PostgreSQL is used, so that words are the same as in SQLite. */
export const postgresSearch: SearchIndex = {
  async replace(db, removedIds, rows) {
    if (removedIds.length > 0)
      await sql`delete from listing_search where id = any(${removedIds}::bigint[])`.execute(db);
    if (rows.length === 0) return;
    const values = rows.map((row) => sql`(${row.id}::bigint, array_to_tsvector(${toLexemes(row)}::text[]))`);
    await sql`insert into listing_search (id, words) values ${sql.join(values)}`.execute(db);
  },

  search: (db, query) =>
    query.words.length + query.facets.length > 0
      ? searchTiers(db, query)
      : everyListing(db, query.after?.id ?? 0, query.limit).then((rows) =>
          rows.map((listing) => ({ listing, tier: 0 })),
        ),

  async matchedFacets(db, query, limit) {
    const tier = query.words.length > 0 ? 3 : 0;
    if (await isFrequent(db, expression(query, tier), limit)) {
      const listed = sql`(select id, words from listing_search order by id limit ${2 * readOnRows}) as listed`;
      const matches = sql`${listed} where words @@ ${expression(query, tier)}::tsquery`;
      const more = await readFacets(db, matches, limit);
      if (more.length >= limit) return more;
    }
    const condition = await toIndexCondition(db, query);
    return readFacets(db, sql`listing_search where ${condition(tier)}`, limit);
  },

  async named(db, words, limit) {
    if (words.length === 0) return [];
    const found = sql<ListingRow>`select listing.* from listing_search join listing on listing.id = listing_search.id
      where words @@ ${nameExpression(words)}::tsquery order by listing_search.id + 0 limit ${limit}`;
    return (await found.execute(db)).rows;
  },
};
