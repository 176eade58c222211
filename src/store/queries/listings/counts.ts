import type { Facet } from '../../../evidence/listing/facets.ts';
import { afterPrefix } from '../../after-prefix.ts';
import type { SearchCounts } from '../../contract/listings.ts';
import type { Db, SearchIndex } from '../../engine.ts';
import { countFacets } from '../../search/count-facets.ts';

/** The counter of all visible listings; no facet has this form. */
export const everyListing = '*';
/** Listings are counted up to here, so that no count takes long. */
const maxCounted = 1000;

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

/** Counts of listings with all of these facets; those of all listings are stored. */
export async function readListCounts(
  db: Db,
  search: SearchIndex,
  facets: readonly Facet[],
): Promise<SearchCounts> {
  if (facets.length === 0) return readAllCounts(db);
  const range = { facets, order: 'oldest', after: undefined, limit: maxCounted + 1 } as const;
  const ids = await search.list(db, range);
  const texts = await search.readFacetTexts(db, ids.slice(0, maxCounted));
  return countFacets(texts, ids.length > maxCounted);
}
