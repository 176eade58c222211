import { withNativeFacets } from '../../evidence/listing/facets.ts';
import type { Db } from '../engine.ts';
import type { ListingRow } from '../store.ts';
import { precompileQuery } from './precompiled-query.ts';
import { isCurrent } from './rating-counts.ts';

/** The stored facets of a listing, and what those facets follow from that change without an import. */
const readFacetFacts = precompileQuery((db, handle: string) =>
  db
    .selectFrom('listing')
    .leftJoin('claim', 'claim.handle', 'listing.handle')
    .select(['listing.facets', 'claim.state'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('rating')
          .select('rating.id')
          .whereRef('rating.subject_handle', '=', 'listing.handle')
          .where('rating.is_current', '=', isCurrent),
      ).as('rated'),
    )
    .where('listing.handle', '=', handle),
);

/** A listing with the facets that its claim and its ratings give it now; undefined where those are the stored ones. */
export async function readReindexed(db: Db, handle: string): Promise<ListingRow | undefined> {
  const [stored] = await readFacetFacts(db, handle);
  if (!stored) return undefined;
  const facets = withNativeFacets(stored.facets, stored.state ?? 'imported', Boolean(stored.rated));
  if (facets === stored.facets) return undefined;
  const row = await db.selectFrom('listing').selectAll().where('handle', '=', handle).executeTakeFirst();
  return row && { ...row, facets };
}
