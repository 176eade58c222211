import type { Db } from '../engine.ts';
import type { ListingFacts } from '../store.ts';
import { readClaimHistory } from './claims.ts';
import { precompileQuery } from './precompiled-query.ts';
import { noNativeCounts, readNativeCounts } from './rating-counts.ts';
import { readRecentRatings } from './rating-records.ts';
import { readSignals } from './signals.ts';

const shownVersions = 10;
const shownRatings = 5;

const readListing = precompileQuery((db, handle: string) =>
  db.selectFrom('listing').selectAll().where('handle', '=', handle),
);

const readVersions = precompileQuery((db, handle: string) =>
  db
    .selectFrom('listing_version')
    .select(['handle', 'version', 'status', 'published_at', 'updated_at', 'is_latest', 'digest'])
    .where('handle', '=', handle)
    .orderBy('published_at', 'desc')
    .limit(shownVersions),
);

const readClaim = precompileQuery((db, handle: string) =>
  db.selectFrom('claim').selectAll().where('handle', '=', handle),
);

const readPublisherCount = precompileQuery((db, namespace: string) =>
  db.selectFrom('publisher_count').select('listings').where('namespace', '=', namespace),
);

const readNativeTimes = precompileQuery((db, handle: string) =>
  db
    .selectFrom('rating')
    .leftJoin('rating_response', 'rating_response.rating_id', 'rating.id')
    .select(({ fn }) => [
      fn.max('rating.created_at').as('created'),
      fn.max('withdrawn_at').as('withdrawn'),
      fn.max('rating_response.created_at').as('responded'),
    ])
    .where('subject_handle', '=', handle),
);

async function lastNativeEvent(db: Db, handle: string): Promise<string | undefined> {
  const [row] = await readNativeTimes(db, handle);
  return [row?.created, row?.withdrawn, row?.responded]
    .filter((at) => at !== null && at !== undefined)
    .sort()
    .at(-1);
}

/** Name of the run that reads what the project ships: it brings no news, so no snapshot is as of its day. */
const shippedSample = 'sample';

const readLastImport = precompileQuery((db, besides: string) =>
  db
    .selectFrom('import_run')
    .select('finished_at')
    .where('state', '=', 'done')
    .where('source', '<>', besides)
    .orderBy('id', 'desc')
    .limit(1),
);

/** Most listings have no rating: one look at their index says so, instead of four. */
const readNative = async (db: Db, handle: string, lastNativeAt: string | undefined) => ({
  ...(lastNativeAt ? await readNativeCounts(db, handle) : noNativeCounts()),
  recent: lastNativeAt ? await readRecentRatings(db, handle, shownRatings) : [],
});

/** Everything about one listing, each part by its own index. */
export async function readListingFacts(db: Db, handle: string): Promise<ListingFacts | undefined> {
  const [listing] = await readListing(db, handle);
  if (!listing) return undefined;
  const lastNative = lastNativeEvent(db, handle);
  const [versions, imported, [claim], claimHistory, native, [publisher], lastNativeAt, [lastImport]] =
    await Promise.all([
      readVersions(db, handle),
      readSignals(db, handle),
      readClaim(db, handle),
      readClaimHistory(db, handle),
      lastNative.then((at) => readNative(db, handle, at)),
      readPublisherCount(db, listing.namespace),
      lastNative,
      readLastImport(db, shippedSample),
    ]);
  return {
    ...{ listing, versions, imported, claim, claimHistory, native, lastNativeAt },
    publisherListings: publisher?.listings ?? 0,
    lastImportAt: lastImport?.finished_at ?? undefined,
  };
}
