import { withNativeFacets } from '../evidence/facets.ts';
import type { Db } from './engine.ts';
import type { ListingRow } from './store.ts';

async function withCurrentFacets(db: Db, row: ListingRow): Promise<ListingRow> {
  const claim = await db
    .selectFrom('claim')
    .select('state')
    .where('handle', '=', row.handle)
    .executeTakeFirst();
  const rating = await db
    .selectFrom('rating')
    .select('id')
    .where('subject_handle', '=', row.handle)
    .where('is_current', '=', 1)
    .limit(1)
    .executeTakeFirst();
  return { ...row, facets: withNativeFacets(row.facets, claim?.state ?? 'imported', rating !== undefined) };
}

/** The listing with the facets that its claim and its ratings give it now, where those are not the stored ones. */
export async function readReindexed(db: Db, handle: string): Promise<ListingRow | undefined> {
  const row = await db.selectFrom('listing').selectAll().where('handle', '=', handle).executeTakeFirst();
  const current = row && (await withCurrentFacets(db, row));
  return current?.facets === row?.facets ? undefined : current;
}
