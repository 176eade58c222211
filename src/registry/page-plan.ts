import type { ListingReads, ListingRow, VersionRow } from '../store/store.ts';
import { type ClassifiedEntries, classifyEntries, keyOf, type Versions } from './classify-entries.ts';
import type { ImportCounts } from './counts.ts';
import type { Unreadable } from './entry.ts';
import { type ImportedListing, toListing } from './listing.ts';
import { pickShown } from './shown-version.ts';
import type { Origin } from './signals.ts';

/** A listing after the page, and before it. */
export interface ListingChange extends ImportedListing {
  readonly known: ListingRow | undefined;
  /** Whether the row differs in more than `imported_at`. */
  readonly differs: boolean;
}

/** Everything one page changes, planned before anything is written. */
export interface PagePlan {
  readonly versions: readonly VersionRow[];
  readonly listings: readonly ListingChange[];
  readonly quarantined: readonly Unreadable[];
  /** Entries that were read, changed or not. */
  readonly readable: readonly { readonly name: string; readonly version: string }[];
  /** Known listings whose shown version is deleted or whose recorded repository changes. */
  readonly affected: readonly string[];
  readonly counts: ImportCounts;
  /** Registry times of the page's rows, RFC 3339. */
  readonly updatedAt: readonly string[];
}

/** The origin of a page and the time it is read, RFC 3339. */
export interface PageFacts {
  readonly origin: Origin;
  readonly at: string;
}

/** Keeps the stored row's id while the first publication is the same, as the id may have moved past one that was taken. */
const inPlace = (row: ListingRow, known: ListingRow | undefined): ListingRow =>
  known?.published_at === row.published_at ? { ...row, id: known.id } : row;

const differ = (row: ListingRow, known: ListingRow): boolean =>
  (Object.keys(row) as (keyof ListingRow)[]).some(
    (name) => name !== 'imported_at' && row[name] !== known[name],
  );

async function planListings(
  reads: ListingReads,
  { rows, versions }: { rows: ClassifiedEntries['rows']; versions: Versions },
  { origin, at }: PageFacts,
): Promise<ListingChange[]> {
  const handles = [...new Set([...rows.values()].map(({ handle }) => handle))];
  const known = new Map((await reads.rows(handles)).map((row) => [row.handle, row]));
  const changes: ListingChange[] = [];
  for (const handle of handles) {
    const before = known.get(handle);
    const all = [...(versions.get(handle)?.values() ?? [])];
    const picked = pickShown(all);
    const shown =
      picked && (rows.get(keyOf(handle, picked.version)) ?? (await reads.version(handle, picked.version)));
    // Withdrawn by its publisher: only the claim file can restore it.
    if (before?.withdrawn === 'optout') continue;
    const made = toListing({ handle, versions: all, shown, known: before, importedAt: at }, origin);
    const row = inPlace(made.row, before);
    changes.push({ row, signals: made.signals, known: before, differs: !before || differ(row, before) });
  }
  return changes;
}

/** Whether a visible listing's recorded repository changes or disappears. */
export const changesRepository = ({ row, known }: ListingChange): boolean =>
  !!known?.repository_key &&
  !known.withdrawn &&
  !row.withdrawn &&
  row.repository_key !== known.repository_key;

/** Whether a visible listing becomes withdrawn. */
export const withdraws = ({ row, known }: ListingChange): boolean =>
  !!known && !known.withdrawn && !!row.withdrawn;

function toAffected(changes: readonly ListingChange[], rows: ClassifiedEntries['rows']): string[] {
  const losesShown = ({ known }: ListingChange) =>
    !!known && !known.withdrawn && rows.get(keyOf(known.handle, known.version))?.status === 'deleted';
  return changes
    .filter((change) => losesShown(change) || withdraws(change) || changesRepository(change))
    .map(({ row }) => row.handle);
}

/** Plans what a page changes in the store; writes nothing. Counts every entry once. */
export async function planPage(
  reads: ListingReads,
  entries: readonly unknown[],
  facts: PageFacts,
): Promise<PagePlan> {
  const { rows, quarantined, readable, updatedAt, counts, versions } = await classifyEntries(reads, entries);
  const listings = await planListings(reads, { rows, versions }, facts);
  counts.listings_new = listings.filter(({ known }) => !known).length;
  counts.listings_changed = listings.filter(({ known, differs }) => known && differs).length;
  counts.listings_withdrawn = listings.filter(withdraws).length;
  counts.repositories_changed = listings.filter(changesRepository).length;
  return {
    versions: [...rows.values()],
    listings,
    quarantined,
    readable,
    affected: toAffected(listings, rows),
    counts,
    updatedAt,
  };
}
