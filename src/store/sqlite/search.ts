import { type RawBuilder, sql } from 'kysely';
import type { Facet } from '../../evidence/listing/facets.ts';
import { toSearchText } from '../../evidence/text/search-text.ts';
import type { Db, SearchIndex } from '../engine.ts';
import type { ListingRow, SearchHit, SearchQuery } from '../store.ts';
import { frequentWords, learnFrequentWords } from './frequent-words.ts';

/** The texts of a listing, as tiers add them, and what a token of each starts with: of a frequent word, of another. */
const texts = [
  { of: 'name', frequent: '1', other: 'n' },
  { of: 'tags', frequent: '2', other: 't' },
  { of: 'body', frequent: '3', other: 'b' },
] as const;

/** Letters and digits only, as the index takes them. */
const facetToken = (facet: string) => `f${Buffer.from(facet).toString('hex')}`;

/** A word of a search and those frequent words that it may be, or begin. */
interface Term {
  readonly word: string;
  readonly isBeginning: boolean;
  readonly frequent: readonly string[];
}

async function toTerms(db: Db, words: readonly string[]): Promise<Term[]> {
  const last = words.at(-1) ?? '';
  const beginning = [...last].length >= 3 ? last : undefined;
  const frequent = await frequentWords(db, words, beginning);
  return words.map((word, at) => {
    const isBeginning = at === words.length - 1 && beginning !== undefined;
    return {
      word,
      isBeginning,
      frequent: frequent.filter((one) => one === word || (isBeginning && one.startsWith(word))),
    };
  });
}

/** FTS5 expression of a word in the texts of a tier. Many lists, but each is read only as far as it is needed. */
function toTermExpression({ word, isBeginning, frequent }: Term, tier: number): string {
  const lists = texts
    .slice(0, tier)
    .flatMap((text) => [
      `"${text.other}${word}"${isBeginning ? '*' : ''}`,
      ...frequent.map((one) => `"${text.frequent}${one}"`),
    ]);
  return `(${lists.join(' OR ')})`;
}

/** FTS5 expression of a tier: found there or in a narrower one. Tier 0 has no words. */
const expression = (terms: readonly Term[], facets: readonly Facet[], tier: number): string =>
  [
    ...(tier > 0 ? terms.map((term) => toTermExpression(term, tier)) : []),
    ...facets.map((facet) => `"${facetToken(facet)}"`),
  ].join(' AND ');

/** What is put into the index of each row; a word of several texts stands in each. */
async function toIndexed(db: Db, rows: readonly ListingRow[]): Promise<RawBuilder<unknown>[]> {
  const listed = rows.toSorted((a, b) => a.id - b.id).map((row) => ({ row, text: toSearchText(row) }));
  const frequent = await learnFrequentWords(
    db,
    listed.map(({ row, text }) => ({ id: row.id, words: [...text.name, ...text.tags, ...text.body] })),
  );
  const tokens = new Map<string, string>();
  const facetTokenOf = (facet: string) => {
    const token = tokens.get(facet) ?? facetToken(facet);
    tokens.set(facet, token);
    return token;
  };
  return listed.map(({ row, text }) => {
    let indexed = '';
    for (const { of, frequent: first, other } of texts)
      for (const word of text[of]) indexed += ` ${frequent.has(word) ? first : other}${word}`;
    for (const facet of row.facets.split(' ')) if (facet) indexed += ` ${facetTokenOf(facet)}`;
    return sql`(${row.id}, ${indexed})`;
  });
}

async function match(db: Db, fts: string, after: number, limit: number): Promise<ListingRow[]> {
  const found = sql<ListingRow>`select listing.* from listing_search join listing on listing.id = listing_search.rowid
    where listing_search match ${fts} and listing_search.rowid > ${after} order by listing_search.rowid limit ${limit}`;
  return (await found.execute(db)).rows;
}

/** A search with its terms. */
interface Asked extends SearchQuery {
  readonly terms: readonly Term[];
}

/**
 * Hits of one tier behind those of the narrower ones. Read from the beginning, all narrower matches are among `found`
 * and passed over by their ids; only behind a cursor does the index have to leave them out, which is slow.
 */
async function searchTier(
  db: Db,
  query: Asked,
  tier: SearchHit['tier'],
  found: readonly SearchHit[],
): Promise<SearchHit[]> {
  const { terms, facets, limit } = query;
  const after = query.after?.tier === tier ? query.after.id : 0;
  const wide = expression(terms, facets, tier);
  const fts = query.after && tier > 1 ? `(${wide}) NOT (${expression(terms, facets, tier - 1)})` : wide;
  const rows = fts ? await match(db, fts, after, limit) : await everyListing(db, after, limit);
  const known = new Set(found.map(({ listing }) => listing.id));
  return rows
    .filter(({ id }) => !known.has(id))
    .slice(0, limit - found.length)
    .map((listing) => ({ listing, tier }));
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

/** FTS5 over names, tags, descriptions and facets; the rowid is the static order, so no match is ever sorted. */
export const sqliteSearch: SearchIndex = {
  async replace(db, removedIds, rows) {
    if (removedIds.length > 0) {
      await sql`delete from listing_search where rowid in (${sql.join(removedIds)})`.execute(db);
    }
    if (rows.length === 0) return;
    await sql`insert into listing_search (rowid, words) values ${sql.join(await toIndexed(db, rows))}`.execute(
      db,
    );
  },

  async search(db, query) {
    if (query.words.length === 0) return searchTier(db, { ...query, terms: [] }, 0, []);
    const asked = { ...query, terms: await toTerms(db, query.words) };
    const hits: SearchHit[] = [];
    for (const tier of [1, 2, 3] as const) {
      if (tier < (query.after?.tier ?? 1) || hits.length >= query.limit) continue;
      hits.push(...(await searchTier(db, asked, tier, hits)));
    }
    return hits;
  },

  async matchedFacets(db, { words, facets }, limit) {
    const terms = words.length > 0 ? await toTerms(db, words) : [];
    const fts = expression(terms, facets, texts.length);
    // One text instead of a thousand rows: making those takes as long as finding them.
    const found = sql<{ facets: string | null }>`select group_concat(facets, char(10)) as facets from
      (select listing.facets from listing_search join listing on listing.id = listing_search.rowid
        where listing_search match ${fts} limit ${limit})`;
    return (await found.execute(db)).rows[0]?.facets?.split('\n') ?? [];
  },

  async named(db, words, limit) {
    if (words.length === 0) return [];
    const frequent = new Set(await frequentWords(db, words, undefined));
    const terms = words.map((word) => ({
      word,
      isBeginning: false,
      frequent: frequent.has(word) ? [word] : [],
    }));
    return match(db, terms.map((term) => toTermExpression(term, 1)).join(' OR '), 0, limit);
  },
};
