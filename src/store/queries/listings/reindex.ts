import { withNativeFacets } from '../../../evidence/listing/facets.ts';
import type { Db } from '../../engine.ts';
import type { ListingRow } from '../../schema/listings.ts';
import { precompileQuery } from '../precompiled-query.ts';
import { isCurrent } from '../ratings/counts.ts';
import { decodeFacets, encodeFacets } from './rows.ts';

/** The stored facets of a listing, its claim's state and whether it has ratings: what changes facets without an import. */
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

/** A listing's row with the facets that follow from its claim and ratings now; undefined if they are unchanged. */
export async function readReindexed(db: Db, handle: string): Promise<ListingRow | undefined> {
  const [stored] = await readFacetFacts(db, handle);
  if (!stored) return undefined;
  const native = [stored.state ?? 'imported', Boolean(stored.rated)] as const;
  const facets = encodeFacets(withNativeFacets(decodeFacets(stored.facets), ...native));
  if (facets === stored.facets) return undefined;
  const row = await db.selectFrom('listing').selectAll().where('handle', '=', handle).executeTakeFirst();
  return row && { ...row, facets };
}
