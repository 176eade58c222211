import { recordedNow } from '../../../evidence/kinds/to-observations.ts';
import type { Listing } from '../../../evidence/listing/listing.ts';
import type { ListingFacts } from '../../../evidence/listing/listing-facts.ts';
import { type ReadingRuns, toReading } from '../../../evidence/listing/record/reading.ts';
import { withoutHidden } from '../../../evidence/listing/state/hidden.ts';
import { toNotice } from '../../../evidence/moderation/moderation.ts';
import type { Db } from '../../engine.ts';
import { decodeClaim } from '../claim-rows.ts';
import { readClaimHistory } from '../claims.ts';
import { decodeProgress } from '../import-rows.ts';
import { readModerationOf } from '../moderation.ts';
import { decodeObservations } from '../observations.ts';
import { precompileQuery } from '../precompiled-query.ts';
import { noNativeCounts, readNativeCounts, readNextChange } from '../ratings/counts.ts';
import { readReceiptKeys } from '../ratings/proofs.ts';
import { readRecentRatings } from '../ratings/records.ts';
import { type FactsRow, readFactsRows } from './facts-row.ts';
import { decodeListing } from './rows.ts';
import { decodeSignals } from './signals.ts';

const shownVersions = 10;
const shownRatings = 5;

const readVersions = precompileQuery((db, handle: string) =>
  db
    .selectFrom('listing_version')
    .select(['version', 'status', 'published_at'])
    .where('handle', '=', handle)
    .orderBy('published_at', 'desc')
    .limit(shownVersions),
);

const readClaim = precompileQuery((db, handle: string) =>
  db.selectFrom('claim').selectAll().where('handle', '=', handle),
);

/** Of most listings no more is known than what their row says. */
const toPlain = ({ version, origin_status, published_at }: FactsRow) => ({
  versions: [{ version, status: origin_status, published_at }],
  ...{ claim: undefined, claimHistory: [], receiptKeys: [], moderation: [] },
  native: { ...noNativeCounts, recent: [] },
});

async function readNative(db: Db, handle: string, now: string) {
  const counts = await readNativeCounts(db, handle, now);
  const recent = await readRecentRatings(db, handle, { limit: shownRatings, now });
  const changesAt = counts.flags.new_source ? await readNextChange(db, handle, now) : undefined;
  return { native: { ...counts, recent }, ...(changesAt && { changesAt }) };
}

async function readClaims(db: Db, handle: string) {
  const [[claim], claimHistory, receiptKeys] = await Promise.all([
    readClaim(db, handle),
    readClaimHistory(db, handle),
    readReceiptKeys(db, handle),
  ]);
  return { claim: claim && decodeClaim(claim), claimHistory, receiptKeys };
}

/** Reads the parts that the row says there are. */
async function readParts(db: Db, row: FactsRow, now: string) {
  const { handle, namespace } = row;
  const plain = toPlain(row);
  const [versions, claims, native, moderation] = await Promise.all([
    row.has_other_versions ? readVersions(db, handle) : plain.versions,
    row.has_claims ? readClaims(db, handle) : undefined,
    row.has_ratings ? readNative(db, handle, now) : undefined,
    row.has_moderation ? readModerationOf(db, handle, namespace) : [],
  ]);
  return { ...plain, versions, ...claims, ...native, moderation: moderation.map(toNotice) };
}

const hasParts = (row: FactsRow) =>
  row.has_other_versions || row.has_claims || row.has_ratings || row.has_moderation;

/** Source by source. Most listings have one. */
const toImported = (rows: readonly FactsRow[]): ListingFacts['imported'] =>
  rows
    .toSorted((a, b) => ((a.signal_source ?? '') < (b.signal_source ?? '') ? -1 : 1))
    .flatMap(({ signals }) => decodeSignals(signals));

/** Most listings were written by the first full run. */
const toRuns = ({ run_source, run_counts, read_at, full_run_counts, ...copy }: FactsRow): ReadingRuns => ({
  own:
    run_source === null || run_counts === null
      ? undefined
      : { source: run_source, progress: decodeProgress(run_counts) },
  read_at: read_at ?? undefined,
  full:
    full_run_counts === null || full_run_counts === run_counts ? undefined : decodeProgress(full_run_counts),
  copyLacks: [
    ...(copy.copy_has_endpoints ? [] : ['endpoint' as const]),
    ...(copy.copy_has_packages ? [] : ['package' as const]),
    ...(copy.copy_has_repositories ? [] : ['repository' as const]),
  ],
});

const toObserved = ({ observed_at, observations }: FactsRow, listing: Listing): ListingFacts['observed'] =>
  observed_at === null || observations === null
    ? undefined
    : { observed_at, observations: recordedNow(listing, decodeObservations(observations)) };

/** The facts of a listing, of all its rows, and what its rows say there is besides. */
async function toFacts(db: Db, rows: readonly [FactsRow, ...FactsRow[]], now: string): Promise<ListingFacts> {
  const [row] = rows;
  const parts = hasParts(row) ? await readParts(db, row, now) : toPlain(row);
  const listing = withoutHidden(decodeListing(row));
  return {
    ...parts,
    ...{ listing, imported: toImported(rows) },
    observed: toObserved(row, listing),
    publisherListings: row.publisher_listings ?? 0,
    reading: toReading(listing, toRuns(row)),
  };
}

/**
 * Everything about those of some listings (a hundred at most) that exist, in the order of the handles: one statement for
 * what most listings have, and one more for each of the other parts of a listing.
 */
export async function readFactsOf(db: Db, handles: readonly string[], now: string): Promise<ListingFacts[]> {
  if (handles.length === 0) return [];
  const found = Map.groupBy(await readFactsRows(db, handles), ({ handle }) => handle);
  const facts: ListingFacts[] = [];
  for (const handle of handles) {
    const [first, ...others] = found.get(handle) ?? [];
    if (first) facts.push(await toFacts(db, [first, ...others], now));
  }
  return facts;
}
