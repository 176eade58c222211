import type { StatusDocument } from '../../src/document/listing-document.ts';
import type { ListingFacts } from '../../src/document/record.ts';
import { zeroImportCounts } from '../../src/imports/import-run.ts';
import type { ImportedSignal, Listing } from '../../src/listings/listing.ts';
import type { SharedReference } from '../../src/listings/references/shared.ts';
import type { StoredObservation } from '../../src/observations/observation.ts';
import { noNativeCounts } from '../../src/ratings/counts.ts';
import { pricesAt } from '../support/offers.ts';

/** The time of everything in the cases. */
export const time = '2026-11-01T08:00:00.000Z';

const header = { name: 'Authorization', kind: 'header' as const, required: true, secret: true };

/** A made-up listing that records an endpoint, a package and a repository. */
export const listing: Listing = {
  id: 1,
  handle: 'com.example/service',
  title: undefined,
  description: 'Made up',
  version: '2.0.0',
  origin: 'registry.example (MCP)',
  origin_status: 'active',
  status_message: undefined,
  published_at: time,
  updated_at: time,
  imported_at: time,
  import_run: 1,
  withdrawn: undefined,
  endpoint: 'https://a.example/mcp',
  website: undefined,
  facets: [],
  repository: 'https://github.com/example/a',
  repository_key: 'github.com/example/a',
  tags: [{ tag: 'webhooks', reason: 'publisher keyword' }],
  remotes: [{ type: 'streamable-http', url: 'https://a.example/mcp', inputs: [header] }],
  packages: [{ registry_type: 'npm', identifier: 'a', version: '2.0.0', transport: 'stdio' }],
};

const bare: Listing = {
  ...listing,
  origin_status: 'deprecated',
  endpoint: undefined,
  repository: undefined,
  repository_key: undefined,
  tags: [],
  remotes: [],
  packages: [],
  published_at: '2099-01-01T00:00:00.000Z',
};

const signal = (kind: string, value: ImportedSignal['value']): ImportedSignal => ({
  kind,
  value,
  source: listing.origin,
  observed_at: time,
  method_version: 'import/1',
  outcome: 'seen',
});

const facts: ListingFacts = {
  listing,
  versions: [],
  imported: [],
  claim: undefined,
  claimHistory: [],
  receiptKeys: [],
  publisherListings: 3,
  shared: [],
  native: { ...noNativeCounts, recent: [] },
  observed: undefined,
  moderation: [],
  reading: {
    kind: 'registry',
    observed_at: time,
    hasOlderVersions: false,
    isOfNoDate: false,
    isUndated: false,
    copyLacks: [],
  },
};

const claim = {
  handle: listing.handle,
  state: 'claimed' as const,
  claimed_at: time,
  checked_at: time,
  commit: 'a'.repeat(40),
  kind: 'repository' as const,
  place: listing.repository ?? '',
  place_key: 'github.com/example/a',
  first_proved_at: time,
  root: 'github.com/example',
  root_generation: 0,
  branch: 'main',
  suspended_reason: undefined,
  proven_commit: undefined,
  proven_at: undefined,
};

