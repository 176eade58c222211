import { isDeepStrictEqual } from 'node:util';
import type { ImportCounts } from '../evidence/import-run.ts';
import type { Listing, ListingVersion } from '../evidence/listing/listing.ts';
import type { OptOut } from '../evidence/listing/state/opt-out.ts';
import { isSample, sampleOriginOf } from '../evidence/listing/state/sample.ts';
import { isGone } from '../evidence/listing/state/withdrawn.ts';
import type { ListingReads } from '../store/contract/listings.ts';
import { type ClassifiedEntries, classifyEntries, keyOf, type Versions } from './classify-entries.ts';
import type { Unreadable } from './entry/entry.ts';
import { type ImportedListing, toListing } from './entry/listing.ts';
import { pickShown } from './entry/shown-version.ts';
import type { Origin } from './entry/signals.ts';

/** A listing after the page, and before it. */
export interface ListingChange extends ImportedListing {
  readonly known: Listing | undefined;
  /** Whether the listing differs in more than when it was read. */
  readonly differs: boolean;
  /** The opt-out line that withdrew the listing until now, in a repository that it no longer records. */
  readonly optOut?: OptOut;
}

/** An opt-out line that stays in force, with the listing as now recorded. */
export interface OptedOut {
  readonly optOut: OptOut;
  readonly signals: ImportedListing['signals'];
}

/** Everything one page changes, planned before anything is written. */
export interface PagePlan {
  readonly versions: readonly ListingVersion[];
  readonly listings: readonly ListingChange[];
  readonly optedOut: readonly OptedOut[];
  readonly quarantined: readonly Unreadable[];
  /** Entries that were read, changed or not. */
  readonly readable: readonly { readonly name: string; readonly version: string }[];
  /** Known listings whose shown version is deleted, or whose recorded repository or host of the endpoint changes. */
  readonly affected: readonly string[];
  readonly counts: ImportCounts;
  /** Registry times of the page's rows, RFC 3339. */
  readonly updatedAt: readonly string[];
}

/** The origin of a page, the time it is read, RFC 3339, and the run that reads it. */
export interface PageFacts {
  readonly origin: Origin;
  readonly at: string;
  readonly runId: number;
}

/** Keeps the stored id while the first publication is the same, as the id may have moved past one that was taken. */
const withKnownId = (listing: Listing, known: Listing | undefined): Listing =>
  known?.published_at === listing.published_at ? { ...listing, id: known.id } : listing;

/** What the operator hid or withdrew stays so, and is no difference. */
const withModeration = (listing: Listing, known: Listing | undefined): Listing => ({
  ...listing,
  ...(known?.hidden && { hidden: true }),
  ...(known?.withdrawn === 'operator' && !listing.withdrawn && { withdrawn: 'operator' }),
});

const withoutReading = ({ imported_at: _, import_run: __, ...listing }: Listing) => listing;
const differ = (listing: Listing, known: Listing): boolean =>
  !isDeepStrictEqual(withoutReading(listing), withoutReading(known));

async function planListings(
  reads: ListingReads,
  { rows, versions }: { rows: ClassifiedEntries['rows']; versions: Versions },
  { origin, at, runId }: PageFacts,
): Promise<Pick<PagePlan, 'listings' | 'optedOut'>> {
  const handles = [...new Set([...rows.values()].map(({ handle }) => handle))];
  const known = new Map((await reads.byHandles(handles)).map((listing) => [listing.handle, listing]));
  const listings: ListingChange[] = [];
  const optedOut: OptedOut[] = [];
  const ownOrigin = (handle: string) =>
    isSample({ origin: origin.name }) ? { name: sampleOriginOf(handle) } : origin;
  for (const handle of handles) {
    const before = known.get(handle);
    const all = [...(versions.get(handle)?.values() ?? [])];
    const picked = pickShown(all);
    const shown =
      picked && (rows.get(keyOf(handle, picked.version)) ?? (await reads.version(handle, picked.version)));
    const made = toListing(
      { handle, versions: all, shown, known: before, importedAt: at, runId },
      ownOrigin(handle),
    );
    const listing = withModeration(withKnownId(made.listing, before), before);
    const { signals } = made;
    const optOut = before?.withdrawn === 'optout' ? await reads.optOut(handle) : undefined;
    if (optOut && (listing.withdrawn || stillStands(optOut, listing))) {
      optedOut.push({ optOut: { ...optOut, listing }, signals });
      continue;
    }
    const differs = !before || differ(listing, before);
    listings.push({ listing, signals, known: before, differs, ...(optOut && { optOut }) });
  }
  return { listings, optedOut };
}

/** Whether the record still names the place of an opt-out line: a namespace always does. */
const stillStands = ({ kind, place_key }: OptOut, { repository_key }: Listing) =>
  kind !== 'repository' || repository_key === place_key;

/** Whether a visible listing's recorded repository changes or disappears. */
export const changesRepository = ({ listing, known }: ListingChange): boolean =>
  !!known?.repository_key &&
  !isGone(known) &&
  !isGone(listing) &&
  listing.repository_key !== known.repository_key;

/** Whether a listing that was not gone is now. */
export const withdraws = ({ listing, known }: ListingChange): boolean =>
  !!known && !isGone(known) && isGone(listing);

const hostOf = (endpoint: string | undefined) =>
  endpoint === undefined ? undefined : URL.parse(endpoint)?.host;

/** Whether a visible listing's endpoint moves to another host, or disappears. */
const changesEndpointHost = ({ listing, known }: ListingChange): boolean =>
  !!known?.endpoint &&
  !known.withdrawn &&
  !listing.withdrawn &&
  hostOf(listing.endpoint) !== hostOf(known.endpoint);

function toAffected(changes: readonly ListingChange[], rows: ClassifiedEntries['rows']): string[] {
  const losesShown = ({ known }: ListingChange) =>
    !!known && !isGone(known) && rows.get(keyOf(known.handle, known.version))?.status === 'deleted';
  return changes
    .filter(
      (change) =>
        losesShown(change) || withdraws(change) || changesRepository(change) || changesEndpointHost(change),
    )
    .map(({ listing }) => listing.handle);
}

/** Plans what a page changes in the store; writes nothing. Counts every entry once. */
export async function planPage(
  reads: ListingReads,
  entries: readonly unknown[],
  facts: PageFacts,
): Promise<PagePlan> {
  const { rows, quarantined, readable, updatedAt, counts, versions } = await classifyEntries(reads, entries);
  const { listings, optedOut } = await planListings(reads, { rows, versions }, facts);
  counts.listings_new = listings.filter(({ known }) => !known).length;
  counts.listings_changed = listings.filter(({ known, differs }) => known && differs).length;
  counts.listings_withdrawn = listings.filter(withdraws).length;
  counts.repositories_changed = listings.filter(changesRepository).length;
  return {
    versions: [...rows.values()],
    listings,
    optedOut,
    quarantined,
    readable,
    affected: toAffected(listings, rows),
    counts,
    updatedAt,
  };
}
