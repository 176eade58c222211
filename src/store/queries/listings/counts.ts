import type { Facet } from '../../../evidence/listing/facets.ts';
import type { SearchCounts, SearchQuery } from '../../contract/listings.ts';
import type { Db, SearchIndex } from '../../engine.ts';
import { afterPrefix } from '../after-prefix.ts';
import { decodeFacets } from './rows.ts';

/** The counter of all visible listings; no facet has this form. */
export const everyListing = '*';
/** Search hits are counted up to here, so that no search takes long. */
const countedHits = 1000;

/** How many listings are visible. */
export async function countListings(db: Db): Promise<number> {
  const row = await db
    .selectFrom('facet_count')
    .select('listings')
    .where('facet', '=', everyListing)
    .executeTakeFirst();
  return row?.listings ?? 0;
}

/** How many visible listings have each facet of a kind, most first. */
export async function readFacetCounts(db: Db, kind: string): Promise<{ facet: Facet; listings: number }[]> {
  const rows = await db
    .selectFrom('facet_count')
    .selectAll()
    .where('facet', '>=', `${kind}:`)
    .where('facet', '<', afterPrefix(`${kind}:`))
    .where('listings', '>', 0)
    .orderBy('listings', 'desc')
    .orderBy('facet')
    .execute();
  return rows.map(({ facet, listings }) => ({ facet: facet as Facet, listings }));
}

async function readAllCounts(db: Db): Promise<SearchCounts> {
  const rows = await db.selectFrom('facet_count').selectAll().where('listings', '>', 0).execute();
  const total = rows.find(({ facet }) => facet === everyListing)?.listings ?? 0;
  const facets = rows
    .filter(({ facet }) => facet !== everyListing)
    .map(({ facet, listings }) => [facet, listings]);
  return { total, capped: false, facets: Object.fromEntries(facets) };
}

function countFacets(facetTexts: readonly string[]): SearchCounts {
  const counted = facetTexts.slice(0, countedHits);
  // Many listings have the same facets: each text is split once.
  const alike = new Map<string, number>();
  for (const text of counted) alike.set(text, (alike.get(text) ?? 0) + 1);
  const facets: Record<Facet, number> = {};
  for (const [text, listings] of alike)
    for (const facet of decodeFacets(text)) facets[facet] = (facets[facet] ?? 0) + listings;
  return { total: counted.length, capped: facetTexts.length > countedHits, facets };
}

/** The counts of a search; those of a search for everything are stored. */
export const readSearchCounts = async (
  db: Db,
  search: SearchIndex,
  { words, facets }: Pick<SearchQuery, 'words' | 'facets'>,
): Promise<SearchCounts> =>
  words.length + facets.length === 0
    ? readAllCounts(db)
    : countFacets(await search.matchedFacets(db, { words, facets }, countedHits + 1));
