import { sql } from 'kysely';
import { toSearchText } from '../evidence/search-text.ts';
import type { Db, SearchIndex } from './engine.ts';
import type { ListingRow, SearchHit, SearchQuery } from './store.ts';

/** PostgreSQL keeps no longer lexeme (2,046 bytes); a word of 500 characters is always shorter. */
const longestWord = 500;
const lexeme = (tier: number, word: string) => `${tier}${word.slice(0, longestWord)}`;
const facetLexeme = (facet: string) => `f${facet}`;

/** Each word once for every tier that it counts in: a tier looks in its own columns and in the narrower ones. */
function toLexemes(row: ListingRow): string[] {
  const { name, tags, body } = toSearchText(row);
  const words = [name, [...name, ...tags], [...name, ...tags, ...body]];
  const lexemes = words.flatMap((tierWords, at) => tierWords.map((word) => lexeme(at + 1, word)));
  return [...new Set([...lexemes, ...row.facets.split(' ').filter(Boolean).map(facetLexeme)])];
}

const quote = (text: string) => `'${text.replaceAll(/['\\]/g, '$&$&')}'`;

function terms(words: readonly string[], tier: number): string {
  const last = words.length - 1;
  return words
    .map((word, at) => `${quote(lexeme(tier, word))}${at === last && [...word].length >= 3 ? ':*' : ''}`)
    .join(' & ');
}

/** The tsquery of a tier: found there or in a narrower one. Tier 0 has no words. */
function expression({ words, facets }: Asked, tier: number): string {
  return [
    ...(tier > 0 ? [terms(words, tier)] : []),
    ...facets.map((facet) => quote(facetLexeme(facet))),
  ].join(' & ');
}

type Asked = Pick<SearchQuery, 'words' | 'facets'>;
type Found = Pick<ListingRow, 'id'>;

/**
 * Listings looked at one by one from the oldest on. PostgreSQL knows no index that finds words in the static order, and
 * cannot tell how many will match; a look at the first thousand can. A word of one listing in five hundred or more is
 * found by reading on, a rarer one by its index, and neither takes longer than the other (docs/decisions/0012).
 */
const [sampled, readOn] = [1000, 10_000] as const;

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

/** Matches of one tier by the index; what a narrower tier has is left out row by row, for the index is slow at that. */
async function readIndex(db: Db, query: Asked, place: { tier: number; after: number; limit: number }) {
  const { tier, after, limit } = place;
  const narrower = tier > 1 ? sql`and not words @@ ${expression(query, tier - 1)}::tsquery` : sql``;
  // The sum keeps PostgreSQL from reading all listings in their order instead.
  const found = sql<Found>`select id from listing_search where words @@ ${expression(query, tier)}::tsquery
    ${narrower} and id > ${after} order by id + 0 limit ${limit}`;
  return (await found.execute(db)).rows;
}

/** Matches of one tier after a place, in the static order. */
function createTierReader(db: Db, query: Asked) {
  const ranges = new Map<string, ReturnType<typeof readRange>>();
  const near = async (tier: number, after: number, rows: number) => {
    const key = `${after} ${rows}`;
    const range = ranges.get(key) ?? readRange(db, query, { after, rows });
    ranges.set(key, range);
    return (await range).filter((found) => found.tier === tier);
  };
  return async (place: { tier: number; after: number; limit: number }): Promise<Found[]> => {
    const { tier, after, limit } = place;
    let found = await near(tier, after, sampled);
    if (found.length > 0 && found.length < limit) found = await near(tier, after, readOn);
    return found.length >= limit ? found.slice(0, limit) : readIndex(db, query, place);
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

/** Some matches, at most `limit`, in no order. */
async function readSome(db: Db, query: Asked, limit: number): Promise<Found[]> {
  const range = await readRange(db, query, { after: 0, rows: sampled });
  if (range.length * (readOn / sampled) >= limit) {
    const more = await readRange(db, query, { after: 0, rows: 2 * readOn });
    if (more.length >= limit) return more.slice(0, limit);
  }
  const found = sql<Found>`select id from listing_search
    where words @@ ${expression(query, query.words.length > 0 ? 3 : 0)}::tsquery limit ${limit}`;
  return (await found.execute(db)).rows;
}

/** A tsvector with GIN: no parser or dictionary of PostgreSQL is used, so that words are the same as in SQLite. */
export const postgresSearch: SearchIndex = {
  migration: {
    async up(db) {
      await sql`create table listing_search (id bigint primary key, words tsvector not null)`.execute(db);
      await sql`create index listing_search_words on listing_search using gin (words)`.execute(db);
    },
  },

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
    const ids = (await readSome(db, query, limit)).map(({ id }) => id);
    const found = sql<{ facets: string }>`select facets from listing where id = any(${ids}::bigint[])`;
    return (await found.execute(db)).rows.map(({ facets }) => facets);
  },

  async named(db, words, limit) {
    if (words.length === 0) return [];
    const tsquery = words.map((word) => quote(lexeme(1, word))).join(' | ');
    const found = sql<ListingRow>`select listing.* from listing_search join listing on listing.id = listing_search.id
      where words @@ ${tsquery}::tsquery order by listing_search.id + 0 limit ${limit}`;
    return (await found.execute(db)).rows;
  },
};
