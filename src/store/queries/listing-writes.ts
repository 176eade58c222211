import { type RawBuilder, sql } from 'kysely';
import type { ListingWrites } from '../contract/listings.ts';
import type { Db, SearchIndex } from '../engine.ts';
import type { ListingRow, ListingVersionRow } from '../schema.ts';
import { inChunks } from './in-chunks.ts';
import { createListingReads } from './listing-reads.ts';
import { readReindexed } from './listing-reindex.ts';
import { encodeListing, encodeVersion } from './listing-rows.ts';
import { precompileQuery } from './precompiled-query.ts';
import { writeSignals } from './signals.ts';

/** The counter of all visible listings. */
const everything = '*';

const facetsOf = ({ facets }: ListingRow) => [everything, ...facets.split(' ').filter(Boolean)];

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

async function countChanges(
  db: Db,
  before: readonly ListingRow[],
  after: readonly ListingRow[],
): Promise<void> {
  await inChunks(toChanges(before, after, facetsOf), (chunk) =>
    db
      .insertInto('facet_count')
      .values(chunk.map(([facet, listings]) => ({ facet, listings })))
      .onConflict((conflict) =>
        conflict.column('facet').doUpdateSet(({ eb, ref }) => ({
          listings: eb(ref('facet_count.listings'), '+', ref('excluded.listings')),
        })),
      )
      .execute(),
  );
  await inChunks(
    toChanges(before, after, ({ namespace }) => [namespace]),
    (chunk) =>
      db
        .insertInto('publisher_count')
        .values(chunk.map(([namespace, listings]) => ({ namespace, listings })))
        .onConflict((conflict) =>
          conflict.column('namespace').doUpdateSet(({ eb, ref }) => ({
            listings: eb(ref('publisher_count.listings'), '+', ref('excluded.listings')),
          })),
        )
        .execute(),
  );
}

/** Ids read at once to find a free one. Few are taken, but a registry may publish thousands in one millisecond. */
const probedIds = 512;

/** Gives rows whose id another listing has the next free one: two listings may share a millisecond and a checksum. */
async function freeIds(
  db: Db,
  rows: readonly ListingRow[],
  known: ReadonlyMap<string, ListingRow>,
): Promise<ListingRow[]> {
  const wanted = rows.filter((row) => known.get(row.handle)?.id !== row.id).map(({ id }) => id);
  if (wanted.length === 0) return [...rows];
  const range = await db.selectFrom('listing').select(['id', 'handle']).where('id', 'in', wanted).execute();
  const holder = new Map(range.map(({ id, handle }) => [id, handle]));
  const placed: ListingRow[] = [];
  for (const row of rows) {
    let { id } = row;
    let seenTo = id + 1;
    while (holder.has(id) && holder.get(id) !== row.handle) {
      id += 1;
      if (id < seenTo) continue;
      seenTo = id + probedIds;
      for (const held of await readIds(db, id, seenTo)) holder.set(held.id, held.handle);
    }
    holder.set(id, row.handle);
    placed.push({ ...row, id });
  }
  return placed;
}

const readIds = (db: Db, from: number, to: number) =>
  db.selectFrom('listing').select(['id', 'handle']).where('id', '>=', from).where('id', '<', to).execute();

const indexed = (row: ListingRow) =>
  [row.id, row.withdrawn, row.handle, row.title, row.description, row.tags, row.facets].join('\n');

async function putListingRows(db: Db, search: SearchIndex, rows: readonly ListingRow[]): Promise<void> {
  if (rows.length === 0) return;
  const handles = rows.map(({ handle }) => handle);
  const before = await db.selectFrom('listing').selectAll().where('handle', 'in', handles).execute();
  const known = new Map(before.map((row) => [row.handle, row]));
  const after = await freeIds(db, rows, known);
  const moved = after.filter((row) => known.has(row.handle) && known.get(row.handle)?.id !== row.id);
  if (moved.length > 0)
    await db
      .deleteFrom('listing')
      .where(
        'handle',
        'in',
        moved.map(({ handle }) => handle),
      )
      .execute();
  await inChunks(after, (chunk) => upsertListings(db, chunk));
  const stale = after.filter((row) => indexed(row) !== indexed(known.get(row.handle) ?? { ...row, id: -1 }));
  const removed = stale
    .flatMap(({ handle }) => known.get(handle) ?? [])
    .filter(({ withdrawn }) => !withdrawn);
  await inChunks(removed, (chunk) =>
    search.replace(
      db,
      chunk.map(({ id }) => id),
      [],
    ),
  );
  await inChunks(
    stale.filter(({ withdrawn }) => !withdrawn),
    (chunk) => search.replace(db, [], chunk),
  );
  await countChanges(db, before, after);
}

/** `column = excluded.column` for every column of a row. */
const excluded = (row: object | undefined): Record<string, RawBuilder<never>> =>
  Object.fromEntries(Object.keys(row ?? {}).map((name) => [name, sql.ref<never>(`excluded.${name}`)]));

const upsertListings = precompileQuery((db, rows: readonly ListingRow[]) =>
  db
    .insertInto('listing')
    .values(rows)
    .onConflict((conflict) => conflict.column('handle').doUpdateSet(excluded(rows[0]))),
);

const upsertVersions = precompileQuery((db, rows: readonly ListingVersionRow[]) =>
  db
    .insertInto('listing_version')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['handle', 'version']).doUpdateSet(excluded(rows[0]))),
);

/** Writes of listings inside a transaction; `touch` receives each handle that changed. */
export function createListingWrites(
  db: Db,
  search: SearchIndex,
  touch: (handle: string) => void,
): ListingWrites {
  const put = async (rows: readonly ListingRow[]) => {
    for (const { handle } of rows) touch(handle);
    await putListingRows(db, search, rows);
  };
  return {
    ...createListingReads(db, search),
    putVersions: (versions) => inChunks(versions, (chunk) => upsertVersions(db, chunk.map(encodeVersion))),
    putListings: (listings) => put(listings.map(encodeListing)),
    async reindex(handle) {
      touch(handle);
      const row = await readReindexed(db, handle);
      if (row) await put([row]);
    },
    async putSignals(signals) {
      for (const { handle } of signals) touch(handle);
      await writeSignals(db, signals);
    },
  };
}
