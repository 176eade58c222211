import type { StatusDocument } from '../../src/document/listing-document.ts';
import type { ListingFacts } from '../../src/document/record.ts';
import { zeroImportCounts } from '../../src/imports/import-run.ts';
import type { ImportedSignal, Listing } from '../../src/listings/listing.ts';
import { noNativeCounts } from '../../src/ratings/counts.ts';

/** The time of everything in the cases. */
export const time = '2026-11-01T08:00:00.000Z';

const header = { name: 'Authorization', kind: 'header' as const, required: true, secret: true };

/** A made-up listing that records an endpoint, a package and a repository. */
export const listing: Listing = {
  ...{ id: 1, handle: 'com.example/service', title: undefined, description: 'Made up', version: '2.0.0' },
  ...{ origin: 'registry.example (MCP)', origin_status: 'active', status_message: undefined },
  ...{ published_at: time, updated_at: time, imported_at: time, import_run: 1, withdrawn: undefined },
  ...{ endpoint: 'https://a.example/mcp', website: undefined, facets: [] },
  ...{ repository: 'https://github.com/example/a', repository_key: 'github.com/example/a' },
  tags: [{ tag: 'webhooks', reason: 'publisher keyword' }],
  remotes: [{ type: 'streamable-http', url: 'https://a.example/mcp', inputs: [header] }],
  packages: [{ registry_type: 'npm', identifier: 'a', version: '2.0.0', transport: 'stdio' }],
};

const bare: Listing = {
  ...listing,
  ...{ origin_status: 'deprecated', endpoint: undefined, repository: undefined, repository_key: undefined },
  ...{ tags: [], remotes: [], packages: [], published_at: '2099-01-01T00:00:00.000Z' },
};

const signal = (kind: string, value: ImportedSignal['value']): ImportedSignal => ({
  ...{ kind, value, source: listing.origin, observed_at: time },
  ...{ method_version: 'import/1', outcome: 'seen' },
});

const facts: ListingFacts = {
  listing,
  ...{
    versions: [],
    imported: [],
    claim: undefined,
    claimHistory: [],
    receiptKeys: [],
    publisherListings: 3,
    shared: [],
  },
  native: { ...noNativeCounts, recent: [] },
  observed: undefined,
  moderation: [],
  reading: { kind: 'registry', observed_at: time, hasOlderVersions: false, copyLacks: [] },
};

const claim = {
  ...{
    handle: listing.handle,
    state: 'claimed' as const,
    claimed_at: time,
    checked_at: time,
    commit: 'a'.repeat(40),
  },
  ...{ kind: 'repository' as const, place: listing.repository ?? '', place_key: 'github.com/example/a' },
  first_proved_at: time,
  ...{ root: 'github.com/example', root_generation: 0, branch: 'main', suspended_reason: undefined },
  ...{ proven_commit: undefined, proven_at: undefined },
};

const counts = noNativeCounts;
const rated = {
  ...counts,
  ratings: 6,
  independent: {
    ...counts.independent,
    ...{ ratings: 5, sources: 4, source_handles: 4, last_at: time },
    outcomes: { ...counts.independent.outcomes, succeeded: 3, failed: 2 },
    source_outcomes: { ...counts.independent.outcomes, succeeded: 2, failed: 2 },
  },
  declared_interest: {
    ...counts.declared_interest,
    ratings: 1,
    sources: 1,
    source_handles: 1,
    last_at: time,
  },
  recent: [],
};

/** Listings of which every kind of sentence follows: nothing recorded, all recorded, claimed and rated, suspended. */
export const listingCases: readonly ListingFacts[] = [
  facts,
  { ...facts, listing: bare, publisherListings: 1 },
  {
    ...{ ...facts, claim, native: rated, lastNativeAt: time },
    reading: { ...facts.reading, hasOlderVersions: true },
    imported: [
      signal('registry.first_published', time),
      signal('namespace.matches_repository_owner', true),
      signal('record.unread_fields', ['license', 'support', 'pricing']),
    ],
  },
  {
    ...{ ...facts, claim: { ...claim, state: 'suspended', suspended_reason: 'proof_missing' } },
    listing: { ...listing, endpoint: undefined, remotes: [{ type: 'sse', url: 'https://{host}/mcp' }] },
    imported: [signal('namespace.matches_repository_owner', false)],
  },
];

const report = {
  kind: 'full' as const,
  source: 'https://registry.example',
  started_at: time,
  counts: zeroImportCounts,
};
const quiet = { is_retried: true, updates_from: 'registry' as const, interval_s: 3600 };
const imports: readonly StatusDocument['import'][] = [
  { ...quiet, state: 'none' },
  { ...quiet, state: 'running', newest: report },
  { ...quiet, state: 'stopped', newest: report },
  { ...quiet, state: 'stopped', newest: report, last_seen_at: time },
  {
    ...quiet,
    state: 'failed',
    newest: report,
    error: 'the registry cannot be reached, or the connection broke',
  },
  { ...quiet, state: 'held', newest: report, is_retried: false },
  { ...quiet, state: 'done', last_completed: { ...report, finished_at: time }, updates_from: 'saved_copy' },
  {
    ...quiet,
    state: 'done',
    last_completed: { ...report, source: 'sample', finished_at: time },
    updates_from: 'nothing',
  },
];

/** Every state of the import. */
export const importCases: readonly StatusDocument[] = imports.map((status) => ({
  ...{ service: 'Dossier', version: '1.0.0', as_of: time, origin: listing.origin, import: status },
  listings: { count: 2, by_state: { imported: 2, claimed: 0, suspended: 0 } },
  observer: { observe: 'off', interval_s: 86_400, vantage: 'dossier.example', listings_observed: 0 },
  quarantine: { records: 0, reasons: [], newest: [] },
  untrusted_fields: [],
}));
