import { isDeepStrictEqual } from 'node:util';
import type { OptOut } from '../claims/claim.ts';
import { type RecordedIdentity, recordedIdentities } from '../core/identity.ts';
import { asMembers } from '../core/json.ts';
import {
  isGone,
  isSample,
  type Listing,
  type ListingVersion,
  listingTable,
  registryMeta,
  sampleOriginOf,
  type VersionSummary,
} from '../listings/listing.ts';
import { moveBetween, type VersionMove } from '../listings/moves.ts';
import type { ListingReads } from '../listings/reads.ts';
import type { DerivedRecord } from '../listings/writes.ts';
import type { NewChange } from '../log/change.ts';
import type { Reads } from '../store/store.ts';
import { changesBetween } from './changed-fields.ts';
import { deriveRecord } from './derive.ts';
import { type EntryHead, pickShown, readHead, readVersion, type UnreadableEntry } from './entry.ts';
import { copyFields, type ImportCounts, zeroImportCounts } from './import-run.ts';
import { namingOf } from './naming.ts';
import { hasField, type PageFacts, recordedOf, toListing, toRecorded } from './recorded.ts';

export function addCounts(a: ImportCounts, b: ImportCounts): ImportCounts {
  const sum = { ...zeroImportCounts };
  for (const name of Object.keys(sum) as (keyof ImportCounts)[]) sum[name] = a[name] + b[name];
  return sum;
}

type Versions = Map<string, Map<string, VersionSummary>>;

/** `rows`, by keyOfVersion, are to be written. */
const createClassified = () => ({
  rows: new Map<string, ListingVersion>(),
  quarantined: [] as UnreadableEntry[],
  readable: [] as EntryHead[],
  /** Readable and not deleted. */
  servers: [] as object[],
  updatedAt: [] as string[],
  counts: { ...zeroImportCounts },
});
type ClassifiedEntries = ReturnType<typeof createClassified>;

/** No handle has a line feed. */
const keyOfVersion = (handle: string, version: string) => `${handle}\n${version}`;

async function knownVersions(reads: ListingReads, handles: readonly string[]): Promise<Versions> {
  const versions: Versions = new Map(handles.map((handle) => [handle, new Map()]));
  for (const summary of await reads.versionSummaries(handles))
    versions.get(summary.handle)?.set(summary.version, summary);
  return versions;
}

function classify(head: EntryHead, versions: Versions, at: string, classified: ClassifiedEntries): void {
  const { counts, rows, quarantined, readable, servers, updatedAt } = classified;
  const ofHandle = versions.get(head.name);
  const known = ofHandle?.get(head.version);
  const times = { at, first_read_at: known?.undated ? known.published_at : at };
  const row = known?.digest === head.digest ? known : readVersion(head, times);
  if ('reason' in row) {
    counts.rows_quarantined += 1;
    quarantined.push(row);
    return;
  }
  readable.push(head);
  if (!row.undated) updatedAt.push(row.updated_at);
  if (row.status !== 'deleted') servers.push(head.entry.server);
  if (row === known) {
    counts.rows_unchanged += 1;
    return;
  }
  counts[known ? 'rows_changed' : 'rows_new'] += 1;
  if (row.status !== 'active') counts[`rows_${row.status}`] += 1;
  ofHandle?.set(head.version, { ...row, derived: known?.derived });
  rows.set(keyOfVersion(row.handle, row.version), row as ListingVersion);
}

/** `versions`: stored and on the page. */
async function classifyEntries(reads: ListingReads, entries: readonly unknown[], at: string) {
  const classified = createClassified();
  const heads: EntryHead[] = [];
  for (const head of entries.map(readHead)) {
    if ('reason' in head) classified.quarantined.push(head);
    else heads.push(head);
  }
  classified.counts.rows_seen = entries.length;
  classified.counts.rows_quarantined = classified.quarantined.length;
  const versions = await knownVersions(reads, [...new Set(heads.map(({ name }) => name))]);
  for (const head of heads) classify(head, versions, at, classified);
  const shown = new Map(
    [...versions].map(([handle, all]) => [handle, pickShown([...all.values()])?.version]),
  );
  // Some registries mark none. Then the shown one is the latest.
  const isOlder = ({ entry, name, version }: EntryHead) => {
    const { isLatest = shown.get(name) ?? version } = asMembers(asMembers(entry._meta)[registryMeta]);
    return isLatest === false || (typeof isLatest === 'string' && isLatest !== version);
  };
  classified.counts.older_versions = classified.readable.filter(isOlder).length;
  return { ...classified, versions };
}

