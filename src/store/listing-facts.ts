import { readClaimHistory } from './claims.ts';
import type { Db } from './engine.ts';
import { noNativeCounts, readNativeCounts } from './rating-counts.ts';
import { readRecentRatings } from './rating-records.ts';
import { readSignals } from './signals.ts';
import type { ListingFacts, ListingRow } from './store.ts';

const shownVersions = 10;
const shownRatings = 5;

const readVersions = (db: Db, handle: string) =>
  db
    .selectFrom('listing_version')
    .select(['handle', 'version', 'status', 'published_at', 'updated_at', 'is_latest', 'digest'])
    .where('handle', '=', handle)
    .orderBy('published_at', 'desc')
    .limit(shownVersions)
    .execute();

async function countPublisher(db: Db, { namespace }: ListingRow): Promise<number> {
  const counted = await db
    .selectFrom('publisher_count')
    .select('listings')
    .where('namespace', '=', namespace)
    .executeTakeFirst();
  return counted?.listings ?? 0;
}

async function lastNativeEvent(db: Db, handle: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('rating')
    .leftJoin('rating_response', 'rating_response.rating_id', 'rating.id')
    .select(({ fn }) => [
      fn.max('rating.created_at').as('created'),
      fn.max('withdrawn_at').as('withdrawn'),
      fn.max('rating_response.created_at').as('responded'),
    ])
    .where('subject_handle', '=', handle)
    .executeTakeFirst();
  return [row?.created, row?.withdrawn, row?.responded]
    .filter((at) => at !== null && at !== undefined)
    .sort()
    .at(-1);
}

/** Name of the run that reads what the project ships: it brings no news, so no snapshot is as of its day. */
const shippedSample = 'sample';

async function lastImport(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom('import_run')
    .select('finished_at')
    .where('state', '=', 'done')
    .where('source', '<>', shippedSample)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.finished_at ?? undefined;
}

/** Most listings have no rating: one look at their index says so, instead of four. */
const readNative = async (db: Db, handle: string, lastNativeAt: string | undefined) => ({
  ...(lastNativeAt ? await readNativeCounts(db, handle) : noNativeCounts()),
  recent: lastNativeAt ? await readRecentRatings(db, handle, shownRatings) : [],
});

/** Everything about one listing, each part by its own index. */
export async function readListingFacts(db: Db, handle: string): Promise<ListingFacts | undefined> {
  const listing = await db.selectFrom('listing').selectAll().where('handle', '=', handle).executeTakeFirst();
  if (!listing) return undefined;
  const lastNative = lastNativeEvent(db, handle);
  const [versions, imported, claim, claimHistory, native, publisherListings, lastNativeAt, lastImportAt] =
    await Promise.all([
      readVersions(db, handle),
      readSignals(db, handle),
      db.selectFrom('claim').selectAll().where('handle', '=', handle).executeTakeFirst(),
      readClaimHistory(db, handle),
      lastNative.then((at) => readNative(db, handle, at)),
      countPublisher(db, listing),
      lastNative,
      lastImport(db),
    ]);
  return {
    ...{ listing, versions, imported, claim, claimHistory, native, publisherListings },
    ...{ lastNativeAt, lastImportAt },
  };
}
