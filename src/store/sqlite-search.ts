import { type RawBuilder, sql } from 'kysely';
import type { Facet } from '../evidence/facets.ts';
import { toSearchText } from '../evidence/search-text.ts';
import type { Db, SearchIndex } from './engine.ts';
import type { ListingRow, SearchHit, SearchQuery } from './store.ts';

/** Columns that each tier looks in, narrowest first. */
const tierColumns = ['{name}', '{name tags}', '{name tags body}'] as const;

/** A facet as one token: letters and digits only, no word of a text. */
const facetToken = (facet: string) => `x${Buffer.from(facet).toString('hex')}`;

function terms(words: readonly string[]): string {
  const last = words.length - 1;
  return words.map((word, at) => `"${word}"${at === last && [...word].length >= 3 ? '*' : ''}`).join(' AND ');
}

const facetClause = (facets: readonly Facet[]) =>
  facets.length === 0
    ? undefined
    : `{facets} : (${facets.map((facet) => `"${facetToken(facet)}"`).join(' AND ')})`;

/** FTS5 expression of one tier: in its columns, not in the narrower ones. Tier 0 has no words. */
function expression(query: Pick<SearchQuery, 'words' | 'facets'>, tier: number, exact: boolean): string {
  const wide = tierColumns[tier - 1];
  const narrow = exact ? tierColumns[tier - 2] : undefined;
  const all = terms(query.words);
  const words = wide && (narrow ? `(${wide} : (${all}) NOT ${narrow} : (${all}))` : `${wide} : (${all})`);
  return [words, facetClause(query.facets)].filter(Boolean).join(' AND ');
}

const searchText = (row: ListingRow) => {
  const { name, tags, body } = toSearchText(row);
  const facets = row.facets.split(' ').filter(Boolean).map(facetToken);
  return { name: name.join(' '), tags: tags.join(' '), body: body.join(' '), facets: facets.join(' ') };
};

async function match(db: Db, fts: string, after: number, limit: number): Promise<ListingRow[]> {
  const found = sql<ListingRow>`select listing.* from listing_search join listing on listing.id = listing_search.rowid
    where listing_search match ${fts} and listing_search.rowid > ${after} order by listing_search.rowid limit ${limit}`;
  return (await found.execute(db)).rows;
}

/**
 * Hits of one tier behind those of the narrower ones. Read from the beginning, all narrower matches are among `found`
 * and passed over by their ids; only behind a cursor does the index have to leave them out, which is slow.
 */
async function searchTier(
  db: Db,
  query: SearchQuery,
  tier: SearchHit['tier'],
  found: readonly SearchHit[],
): Promise<SearchHit[]> {
  const after = query.after?.tier === tier ? query.after.id : 0;
  const fts = expression(query, tier, query.after !== undefined);
  const rows = fts ? await match(db, fts, after, query.limit) : await everyListing(db, after, query.limit);
  const known = new Set(found.map(({ listing }) => listing.id));
  return rows
    .filter(({ id }) => !known.has(id))
    .slice(0, query.limit - found.length)
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
  migration: {
    async up(db) {
      await sql`create virtual table listing_search using fts5(name, tags, body, facets,
        content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0")`.execute(db);
    },
  },

  async replace(db, removedIds, rows) {
    if (removedIds.length > 0) {
      await sql`delete from listing_search where rowid in (${sql.join(removedIds)})`.execute(db);
    }
    if (rows.length === 0) return;
    const values: RawBuilder<unknown>[] = rows.map((row) => {
      const text = searchText(row);
      return sql`(${row.id}, ${text.name}, ${text.tags}, ${text.body}, ${text.facets})`;
    });
    await sql`insert into listing_search (rowid, name, tags, body, facets) values ${sql.join(values)}`.execute(
      db,
    );
  },

  async search(db, query) {
    if (query.words.length === 0) return searchTier(db, query, 0, []);
    const hits: SearchHit[] = [];
    for (const tier of [1, 2, 3] as const) {
      if (tier < (query.after?.tier ?? 1) || hits.length >= query.limit) continue;
      hits.push(...(await searchTier(db, query, tier, hits)));
    }
    return hits;
  },

  async matchedFacets(db, query, limit) {
    const fts = expression(query, query.words.length > 0 ? tierColumns.length : 0, false);
    const found = sql<{ facets: string }>`select listing.facets from listing_search
      join listing on listing.id = listing_search.rowid where listing_search match ${fts} limit ${limit}`;
    return (await found.execute(db)).rows.map(({ facets }) => facets);
  },

  async named(db, words, limit) {
    if (words.length === 0) return [];
    return match(db, `{name} : (${words.map((word) => `"${word}"`).join(' OR ')})`, 0, limit);
  },
};
