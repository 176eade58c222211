import type { Db } from '../../engine.ts';
import type { ListingRow } from '../../schema/listings.ts';

/** Visible listings after an id, in static rank, which is the order of their ids. */
export const readVisibleListings = (db: Db, afterId: number, limit: number): Promise<ListingRow[]> =>
  db
    .selectFrom('listing')
    .selectAll()
    .where('withdrawn', 'is', null)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