interface ListingChange {
  readonly listing: Listing;
  readonly known: Listing | undefined;
  /** Not only in the time of reading. */
  readonly differs: boolean;
  readonly moved?: VersionMove | undefined;
  /** Of one that is gone: whether its registry says why. */
  readonly gave_reason?: boolean;
  /** Withdrew the listing, in a repository that it no longer records. */
  readonly optOut?: OptOut;
}

/** The computed id may belong to another listing, so the stored one stays with the first publication. */
const withKnownId = (listing: Listing, known: Listing | undefined): Listing =>
  known?.published_at === listing.published_at ? { ...listing, id: known.id } : listing;

/** What the operator hid or withdrew is no difference. */
const withModeration = (listing: Listing, known: Listing | undefined): Listing => ({
  ...listing,
  ...(known?.hidden && { hidden: true }),
  ...(known?.withdrawn === 'operator' && !listing.withdrawn && { withdrawn: 'operator' }),
});

const withoutReading = (listing: Listing) =>
  listingTable.encode({ ...listing, imported_at: '', import_run: 0 });

/** Undefined for listings that are new or were withdrawn, too. */
async function readMove(
  reads: Pick<Reads, 'listings'>,
  shown: ListingVersion | undefined,
  known: Listing | undefined,
): Promise<VersionMove | undefined> {
  if (!shown || !known || known.withdrawn) return undefined;
  const before = await reads.listings.version(shown.handle, known.version);
  if (!before || before.digest === shown.digest || before.record === '') return undefined;
  const [was, is] = [before, shown].map(({ record }) => namingOf(JSON.parse(record) as object));
  return was && is && moveBetween(was, is, shown.handle);
}

/** Other work may change these. */
async function readKnown(reads: Reads, handles: readonly string[]) {
  const known = new Map<string, { listing: Listing; optOut: OptOut | undefined }>();
  for (const listing of await reads.listings.byHandles(handles)) {
    const { handle, withdrawn } = listing;
    const optOut = withdrawn === 'optout' ? await reads.optOuts.withdrawing(handle) : undefined;
    known.set(handle, { listing, optOut });
  }
  return known;
}

async function planListings(
  reads: Reads,
  { rows, versions }: { rows: ClassifiedEntries['rows']; versions: Versions },
  facts: PageFacts,
) {
  const rowsOf = Map.groupBy(rows.values(), ({ handle }) => handle);
  const known = await readKnown(reads, [...rowsOf.keys()]);
  const listings: ListingChange[] = [];
  const derived: DerivedRecord[] = [];
  const optedOut: OptOut[] = [];
  for (const [handle, some] of rowsOf) {
    const { listing: before, optOut } = known.get(handle) ?? {};
    const all = [...(versions.get(handle)?.values() ?? [])];
    const picked = pickShown(all);
    const read = new Map(some.map((row) => [row.version, row]));
    const shown =
      picked && (read.get(picked.version) ?? (await reads.listings.version(handle, picked.version)));
    // Of a listing that is gone, no text of its publisher stays.
    if (!shown)
      for (const row of some)
        rows.set(keyOfVersion(handle, row.version), { ...row, status_message: undefined });
    derived.push(await deriveRecord(reads.listings, { handle, versions: all, rows: read, shown }));
    const origin = isSample(facts) ? sampleOriginOf(handle) : facts.origin;
    const made = toListing(handle, { versions: all, shown, known: before }, { ...facts, origin });
    const listing = withModeration(withKnownId(made, before), before);
    if (optOut && (listing.withdrawn || stillStands(optOut, listing))) {
      optedOut.push({ ...optOut, listing });
      continue;
    }
    const differs = !before || !isDeepStrictEqual(withoutReading(listing), withoutReading(before));
    const moved = await readMove(reads, shown, before);
    const gone = !shown && { gave_reason: some.some((row) => row.status_message !== undefined) };
    listings.push({ listing, known: before, differs, moved, ...gone, ...(optOut && { optOut }) });
  }
  return { listings, derived, optedOut, known };
}

export const isStill = async (reads: Reads, { known }: PagePlan): Promise<boolean> =>
  isDeepStrictEqual(await readKnown(reads, [...known.keys()]), known);

/** Other places follow from the handle. */
const stillStands = ({ kind, place_key }: OptOut, { repository_key }: Listing) =>
  kind !== 'repository' || repository_key === place_key;

export const changesRepository = ({ listing, known }: ListingChange): boolean =>
  !!known?.repository_key &&
  !isGone(known) &&
  !isGone(listing) &&
  listing.repository_key !== known.repository_key;

export const withdraws = ({ listing, known }: ListingChange): boolean =>
  !!known && !isGone(known) && isGone(listing);

const endpointHost = (endpoint = '') => URL.parse(endpoint)?.host;

