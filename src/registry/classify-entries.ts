import type { ListingVersion, VersionSummary } from '../evidence/listing/listing.ts';
import type { ListingReads } from '../store/contract/listings.ts';
import { type Counting, createCounts } from './counts.ts';
import { type EntryHead, readHead, readVersion, type Unreadable } from './entry/entry.ts';

/** Versions by handle, then by version. */
export type Versions = Map<string, Map<string, VersionSummary>>;

/** A page's entries, each counted once: versions to write by keyOf, unreadable entries, and readable ones. */
export interface ClassifiedEntries {
  readonly rows: Map<string, ListingVersion>;
  readonly quarantined: Unreadable[];
  readonly readable: EntryHead[];
  readonly updatedAt: string[];
  readonly counts: Counting;
}

/** Key of one version of one handle; handles contain no line feed. */
export const keyOf = (handle: string, version: string) => `${handle}\n${version}`;

async function knownVersions(reads: ListingReads, handles: readonly string[]): Promise<Versions> {
  const versions: Versions = new Map(handles.map((handle) => [handle, new Map()]));
  for (const summary of await reads.versionSummaries(handles))
    versions.get(summary.handle)?.set(summary.version, summary);
  return versions;
}

function classify(head: EntryHead, versions: Versions, classified: ClassifiedEntries): void {
  const { counts, rows, quarantined, readable, updatedAt } = classified;
  const ofHandle = versions.get(head.name);
  const known = ofHandle?.get(head.version);
  const row = known?.digest === head.digest ? known : readVersion(head);
  if ('reason' in row) {
    counts.rows_quarantined += 1;
    quarantined.push(row);
    return;
  }
  readable.push(head);
  updatedAt.push(row.updated_at);
  if (!row.is_latest) counts.older_versions += 1;
  if (row === known) {
    counts.rows_unchanged += 1;
    return;
  }
  counts[known ? 'rows_changed' : 'rows_new'] += 1;
  if (row.status !== 'active') counts[`rows_${row.status}`] += 1;
  ofHandle?.set(head.version, row);
  rows.set(keyOf(row.handle, row.version), row as ListingVersion);
}

/** Compares a page's entries with the stored versions: new, changed, unchanged, unreadable. `versions` includes the page's. */
export async function classifyEntries(
  reads: ListingReads,
  entries: readonly unknown[],
): Promise<ClassifiedEntries & { versions: Versions }> {
  const classified: ClassifiedEntries = {
    rows: new Map(),
    quarantined: [],
    readable: [],
    updatedAt: [],
    counts: createCounts(),
  };
  const heads: EntryHead[] = [];
  for (const head of entries.map(readHead)) {
    if ('reason' in head) classified.quarantined.push(head);
    else heads.push(head);
  }
  classified.counts.rows_seen = entries.length;
  classified.counts.rows_quarantined = classified.quarantined.length;
  const versions = await knownVersions(reads, [...new Set(heads.map(({ name }) => name))]);
  for (const head of heads) classify(head, versions, classified);
  return { ...classified, versions };
}