const counts = noNativeCounts;
const rated = {
  ...counts,
  ratings: 6,
  independent: {
    ...counts.independent,
    ratings: 5,
    sources: 4,
    source_handles: 4,
    last_at: time,
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

/** A version that moved all that a version can. */
const lastMove = {
  version: 'six, says Dossier',
  published_at: '2026-10-01T08:00:00.000Z',
  endpoints: { from: [], to: ['a.example', 'c.example', 'd.example', 'e.example'], is_within: false },
  packages: { from: ['npm:@one/a'], to: ['npm:@one/b'], is_within: true },
  repository: { from: 'github.com/one/a', to: 'github.com/two/a', is_within: false },
  secrets: {
    needs: ['A', 'B'],
    takes: ['C'],
    gone: [],
    sent: { hosts: ['a.example'], packages: ['npm:@one/b'], is_same: false },
  },
  passed: [{ secrets: ['Authorization'], to: ['a.example', 'npm:@one/b'], is_within: false }],
};
const address = (path: string) => `https://b.example/${path}`;
const tenNames = Array.from({ length: 10 }, (_, at) => `h${at}.example`);
/** Moves under one domain, without a date, and of more than a year ago. */
const moves = [
  {
    version: '1.6.0',
    published_at: '2026-10-31T08:00:00.000Z',
    endpoints: { from: ['old.b.example'], to: ['b.example'], is_within: true },
  },
  {
    version: '1.5.0',
    repository: { from: 'github.com/example/b', is_within: false },
    secrets: {
      needs: [],
      takes: ['LOG_KEY'],
      gone: ['TRACE_KEY'],
      sent: { hosts: ['b.example'], packages: [], is_same: true },
    },
    kept: { endpoints: 2, hosts: 0, packages: 1, repository: false },
  },
  lastMove,
  {
    version: '1.4.0',
    published_at: '2026-09-01T08:00:00.000Z',
    addresses: { from: [address('a')], to: ['http://b.example/b'], is_within: false },
    starts: {
      packages: ['npm:@one/b'],
      from: [],
      to: ['--one', '--two', '--registry https://npm.example'],
      hosts: ['npm.example'],
      is_within: false,
    },
    secrets: { needs: [], takes: [], gone: [], now_needed: ['LOG_KEY'] },
  },
  {
    version: '1.3.0',
    published_at: '2026-08-01T08:00:00.000Z',
    endpoints: { from: [], to: tenNames, is_within: false, of_others: 12, left_out: { to: 5 } },
    addresses: { from: [], to: [address('c'), address('d')], is_within: true },
    starts: { packages: ['npm:@one/b'], from: ['node'], to: ['deno'], hosts: [], is_within: false },
    secrets: { needs: [], takes: [], gone: ['OLD_KEY'], now_optional: ['LOG_KEY'] },
    passed: tenNames.map((to) => ({ secrets: ['A'], to: [to], is_within: true })),
    passed_left_out: 2,
  },
  {
    version: '1.2.0',
    published_at: '2026-07-01T08:00:00.000Z',
    addresses: { from: [address('e')], to: [], is_within: true },
    starts: { packages: ['npm:@one/b'], from: ['node'], to: [], hosts: [], is_within: false },
    repository: { to: 'github.com/example/b', is_within: true },
  },
  {
    version: '1.1.0',
    published_at: '2025-03-01T08:00:00.000Z',
    packages: { from: [], to: ['oci:ghcr.io/one/a'], is_within: false },
  },
];

/**
 * Listings of which every kind of sentence follows: nothing recorded, all recorded, claimed and rated,
 * suspended.
 */
export const listingCases: readonly ListingFacts[] = [
  facts,
  { ...facts, listing: bare, publisherListings: 1 },
  {
    ...facts,
    claim,
    native: rated,
    reading: { ...facts.reading, hasOlderVersions: true },
    imported: [
      signal('registry.first_published', time),
      signal('namespace.matches_repository_owner', true),
      signal('record.unread_fields', ['license', 'support', 'pricing']),
      signal('record.moves', { versions: 2, since: time, moves: [lastMove] }),
    ],
  },
  {
    ...facts,
    claim: { ...claim, state: 'suspended', suspended_reason: 'proof_missing' },
    listing: { ...listing, endpoint: undefined, remotes: [{ type: 'sse', url: 'https://{host}/mcp' }] },
    imported: [
      signal('namespace.matches_repository_owner', false),
      signal('record.moves', { versions: 3, since: '2025-01-01T08:00:00.000Z', moves: [] }),
    ],
  },
  {
    ...facts,
    imported: [
      signal('registry.versions', 2),
      signal('record.moves', { versions: 2, since: time, partly_read: true, moves: [] }),
    ],
  },
];

/** When the observed listings were last checked; and days before that. */
const checked = '2026-11-20T06:00:00.000Z';
const yesterday = '2026-11-19T06:00:00.000Z';
const before = '2026-11-10T06:00:00.000Z';
const first = 'https://a.example/mcp';
const second = 'https://b.example/mcp';
const third = 'https://c.example/mcp';

const saw = (
  one: Pick<StoredObservation, 'kind' | 'value'> & Partial<Omit<StoredObservation, 'why'>> & { why?: string },
): StoredObservation => ({
  outcome: 'seen',
  subject: first,
  source: 'Dossier',
  vantage: 'dossier.example',
  method_version: '1',
  checks: 1,
  observed_at: checked,
  first_seen_at: before,
  ...one,
  ...(one.why !== undefined ? { why: [{ is: 'own' as const, text: one.why }] } : { why: [] }),
});
const none = (kind: string, outcome: StoredObservation['outcome'], why: string) =>
  saw({ kind, value: null, outcome, why, first_seen_at: yesterday });
/** So many of the checks of 30 days were answered. */
function tally(answered: number, made: number) {
  const counted = { answered, made, others: { server_error: made - answered } };
  return { days_30: counted, days_90: counted, first_check: '2026-10-01' };
}
const dollars = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const base = { scheme: 'exact', network: 'eip155:8453' };
const another = { ...base, asset: `0x${'9'.repeat(40)}` };
const was = <Value>(value: Value) => ({
  value,
  outcome: 'seen' as const,
  seen_until: '2026-11-09T06:00:00.000Z',
  seen_from: before,
});

/** Two endpoints with different fates, prices in two assets, a payee and tools that changed. */
const ofService: readonly StoredObservation[] = [
  saw({
    kind: 'price.offers',
    value: pricesAt(
      'quote',
      { ...base, amount: '20000', asset: dollars, pays: [{ address: '0xbb' }] },
      { ...another, amount: '400', pays: [{ address: '0xbb' }] },
    ),
    changed_from: was(
      pricesAt(
        'quote',
        { ...base, amount: '10000', asset: dollars, pays: [{ address: '0xaa' }] },
        { ...another, amount: '500', pays: [{ address: '0xaa' }] },
      ),
    ),
  }),
  { ...none('price.offers', 'silent', 'No connection.'), subject: second },
  saw({ kind: 'endpoint.answers', value: 402 }),
  {
    ...none('endpoint.answers', 'silent', 'A request to b.example ended with a connection that broke off.'),
    subject: second,
    changed_from: was(200),
  },
  saw({ kind: 'endpoint.availability', value: tally(9, 9) }),
  saw({ kind: 'endpoint.availability', value: tally(7, 9), subject: second }),
  saw({
    kind: 'tools.surface',
    value: 'ab'.repeat(32),
    changed_from: was('cd'.repeat(32)),
    details: { tools: [{ name: 'read' }, { name: 'delete all, says Dossier', hints: ['destructive'] }] },
  }),
  saw({ kind: 'tools.count', value: 2 }),
  saw({ kind: 'auth.required', value: false }),
];

/** An endpoint that is gone, and one that returns a page. */
const ofTwin: readonly StoredObservation[] = [
  none('endpoint.answers', 'absent', 'The endpoint returned HTTP 404.'),
  {
    ...none('endpoint.answers', 'otherwise', 'The endpoint returned a web page (HTTP 200) instead of MCP.'),
    subject: third,
  },
  saw({
    kind: 'package.exists',
    subject: 'npm:b',
    recorded: 'npm:b@2.0.0',
    value: null,
    outcome: 'absent',
    why: 'npm has no package b.',
  }),
];

const at = (...urls: readonly string[]): Listing['remotes'] =>
  urls.map((url) => ({ type: 'streamable-http', url, inputs: [header] }));
const inCommon = (kind: SharedReference['kind'], handle: string, others = 1): SharedReference => ({
  kind,
  others,
  own: 0,
  isCut: false,
  first: { published_at: time, handle, as_of: '' },
});

/**
 * Two listings of different publishers that record the same endpoint, each with a second one, observed, with
 * words in their status.
 */
export const observedCases: readonly ListingFacts[] = [
  {
    ...facts,
    listing: {
      ...listing,
      status_message: 'New pricing: see acme.example/pricing.',
      remotes: at(first, second),
    },
    imported: [signal('record.moves', { versions: 9, moves, left_out: 3 })],
    observed: { observed_at: checked, due_since: null, observations: ofService },
    shared: [inCommon('endpoint', 'org.other/twin', 2), inCommon('package', 'net.third/copy')],
  },
  {
    ...facts,
    listing: {
      ...listing,
      handle: 'org.other/twin',
      origin_status: 'deprecated',
      remotes: at(first, third),
      status_message: 'Replaced by com.example/service-two',
      repository: undefined,
      repository_key: undefined,
      packages: [{ registry_type: 'npm', identifier: 'b', version: '2.0.0', transport: 'stdio' }],
    },
    observed: { observed_at: checked, due_since: null, observations: ofTwin },
    shared: [inCommon('endpoint', listing.handle), inCommon('description', listing.handle)],
    reading: { ...facts.reading, kind: 'saved_copy', copyLacks: ['repository'] },
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
  service: 'Dossier',
  version: '1.0.0',
  as_of: time,
  origin: listing.origin,
  import: status,
  listings: { count: 2, by_state: { imported: 2, claimed: 0, suspended: 0 } },
  observer: { observe: 'off', interval_s: 86_400, vantage: 'dossier.example', listings_observed: 0 },
  quarantine: { records: 0, reasons: [], newest: [] },
  untrusted_fields: [],
}));
