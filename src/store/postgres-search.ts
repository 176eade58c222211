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

/** The tsquery of one tier: found there, not in the narrower one. Tier 0 has no words. */
function expression(query: Pick<SearchQuery, 'words' | 'facets'>, tier: number, exact: boolean): string {
  const words = tier > 0 ? [terms(query.words, tier)] : [];
  const narrower = exact && tier > 1 ? [`!(${terms(query.words, tier - 1)})`] : [];
  const facets = query.facets.map((facet) => quote(facetLexeme(facet)));
  return [...words, ...narrower, ...facets].join(' & ');
}

async function match(db: Db, tsquery: string, after: number, limit: number): Promise<ListingRow[]> {
  const found = sql<ListingRow>`select listing.* from (select id from listing_search
      where words @@ ${tsquery}::tsquery and id > ${after} order by id limit ${limit}) as found
    join listing on listing.id = found.id order by listing.id`;
  return (await found.execute(db)).rows;
}

const everyListing = (db: Db, after: number, limit: number) =>
  db
    .selectFrom('listing')
    .selectAll()
    .where('withdrawn', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

async function searchTier(
  db: Db,
  query: SearchQuery,
  tier: SearchHit['tier'],
  room: number,
): Promise<SearchHit[]> {
  const after = query.after?.tier === tier ? query.after.id : 0;
  const tsquery = expression(query, tier, true);
  const rows = tsquery ? await match(db, tsquery, after, room) : await everyListing(db, after, room);
  return rows.map((listing) => ({ listing, tier }));
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

  async search(db, query) {
    if (query.words.length === 0) return searchTier(db, query, 0, query.limit);
    const hits: SearchHit[] = [];
    for (const tier of [1, 2, 3] as const) {
      if (tier < (query.after?.tier ?? 1) || hits.length >= query.limit) continue;
      hits.push(...(await searchTier(db, query, tier, query.limit - hits.length)));
    }
    return hits;
  },

  async matchedFacets(db, query, limit) {
    const tsquery = expression(query, query.words.length > 0 ? 3 : 0, false);
    const found = sql<{ facets: string }>`select listing.facets from (select id from listing_search
      where words @@ ${tsquery}::tsquery limit ${limit}) as found join listing on listing.id = found.id`;
    return (await found.execute(db)).rows.map(({ facets }) => facets);
  },

  async named(db, words, limit) {
    if (words.length === 0) return [];
    return match(db, words.map((word) => quote(lexeme(1, word))).join(' | '), 0, limit);
  },
};