const changesEndpointHost = ({ listing, known }: ListingChange): boolean =>
  !!known?.endpoint &&
  !known.withdrawn &&
  !listing.withdrawn &&
  endpointHost(listing.endpoint) !== endpointHost(known.endpoint);

function toAffected(changes: readonly ListingChange[], rows: ClassifiedEntries['rows']): string[] {
  const losesShown = ({ known }: ListingChange) =>
    !!known && !isGone(known) && rows.get(keyOfVersion(known.handle, known.version))?.status === 'deleted';
  return changes
    .filter(
      (change) =>
        losesShown(change) || withdraws(change) || changesRepository(change) || changesEndpointHost(change),
    )
    .map(({ listing }) => listing.handle);
}

function toIdentities(versions: Iterable<ListingVersion>, at: string): RecordedIdentity[] {
  const named = [...versions].flatMap((version) =>
    recordedIdentities(version.handle, recordedOf(version)).map((identity) => ({
      handle: version.handle,
      ...identity,
      first_imported_at: at,
    })),
  );
  return [...new Map(named.map((one) => [`${one.handle} ${one.kind} ${one.value}`, one])).values()];
}

export type PagePlan = Awaited<ReturnType<typeof planPage>>;

/** Writes nothing. */
export async function planPage(reads: Reads, entries: readonly unknown[], facts: PageFacts) {
  const classified = await classifyEntries(reads.listings, entries, facts.at);
  const { rows, quarantined, readable, servers, updatedAt, counts, versions } = classified;
  const planned = await planListings(reads, { rows, versions }, facts);
  const { listings } = planned;
  counts.listings_new = listings.filter(({ known }) => !known).length;
  counts.listings_changed = listings.filter(({ known, differs }) => known && differs).length;
  counts.listings_withdrawn = listings.filter(withdraws).length;
  counts.repositories_changed = listings.filter(changesRepository).length;
  return {
    versions: [...rows.values()],
    identities: toIdentities(rows.values(), facts.at),
    /** `optedOut` stay in force, with the present listing. */
    ...planned,
    quarantined,
    readable,
    /** Whose shown version is deleted, or repository or endpoint host changes. */
    affected: toAffected(listings, rows),
    counts,
    /** Of at least one record. */
    fields: copyFields.filter((field) => servers.some((server) => hasField[field](toRecorded(server)))),
    /** By the registry (RFC 3339). */
    updatedAt,
  };
}

function toChange(change: ListingChange, at: string): NewChange | undefined {
  const { listing, known, moved, gave_reason } = change;
  const { handle, version } = listing;
  if (withdraws(change))
    return { type: 'listing.withdrawn', handle, at, data: { reason: 'deleted', gave_reason } };
  if (listing.withdrawn) return undefined;
  if (!known) return { type: 'listing.new', handle, at, data: { version } };
  // `recordRestored` adds the change after an opt-out line.
  if (known.withdrawn && change.optOut) return undefined;
  if (known.withdrawn) return { type: 'listing.restored', handle, at, data: { version } };
  const { fields } = changesBetween(known, listing);
  if (fields.length === 0 && !moved) return undefined;
  const left_tags = known.tags
    .map(({ tag }) => tag)
    .filter((tag) => !listing.tags.some((one) => one.tag === tag));
  const data = {
    version,
    ...(fields.includes('version') && { from_version: known.version }),
    fields,
    ...(fields.includes('origin_status') && { status: listing.origin_status, before: known.origin_status }),
    ...(moved && { moved }),
    ...(left_tags.length > 0 && { left_tags }),
  };
  return { type: 'listing.changed', handle, at, data };
}

export const toChanges = (listings: readonly ListingChange[], at: string): NewChange[] =>
  listings.map((change) => toChange(change, at)).filter((change) => change !== undefined);

/** Smaller directories may change entirely. */
const smallestGuarded = 50;
const maxAffectedShare = 0.2;

/** Too many known listings would be withdrawn or moved. */
export class MassChangeError extends Error {}

/** `known` are visible. */
export function createMassChangeGuard(known: number, isAccepted: boolean) {
  const affected = new Set<string>();
  const isActive = known >= smallestGuarded && !isAccepted;
  let isCleared = false;
  return {
    /** Before a page that affects listings. */
    get mustReview() {
      return isActive && !isCleared;
    },
    count(handles: readonly string[]) {
      for (const handle of handles) affected.add(handle);
      if (isActive && affected.size > known * maxAffectedShare)
        throw new MassChangeError(
          `held: more than 20 % of ${known} known listings would lose their shown version, or change their repository or the host of their endpoint (${affected.size} so far); look at the registry, then run: dossier import --accept-changes`,
        );
    },
    /** The rest of the run was checked. */
    clear() {
      isCleared = true;
      affected.clear();
    },
  };
}
