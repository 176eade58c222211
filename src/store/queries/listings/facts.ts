import type { ListingFacts } from '../../../evidence/listing/listing-facts.ts';
import { type ReadingRuns, toReading } from '../../../evidence/listing/reading.ts';
import type { Db } from '../../engine.ts';
import { decodeClaim } from '../claim-rows.ts';
import { readClaimHistory } from '../claims.ts';
import { decodeRun } from '../import-rows.ts';
import { readObservations } from '../observations.ts';
import { precompileQuery } from '../precompiled-query.ts';
import { noNativeCounts, readNativeCounts, readNextChange } from '../ratings/counts.ts';
import { readRecentRatings } from '../ratings/records.ts';
import { decodeListing, decodeVersionSummary } from './rows.ts';
import { readSignals } from './signals.ts';
import { summaryColumns } from './versions.ts';

const shownVersions = 10;
const shownRatings = 5;

const readListing = precompileQuery((db, handle: string) =>
  db.selectFrom('listing').selectAll().where('handle', '=', handle),
);

const readVersions = precompileQuery((db, handle: string) =>
  db
    .selectFrom('listing_version')
    .select(summaryColumns)
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

async function readLastNative(db: Db, handle: string): Promise<string | undefined> {
  const [row] = await readNativeTimes(db, handle);
  return [row?.created, row?.withdrawn, row?.responded]
    .filter((at) => at !== null && at !== undefined)
    .sort()
    .at(-1);
}

const readRun = precompileQuery((db, id: number) =>
  db.selectFrom('import_run').selectAll().where('id', '=', id),
);

const readNewestRun = precompileQuery((db, source: string) =>
  db
    .selectFrom('import_run')
    .selectAll()
    .where('state', '=', 'done')
    .where('source', '=', source)
    .orderBy('id', 'desc')
    .limit(1),
);

const readFullRun = precompileQuery((db, source: string) =>
  db
    .selectFrom('import_run')
    .selectAll()
    .where('state', '=', 'done')
    .where('source', '=', source)
    .where('kind', '=', 'full')
    .orderBy('id')
    .limit(1),
);

/** The runs of the source that a listing was read from. */
async function readRuns(db: Db, id: number): Promise<ReadingRuns> {
  const [own] = await readRun(db, id);
  if (!own) return { own, newest: undefined, full: undefined };
  const [[newest], [full]] = await Promise.all([readNewestRun(db, own.source), readFullRun(db, own.source)]);
  return { own: decodeRun(own), newest: newest && decodeRun(newest), full: full && decodeRun(full) };
}

/** Most listings have no ratings: they cost one read of the index instead of four. */
async function readNative(db: Db, handle: string, now: string | undefined) {
  if (now === undefined) return { native: { ...noNativeCounts(), recent: [] } };
  const counts = await readNativeCounts(db, handle, now);
  const recent = await readRecentRatings(db, handle, { limit: shownRatings, now });
  const nextChange = counts.flags.new_source ? await readNextChange(db, handle, now) : undefined;
  return { native: { ...counts, recent }, ...(nextChange && { changesAt: nextChange }) };
}

/** Everything about one listing, each part read through its own index. */
export async function readListingFacts(
  db: Db,
  handle: string,
  now: string,
): Promise<ListingFacts | undefined> {
  const [row] = await readListing(db, handle);
  if (!row) return undefined;
  const lastNative = readLastNative(db, handle);
  const [versions, imported, observed, [claim], claimHistory, native, [publisher], lastNativeAt, runs] =
    await Promise.all([
      readVersions(db, handle),
      readSignals(db, handle),
      readObservations(db, handle),
      readClaim(db, handle),
      readClaimHistory(db, handle),
      lastNative.then((at) => readNative(db, handle, at && now)),
      readPublisherCount(db, row.namespace),
      lastNative,
      readRuns(db, row.import_run),
    ]);
  const listing = decodeListing(row);
  return {
    listing,
    versions: versions.map(decodeVersionSummary),
    claim: claim && decodeClaim(claim),
    ...{ imported, observed, claimHistory, ...native, lastNativeAt },
    publisherListings: publisher?.listings ?? 0,
    reading: toReading(listing, runs),
  };
}
