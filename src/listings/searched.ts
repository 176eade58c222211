import type { IndexSearch, SearchedListings, SearchIndex } from '../search/search-index.ts';
import { precompileQuery } from '../store/query.ts';
import { readCount } from './counts.ts';
import type { Db } from './schema.ts';

const selectByFolded = precompileQuery((db: Db, folded: string) =>
  db
    .selectFrom('listing')
    .select(['id', 'handle', 'namespace', 'facets'])
    .where('handle_folded', '=', folded)
    .where('withdrawn', 'is', null)
    .orderBy('id'),
);

const createSearchedListings = (db: Db): SearchedListings => ({
  count: () => readCount(db, 'facet_count'),
  withFoldedHandle: (folded) => selectByFolded(db, folded),
  updates: (ids) => db.selectFrom('listing').select(['id', 'updated_at']).where('id', 'in', ids).execute(),
  texts: (ids) =>
    db
      .selectFrom('listing')
      .select(['id', 'handle', 'title', 'description'])
      .where('id', 'in', ids)
      .where('withdrawn', 'is', null)
      .where('hidden', 'is', null)
      .execute(),
});

export const toSearch = (db: Db, index: SearchIndex): IndexSearch => ({
  db,
  index,
  listings: createSearchedListings(db),
});

export async function readIds(db: Db, handles: readonly string[]): Promise<number[]> {
  const rows = await db.selectFrom('listing').select('id').where('handle', 'in', handles).execute();
  return rows.map(({ id }) => id);
}
