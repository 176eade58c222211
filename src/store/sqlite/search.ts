import { sql } from 'kysely';
import type { SearchQuery } from '../contract/listings.ts';
import type { Db, IndexHit, SearchIndex } from '../engine.ts';
import { readVisibleListings } from '../queries/listings/visible.ts';
import type { ListingRow } from '../schema/listings.ts';
import { type Term, toExpression, toIndexTexts, toNameExpression, toTerms } from './terms.ts';

const widestTier = 3;

/** Matches after an id, in static rank. */
async function readMatches(
  db: Db,
  expression: string,
  { afterId, limit }: { readonly afterId: number; readonly limit: number },
): Promise<ListingRow[]> {
  const query = sql<ListingRow>`select listing.* from listing_search join listing on listing.id = listing_search.rowid
    where listing_search match ${expression} and listing_search.rowid > ${afterId}
    order by listing_search.rowid limit ${limit}`;
  return (await query.execute(db)).rows;
}

interface TermQuery extends SearchQuery {
  readonly terms: readonly Term[];
}

/**
 * Hits of one tier, without those of narrower tiers. On the first page these are all among `hits` and are left out by
 * their ids; after a cursor the index has to exclude them, which is slower.
 */
async function searchTier(
  db: Db,
  query: TermQuery,
  { tier, hits }: { readonly tier: IndexHit['tier']; readonly hits: readonly IndexHit[] },
): Promise<IndexHit[]> {
  const { terms, facets, after, limit } = query;
  const afterId = after?.tier === tier ? after.id : 0;
  const all = toExpression(terms, facets, tier);
  const expression = after && tier > 1 ? `(${all}) NOT (${toExpression(terms, facets, tier - 1)})` : all;
  const rows = expression
    ? await readMatches(db, expression, { afterId, limit })
    : await readVisibleListings(db, afterId, limit);
  const known = new Set(hits.map(({ listing }) => listing.id));
  return rows
    .filter(({ id }) => !known.has(id))
    .slice(0, limit - hits.length)
    .map((listing) => ({ listing, tier }));
}

async function searchTiers(db: Db, query: TermQuery): Promise<IndexHit[]> {
  const hits: IndexHit[] = [];
  for (const tier of [1, 2, 3] as const) {
    if (tier < (query.after?.tier ?? 1) || hits.length >= query.limit) continue;
    hits.push(...(await searchTier(db, query, { tier, hits })));
  }
  return hits;
}

/** FTS5 over names, tags, descriptions and facets. The rowid is the static rank, so matches are never sorted. */
export const sqliteSearch: SearchIndex = {
  async replace(db, removedIds, rows) {
    if (removedIds.length > 0)
      await sql`delete from listing_search where rowid in (${sql.join(removedIds)})`.execute(db);
    if (rows.length === 0) return;
    const values = (await toIndexTexts(db, rows)).map(({ id, text }) => sql`(${id}, ${text})`);
    await sql`insert into listing_search (rowid, words) values ${sql.join(values)}`.execute(db);
  },

  async search(db, query) {
    if (query.words.length === 0) return searchTier(db, { ...query, terms: [] }, { tier: 0, hits: [] });
    return searchTiers(db, { ...query, terms: await toTerms(db, query.words) });
  },

  async matchedFacets(db, { words, facets }, limit) {
    const terms = words.length > 0 ? await toTerms(db, words) : [];
    const expression = toExpression(terms, facets, widestTier);
    // One text instead of a thousand rows, which would take as long to read as to find.
    const query = sql<{ facets: string | null }>`select group_concat(facets, char(10)) as facets from
      (select listing.facets from listing_search join listing on listing.id = listing_search.rowid
        where listing_search match ${expression} limit ${limit})`;
    return (await query.execute(db)).rows[0]?.facets?.split('\n') ?? [];
  },

  named: async (db, words, limit) =>
    words.length === 0 ? [] : readMatches(db, await toNameExpression(db, words), { afterId: 0, limit }),
};
