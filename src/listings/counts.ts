import { sql } from 'kysely';
import { everyListing } from '../core/handle.ts';
import { countFacets } from '../search/gather.ts';
import type { Facet, FacetChoice, SearchCounts } from '../search/query.ts';
import type { SearchIndex } from '../search/search-index.ts';
import { afterPrefix, inChunks } from '../store/query.ts';
import { summaryTable } from './listing.ts';
import type { Db, ListingRow } from './schema.ts';

/** So that no count takes long. */
const maxCounted = 1000;

const keyColumns = { facet_count: 'facet', publisher_count: 'namespace' } as const;

export async function readCount(db: Db, table: keyof typeof keyColumns, key = everyListing): Promise<number> {
  const { rows } = await sql<{ listings: number }>`select listings from ${sql.table(table)}
    where ${sql.ref(keyColumns[table])} = ${key}`.execute(db);
  return rows[0]?.listings ?? 0;
}

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

/** One text, because reading a thousand rows would take as long as finding them. */
async function readFacetTexts(db: Db, search: SearchIndex, ids: readonly number[]): Promise<string[]> {
  const found = sql<{ facets: string | null }>`select string_agg(facets, ${'\n'}) as facets
    from listing where ${search.hasId(ids)}`;
  return (await found.execute(db)).rows[0]?.facets?.split('\n') ?? [];
}

/** Stops at 1,000 listings, unless no facet is given. */
export async function readListCounts(db: Db, search: SearchIndex, facets: readonly FacetChoice[]) {
  if (facets.length === 0) return readAllCounts(db);
  const range = { facets, order: 'oldest', after: undefined, limit: maxCounted + 1 } as const;
  const ids = await search.list(db, range);
  return countFacets(await readFacetTexts(db, search, ids.slice(0, maxCounted)), ids.length > maxCounted);
}

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

const addToCounts = (db: Db, table: keyof typeof keyColumns, changes: ReturnType<typeof toChanges>) =>
  inChunks(changes, (chunk) => {
    const key = sql.ref(keyColumns[table]);
    const rows = chunk.map(([name, listings]) => sql`(${name}, ${listings})`);
    return sql`insert into ${sql.table(table)} (${key}, listings) values ${sql.join(rows)}
      on conflict (${key}) do update set listings = ${sql.table(table)}.listings + excluded.listings`.execute(
      db,
    );
  });

export async function updateCounts(db: Db, before: readonly ListingRow[], after: readonly ListingRow[]) {
  const facets = toChanges(before, after, (row) => [
    everyListing,
    ...summaryTable.decode({ facets: row.facets }).facets,
  ]);
  await addToCounts(db, 'facet_count', facets);
  const publishers = toChanges(before, after, ({ namespace }) => [namespace]);
  await addToCounts(db, 'publisher_count', publishers);
}
