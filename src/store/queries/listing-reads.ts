import { distance } from 'fastest-levenshtein';
import { sql } from 'kysely';
import type { Facet } from '../../evidence/listing/facets.ts';
import { tokenize } from '../../evidence/text/tokenize.ts';
import type { ListingReads, SearchCounts } from '../contract/listings.ts';
import type { Db, SearchIndex } from '../engine.ts';
import { afterPrefix } from './after-prefix.ts';
import { readListingFacts } from './listing-facts.ts';
import {
  decodeFacets,
  decodeListing,
  decodeSummary,
  decodeVersion,
  decodeVersionSummary,
} from './listing-rows.ts';

/** Counting stops here, so that no search runs long. */
const countLimit = 1000;
const nearPool = 200;

function countFacets(facetTexts: readonly string[]): SearchCounts {
  const counted = facetTexts.slice(0, countLimit);
  // Many listings have the same facets: each text is split once.
  const alike = new Map<string, number>();
  for (const text of counted) alike.set(text, (alike.get(text) ?? 0) + 1);
  const facets: Record<Facet, number> = {};
  for (const [text, listings] of alike)
    for (const facet of decodeFacets(text)) facets[facet] = (facets[facet] ?? 0) + listings;
  return { total: counted.length, capped: facetTexts.length > countLimit, facets };
}

/** The counter of all visible listings (listing-writes.ts). */
async function countListings(db: Db): Promise<number> {
  const row = await db
    .selectFrom('facet_count')
    .select('listings')
    .where('facet', '=', '*')
    .executeTakeFirst();
  return row?.listings ?? 0;
}

async function countEverything(db: Db): Promise<SearchCounts> {
  const rows = await db.selectFrom('facet_count').selectAll().where('listings', '>', 0).execute();
  const total = rows.find(({ facet }) => facet === '*')?.listings ?? 0;
  const facets = rows.filter(({ facet }) => facet !== '*').map(({ facet, listings }) => [facet, listings]);
  return { total, capped: false, facets: Object.fromEntries(facets) };
}

async function nearHandles(db: Db, search: SearchIndex, handle: string): Promise<string[]> {
  const folded = handle.toLowerCase();
  const start = folded.slice(0, Math.max(3, folded.indexOf('/')));
  const alike = await db
    .selectFrom('listing')
    .select('handle')
    .where('withdrawn', 'is', null)
    .where('handle_folded', '>=', start)
    .where('handle_folded', '<', afterPrefix(start))
    .orderBy('handle_folded')
    .limit(nearPool)
    .execute();
  const named = await search.named(db, tokenize(handle.slice(handle.indexOf('/') + 1)).slice(0, 5), nearPool);
  const pool = new Set([...alike, ...named].map((row) => row.handle));
  return [...pool]
    .map((candidate) => ({ candidate, far: distance(folded, candidate.toLowerCase()) }))
    .filter(({ candidate, far }) => far <= Math.max(3, candidate.length * 0.4))
    .sort((a, b) => a.far - b.far || (a.candidate < b.candidate ? -1 : 1))
    .map(({ candidate }) => candidate);
}

/** Where the visible values of each part are read from. */
const valuesOf = {
  handle: sql`listing where withdrawn is null`,
  namespace: sql`publisher_count where listings > 0`,
} as const;

async function readCompletions(
  db: Db,
  ...[part, prefix, limit]: Parameters<ListingReads['completions']>
): Promise<string[]> {
  const name = sql.ref(part);
  const { rows } = await sql<{ value: string }>`select ${name} as value from ${valuesOf[part]}
    and ${name} >= ${prefix} and ${name} < ${afterPrefix(prefix)} order by ${name} limit ${limit}`.execute(
    db,
  );
  return rows.map(({ value }) => value);
}

const summaryColumns = [
  'handle',
  'version',
  'status',
  'published_at',
  'updated_at',
  'is_latest',
  'digest',
] as const;

/** Reads of listings over any engine. */
export const createListingReads = (db: Db, search: SearchIndex): ListingReads => ({
  facts: (handle) => readListingFacts(db, handle),
  byHandle: async (handle) => {
    const row = await db.selectFrom('listing').selectAll().where('handle', '=', handle).executeTakeFirst();
    return row && decodeListing(row);
  },
  byHandles: async (handles) => {
    if (handles.length === 0) return [];
    const rows = db
      .selectFrom('listing')
      .selectAll()
      .where('handle', 'in', [...handles]);
    return (await rows.execute()).map(decodeListing);
  },
  near: async (handle, limit) => (await nearHandles(db, search, handle)).slice(0, limit),
  search: async (query) =>
    (await search.search(db, query)).map(({ listing, tier }) => ({ listing: decodeSummary(listing), tier })),
  searchCounts: async ({ words, facets }) =>
    words.length + facets.length === 0
      ? countEverything(db)
      : countFacets(await search.matchedFacets(db, { words, facets }, countLimit + 1)),
  facetCounts: async (kind) => {
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
  },
  page: (afterHandle, limit) =>
    db
      .selectFrom('listing')
      .select(['handle', 'updated_at'])
      .where('handle', '>', afterHandle)
      .where('withdrawn', 'is', null)
      .orderBy('handle')
      .limit(limit)
      .execute(),
  newest: async (by, limit) => {
    const rows = db
      .selectFrom('listing')
      .selectAll()
      .where('withdrawn', 'is', null)
      .$if(by === 'updated_at', (query) => query.orderBy('updated_at', 'desc'))
      .orderBy('id', 'desc')
      .limit(limit);
    return (await rows.execute()).map(decodeSummary);
  },
  count: () => countListings(db),
  completions: (part, prefix, limit) => readCompletions(db, part, prefix, limit),
  versionSummaries: async (handles) => {
    if (handles.length === 0) return [];
    const rows = db
      .selectFrom('listing_version')
      .select(summaryColumns)
      .where('handle', 'in', [...handles]);
    return (await rows.execute()).map(decodeVersionSummary);
  },
  version: async (handle, version) => {
    const row = await db
      .selectFrom('listing_version')
      .selectAll()
      .where('handle', '=', handle)
      .where('version', '=', version)
      .executeTakeFirst();
    return row && decodeVersion(row);
  },
});
