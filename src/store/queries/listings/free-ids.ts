import type { Db } from '../../engine.ts';
import type { ListingRow } from '../../schema/listings.ts';

/** Ids read at once to find a free one. Few are taken, but a registry may publish thousands in one millisecond. */
const probedIds = 512;

const readIds = (db: Db, from: number, to: number) =>
  db.selectFrom('listing').select(['id', 'handle']).where('id', '>=', from).where('id', '<', to).execute();

/**
 * The rows with ids that no other listing has: two listings may have the same static rank, and the later one gets the
 * next free id. `known` are the stored rows by handle.
 */
export async function toFreeIds(
  db: Db,
  rows: readonly ListingRow[],
  known: ReadonlyMap<string, ListingRow>,
): Promise<ListingRow[]> {
  const wanted = rows.filter((row) => known.get(row.handle)?.id !== row.id).map(({ id }) => id);
  if (wanted.length === 0) return [...rows];
  const taken = await db.selectFrom('listing').select(['id', 'handle']).where('id', 'in', wanted).execute();
  const holders = new Map(taken.map(({ id, handle }) => [id, handle]));
  const placed: ListingRow[] = [];
  for (const row of rows) {
    let { id } = row;
    let readTo = id + 1;
    while (holders.has(id) && holders.get(id) !== row.handle) {
      id += 1;
      if (id < readTo) continue;
      readTo = id + probedIds;
      for (const holder of await readIds(db, id, readTo)) holders.set(holder.id, holder.handle);
    }
    holders.set(id, row.handle);
    placed.push({ ...row, id });
  }
  return placed;
}
