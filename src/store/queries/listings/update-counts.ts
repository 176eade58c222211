import type { Db } from '../../engine.ts';
import type { ListingRow } from '../../schema/listings.ts';
import { inChunks } from '../in-chunks.ts';
import { everyListing } from './counts.ts';
import { decodeFacets } from './rows.ts';

/** By how much the number of visible listings changes for each key that rows have. */
function toChanges(
  before: readonly ListingRow[],
  after: readonly ListingRow[],
  keysOf: (row: ListingRow) => readonly string[],
): [key: string, listings: number][] {
  const change = new Map<string, number>();
  const add = (rows: readonly ListingRow[], step: number) => {
    for (const row of rows)
      if (!row.withdrawn) for (const key of keysOf(row)) change.set(key, (change.get(key) ?? 0) + step);
  };
  add(before, -1);
  add(after, 1);
  return [...change].filter(([, by]) => by !== 0);
}

const addToFacets = (db: Db, changes: readonly [facet: string, listings: number][]) =>
  db
    .insertInto('facet_count')
    .values(changes.map(([facet, listings]) => ({ facet, listings })))
    .onConflict((conflict) =>
      conflict.column('facet').doUpdateSet(({ eb, ref }) => ({
        listings: eb(ref('facet_count.listings'), '+', ref('excluded.listings')),
      })),
    )
    .execute();

const addToPublishers = (db: Db, changes: readonly [namespace: string, listings: number][]) =>
  db
    .insertInto('publisher_count')
    .values(changes.map(([namespace, listings]) => ({ namespace, listings })))
    .onConflict((conflict) =>
      conflict.column('namespace').doUpdateSet(({ eb, ref }) => ({
        listings: eb(ref('publisher_count.listings'), '+', ref('excluded.listings')),
      })),
    )
    .execute();

/** Updates the stored counts after rows were replaced. */
export async function updateCounts(
  db: Db,
  before: readonly ListingRow[],
  after: readonly ListingRow[],
): Promise<void> {
  const facets = toChanges(before, after, (row) => [everyListing, ...decodeFacets(row.facets)]);
  await inChunks(facets, (chunk) => addToFacets(db, chunk));
  const publishers = toChanges(before, after, ({ namespace }) => [namespace]);
  await inChunks(publishers, (chunk) => addToPublishers(db, chunk));
}
