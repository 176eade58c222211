import { sql } from 'kysely';
import type { ListingReads } from '../../contract/listings.ts';
import type { Db, SearchIndex } from '../../engine.ts';
import { rankListings } from '../../search/rank.ts';
import { readCompletions } from './completions.ts';
import { countListings, readFacetCounts, readListCounts } from './counts.ts';
import { readFactsOf } from './facts.ts';
import { readByIds, readList } from './lists.ts';
import { readNearHandles } from './near.ts';
import { createOptOutReads } from './opt-outs.ts';
import { readVersionPage } from './registry-entries.ts';
import { decodeListing, decodeShown } from './rows.ts';
import { readVersion, readVersionSummaries } from './versions.ts';

const selectVisible = (db: Db) => db.selectFrom('listing').where('withdrawn', 'is', null);

async function readHandlesWithEvidence(db: Db, after: string, limit: number): Promise<string[]> {
  const rated = db
    .selectFrom('rating')
    .select('subject_handle as handle')
    .where('subject_handle', '>', after);
  const claimed = db.selectFrom('claim_event').select('handle').where('handle', '>', after);
  const holding = db.selectFrom('claim').select('handle').where('handle', '>', after);
  const moderated = db
    .selectFrom('moderation')
    .select(sql<string>`handle`.as('handle'))
    .where('handle', '>', after)
    .where('ended_by', 'is', null);
  // Each part is cut before they are joined: the observer may have looked at every listing.
  const firstOf = (table: 'observation' | 'observation_change') =>
    db
      .selectFrom(
        db
          .selectFrom(table)
          .select('handle')
          .distinct()
          .where('handle', '>', after)
          .orderBy('handle')
          .limit(limit)
          .as(table),
      )
      .select('handle');
  const rows = await rated
    .union(claimed)
    .union(holding)
    .union(moderated)
    .union(firstOf('observation'))
    .union(firstOf('observation_change'))
    .orderBy('handle')
    .limit(limit)
    .execute();
  return rows.map(({ handle }) => handle);
}

/** Reads of listings over any engine. */
export const createListingReads = (db: Db, search: SearchIndex): ListingReads => ({
  ...createOptOutReads(db),
  facts: async (handle, now = new Date().toISOString()) => (await readFactsOf(db, [handle], now))[0],
  factsOfAll: (handles, now) => readFactsOf(db, handles, now),
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
  near: async (handle, limit) => (await readNearHandles(db, search, handle)).slice(0, limit),
  search: (query) => rankListings(db, search, query),
  list: async (query) => (await readList(db, search, query)).map(decodeShown),
  listCounts: (facets) => readListCounts(db, search, facets),
  byIds: async (ids) => (await readByIds(db, ids)).map(decodeShown),
  facetCounts: (kind) => readFacetCounts(db, kind),
  page: (afterHandle, limit) =>
    selectVisible(db)
      .select(['handle', 'updated_at'])
      .where('handle', '>', afterHandle)
      .orderBy('handle')
      .limit(limit)
      .execute(),
  withEvidence: (afterHandle, limit) => readHandlesWithEvidence(db, afterHandle, limit),
  newest: async (by, limit) => {
    const rows = selectVisible(db)
      .selectAll()
      .$if(by === 'updated_at', (query) => query.orderBy('updated_at', 'desc'))
      .orderBy('id', 'desc')
      .limit(limit);
    return (await rows.execute()).map(decodeShown);
  },
  count: () => countListings(db),
  completions: (part, prefix, limit) => readCompletions(db, part, prefix, limit),
  versionPage: (query) => readVersionPage(db, query),
  versionSummaries: (handles) => readVersionSummaries(db, handles),
  version: (handle, version) => readVersion(db, handle, version),
});
