import { describe, expect, it } from 'vitest';
import { own, toText } from '../../src/core/words.ts';
import {
  type CriterionName,
  criteria,
  criterionNames,
  findValueError,
  judge,
} from '../../src/document/criteria/criteria.ts';
import type { Result } from '../../src/document/criteria/criterion.ts';
import type { ListingDocument } from '../../src/document/listing-document.ts';
import { type ImportedSignal, sampleOriginOf } from '../../src/listings/listing.ts';
import type { Observation } from '../../src/observations/known/observation.ts';
import type { RatingCounts } from '../../src/ratings/rating.ts';
import { toRequested } from '../../src/tools/input/fields.ts';
import { pricesAt } from '../support/offers.ts';

const counts: RatingCounts = {
  ratings: 0,
  sources: 0,
  source_handles: 0,
  source_outcomes: { succeeded: 0, partial: 0, failed: 0, refused: 0, unreachable: 0 },
  outcomes: { succeeded: 0, partial: 0, failed: 0, refused: 0, unreachable: 0 },
  scores: { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0 },
  by_proof: { none: 0, service_receipt: 0, payment_receipt: 0 },
};
const base: ListingDocument = {
  handle: 'io.github.example/tool',
  description: 'A tool',
  version: '1.0.0',
  origin: 'registry.test (MCP)',
  origin_status: 'active',
  published_at: '2026-01-10T00:00:00.000Z',
  updated_at: '2026-10-02T00:00:00.000Z',
  imported_at: '2026-10-03T00:00:00.000Z',
  observed_at: '2026-11-20T08:00:00.000Z',
  remotes: [],
  packages: [],
  versions: [],
  tags: [],
  state: 'imported',
  signals: {
    native: {
      statement: '',
      ratings: 0,
      voided: 0,
      hidden: 0,
      declared_interest: counts,
      reciprocal: counts,
      stated_overlap: counts,
      source_ended: counts,
      new_source: counts,
      independent: counts,
      related: counts,
      flags: {},
      proof_meanings: {},
      computed_score: null,
      recent: [],
    },
    imported: [],
  },
  observations: [],
  not_seen: [],
  not_known: [],
  evidence_snapshot_date: '2026-11-05',
  evidence_snapshot: '',
  links: { page: '', json: '', markdown: '', badge: '', mcp: '' },
  untrusted_fields: [],
};

type Change = Partial<ListingDocument>;
/** What happened after its last change is not in it. */
const ofOldCopy: Change = { observed_at: '2026-11-01T08:00:00.000Z' };
type Told = readonly [kind: string, value: ImportedSignal['value'], outcome?: ImportedSignal['outcome']];
const signals = (...told: Told[]): Change => ({
  signals: {
    ...base.signals,
    imported: told.map(([kind, value, outcome = 'seen']) => ({
      kind,
      value,
      outcome,
      source: 'another.source',
      observed_at: '2026-09-09T01:02:03.000Z',
      method_version: 't/1',
    })),
  },
});
const signal = (...told: Told): Change => signals(told);
const rated = (independent: Partial<RatingCounts>, related: Partial<RatingCounts> = {}): Change => ({
  signals: {
    imported: [],
    native: {
      ...base.signals.native,
      ratings: (independent.ratings ?? 0) + (related.ratings ?? 0),
      independent: { ...counts, ...independent },
      related: { ...counts, ...related },
    },
  },
});
const claim: ListingDocument['claim'] = {
  statement: 'Write access was shown.',
  kind: 'repository',
  claimed_at: '2026-06-01T00:00:00.000Z',
  repository: 'https://github.com/example/tool',
  checked_at: '2026-11-10T12:00:00.000Z',
  namespace_matches_repository_owner: 'yes',
  history: [],
};
const claimed: Change = { state: 'claimed', claim };
const suspended: Change = { state: 'suspended', claim: { ...claim, suspended_reason: 'proof_missing' } };
const remote = { type: 'streamable-http', url: 'https://mcp.example/mcp' };
const npm = { registry_type: 'npm', identifier: '@example/tool', version: '1.2.0', transport: 'stdio' };

/** What `criterion` or `criterion:value`, as compare_agents takes it, gives. */
const judgedOf = (asked: string, change: Change) =>
  judge({ ...base, ...change }, toRequested([asked]), Date.parse('2026-11-21T00:00:00.000Z'))[0];
const resultOf = (asked: string, change: Change) => judgedOf(asked, change)?.result;
const whyOf = (asked: string, change: Change) => {
  const { because } = judgedOf(asked, change) ?? {};
  return because && toText(because) ? toText(because) : undefined;
};

/** The reason stands where the criterion alone would not say it. */
type Row = readonly [asked: string, change: Change, result: Result, why?: string];

const byRecord: readonly Row[] = [
  ['active', {}, 'met'],
  ['active', { origin_status: 'deprecated', status_message: 'Moved on' }, 'not_met'],
  ['has_endpoint', { remotes: [remote], endpoint: remote.url }, 'met'],
  [
    'has_endpoint',
    {
      remotes: [
        { ...remote, inputs: [{ name: 'Authorization', kind: 'header', required: true, secret: true }] },
      ],
      endpoint: remote.url,
    },
    'met',
  ],
  ['has_endpoint', { remotes: [{ ...remote, url: 'https://{host}/mcp' }] }, 'not_met'],
  ['has_endpoint', {}, 'not_met'],
  ['has_repository', { repository: 'https://github.com/example/tool' }, 'met'],
  ['has_repository', {}, 'not_met'],
  [
    'needs_no_secret',
    { packages: [{ ...npm, inputs: [{ kind: 'environment', name: 'KEY', required: true, secret: true }] }] },
    'not_met',
  ],
  [
    'needs_no_secret',
    { packages: [{ ...npm, inputs: [{ kind: 'environment', name: 'KEY', required: false, secret: true }] }] },
    'unknown',
    'a recorded secret is optional',
  ],
  ['needs_no_secret', { remotes: [remote] }, 'unknown'],
  ['needs_no_secret', { packages: [npm] }, 'unknown'],
  [
    'needs_no_secret',
    {
      packages: [{ ...npm, inputs: [{ kind: 'environment', name: 'HOST', required: true, secret: false }] }],
    },
    'met',
  ],
  ['needs_no_secret', { remotes: [remote], copy_lacks: ['package'] }, 'unknown'],
  ['needs_no_secret', {}, 'unknown'],
  ['needs_no_secret', { remotes: [{ ...remote, unread: ['headers'] }] }, 'unknown'],
  ['needs_no_secret', { remotes: [remote], origin: sampleOriginOf('co.webhook/webhook') }, 'unknown'],
  ['transport:stdio', { packages: [npm, npm], remotes: [remote] }, 'met'],
  ['transport:sse', { remotes: [remote] }, 'not_met'],
  ['transport:sse', {}, 'unknown'],
  ['transport:stdio', { remotes: [remote], copy_lacks: ['package'] }, 'unknown'],
  ['transport:stdio', { packages: [{ registry_type: 'npm', identifier: 'x' }] }, 'unknown'],
  ['package:npm', { packages: [npm] }, 'met'],
  ['package:oci', { packages: [{ registry_type: 'oci', identifier: 'docker.io/example/tool' }] }, 'met'],
  ['package:pypi', { packages: [npm] }, 'not_met'],
  ['package:pypi', {}, 'not_met'],
  ['tag:webhooks', { tags: [{ tag: 'webhooks', reason: "the word 'webhook' in the title" }] }, 'met'],
  ['tag:webhooks', { tags: [{ tag: 'webhook', reason: 'publisher keyword' }] }, 'not_met'],
  ['listed_for_days:315', {}, 'met'],
  ['listed_for_days:316', {}, 'unknown'],
  ['listed_for_days:315', { sample: true }, 'unknown'],
  ['listed_for_days:316', signal('registry.first_published', '2026-01-10T00:00:00.000Z'), 'not_met'],
  ['listed_for_days:1', { published_at: '2099-01-01T00:00:00.000Z' }, 'unknown'],
  ['updated_within_days:50', {}, 'met'],
  ['updated_within_days:49', {}, 'not_met'],
  ['updated_within_days:50', ofOldCopy, 'met'],
  ['updated_within_days:49', ofOldCopy, 'unknown'],
  ['updated_within_days:30', { updated_at: '2026-11-21T00:04:00.000Z' }, 'met'],
  ['updated_within_days:30', { updated_at: '2026-11-21T00:06:00.000Z' }, 'unknown'],
  ['publisher_listings_at_most:5', {}, 'unknown'],
  ['namespace_matches_repository_owner', {}, 'unknown'],
  ['endpoint_at_domain', {}, 'not_applicable'],
  ['nothing_shared', {}, 'met'],
  ['record_unmoved_for:30', {}, 'unknown'],
];

/** What was seen at the recorded endpoint, or at what a fact names. */
const seen = (...facts: Partial<Observation>[]): Change => ({
  remotes: [remote],
  observations: facts.map((fact) => ({
    kind: 'price.offers',
    subject: remote.url,
    question: 'price',
    value: null,
    outcome: 'seen',
    source: 'Dossier',
    observed_at: '2026-11-20T10:00:00.000Z',
    first_seen_at: '2026-11-01T10:00:00.000Z',
    vantage: 'test',
    method_version: 't/1',
    ...fact,
  })),
});

/** Since when versions were compared, and the last that led elsewhere, in another repository. */
const moves = (since: string, last: string, more: object = {}) => {
  const repository = { from: 'https://github.com/a/b', to: 'https://github.com/c/d', is_within: false };
  return { versions: 3, since, moves: [{ version: '2', published_at: last, repository }], ...more };
};

const bySignal: readonly Row[] = [
  ['namespace_matches_repository_owner', signal('namespace.matches_repository_owner', true, 'seen'), 'met'],
  [
    'namespace_matches_repository_owner',
    signal('namespace.matches_repository_owner', false, 'seen'),
    'not_met',
  ],
  [
    'namespace_matches_repository_owner',
    signal('namespace.matches_repository_owner', null, 'not_asked'),
    'unknown',
  ],
  ['endpoint_at_domain', { ...signal('namespace.holds_endpoint', true, 'seen'), remotes: [remote] }, 'met'],
  [
    'endpoint_at_domain',
    { ...signal('namespace.holds_endpoint', false, 'seen'), remotes: [remote] },
    'not_met',
  ],
  ['endpoint_at_domain', { remotes: [remote] }, 'unknown'],
  ['publisher_listings_at_most:785', signal('publisher.listings', 785, 'seen'), 'met'],
  ['publisher_listings_at_most:784', signal('publisher.listings', 785, 'seen'), 'not_met'],
  ['publisher_listings_at_most:1', signal('publisher.listings', 1, 'seen'), 'met'],
  ['nothing_shared', signal('shared.endpoint', 1), 'not_met'],
  ['nothing_shared', signal('shared.endpoint', null, 'not_asked'), 'unknown'],
  ['nothing_shared', signal('shared.word', 1), 'met'],
  ['nothing_shared', { copy_lacks: ['package'] }, 'unknown'],
  ['package:pypi', signal('record.unread_fields', ['packages[]']), 'unknown'],
  ['record_unmoved_for:51', signal('record.moves', moves('2026-01-01', '2026-10-01')), 'met'],
  ['record_unmoved_for:52', signal('record.moves', moves('2026-01-01', '2026-10-01')), 'not_met'],
  [
    'record_unmoved_for:51',
    { ...signal('record.moves', moves('2026-01-01', '2026-10-01')), ...ofOldCopy },
    'unknown',
  ],
  [
    'record_unmoved_for:52',
    { ...signal('record.moves', moves('2026-01-01', '2026-10-01')), ...ofOldCopy },
    'not_met',
  ],
  [
    'record_unmoved_for:51',
    signal('record.moves', moves('2026-01-01', '2026-10-01', { partly_read: true })),
    'unknown',
  ],
  ['record_unmoved_for:30', signal('registry.versions', 1), 'met'],
  ['record_unmoved_for:3650', signal('registry.versions', 1), 'unknown'],
  [
    'record_unmoved_for:30',
    signals(['registry.versions', 1], ['record.moves', null, 'not_asked']),
    'unknown',
  ],
];

const byClaim: readonly Row[] = [
  ['claimed', claimed, 'met'],
  ['claimed', suspended, 'not_met'],
  ['claimed', {}, 'not_met'],
  ['claim_checked_within_days:11', claimed, 'met'],
  ['claim_checked_within_days:10', claimed, 'not_met'],
  ['claim_checked_within_days:3650', suspended, 'not_met'],
  ['claim_checked_within_days:3650', {}, 'not_met'],
];

const offer = {
  scheme: 'exact',
  network: 'base',
  amount: '10000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
};
const quoteOf = (paid: typeof offer) =>
  pricesAt('quote', { ...paid, asset: paid.asset.toLowerCase(), network: 'eip155:8453' });
const quoted = seen({ outcome: 'seen', value: quoteOf(offer) });
const ofTests = seen({
  outcome: 'seen',
  value: pricesAt('quote', {
    amount: '1000',
    asset: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
    network: 'eip155:84532',
  }),
});
const elsewhere = seen({
  outcome: 'seen',
  value: pricesAt('quote', { amount: '10000', asset: 'usd', network: 'eip155:7', scheme: 'exact' }),
});
const noPrice = seen({ outcome: 'nothing' });
const unpriced = seen({ outcome: 'seen', value: pricesAt('quote', { scheme: 'exact' }) });
const second = { type: 'streamable-http', url: 'https://mcp.example/pro' };
const cheap = { outcome: 'seen', value: quoteOf(offer) } as const;
const dear = { ...cheap, subject: second.url, value: quoteOf({ ...offer, amount: '100000000' }) };
const atBoth = (...facts: Partial<Observation>[]): Change => ({
  ...seen(...facts),
  remotes: [remote, second],
});
const lockedPrice = seen({
  outcome: 'asks',
  asks_for: 'credentials',
  reason: own('The host evil.example says no.'),
});
const paidTo = (address: string) =>
  pricesAt('quote', { amount: '1', network: 'eip155:1', pays: [{ address }] });
const paid = (fact: Partial<Observation> = {}) => seen({ value: paidTo('0x1'), ...fact });
const changed = {
  value: paidTo('0x2'),
  outcome: 'seen' as const,
  seen_from: '2026-11-01T08:00:00.000Z',
  seen_until: '2026-10-31T10:00:00.000Z',
};
const repriced = paid({
  first_seen_at: '2026-11-15T10:00:00.000Z',
  changed_from: {
    ...changed,
    value: pricesAt('quote', { amount: '2', network: 'eip155:1', pays: [{ address: '0x1' }] }),
    seen_until: '2026-11-01T10:00:00.000Z',
  },
  parts: { no_new_payee: { since: '2026-11-01T10:00:00.000Z' } },
});
const hidden = { kind: 'tools.surface', value: 'a', unanswered_since: '2026-11-20T12:00:00.000Z' };
const onBase = 'eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';

/** An endpoint, and what a check of it found. */
const endpoint = (fact: Partial<Observation>) =>
  seen({ kind: 'endpoint.answers', question: 'reach', ...fact });

/** What was seen of recorded packages on npm, by name. Null stands for a check without an answer. */
const onNpm = (
  kind: string,
  values: Readonly<Record<string, Observation['value']>>,
  more: Partial<Observation> = {},
): Change => ({
  ...seen(
    ...Object.entries(values).map(([name, value]) => ({
      kind,
      subject: `npm:${name}`,
      value,
      outcome: value === null ? ('silent' as const) : ('seen' as const),
      ...more,
    })),
  ),
  remotes: [],
  packages: Object.keys(values).map((identifier) => ({ ...npm, identifier })),
});
/** Advisories about the recorded version of a package. */
const reports = (...ids: string[]) => ({ count: ids.length, ids, not_compared: [] as string[] });
const marked = { deprecated: true };
const unmarked = { deprecated: false };
const many = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`p${n}`, unmarked]));

const byCheck: readonly Row[] = [
  ['endpoint_observed_alive', endpoint({ value: 200 }), 'met'],
  ['endpoint_observed_alive', endpoint({ outcome: 'silent' }), 'not_met'],
  ['endpoint_observed_alive', endpoint({ outcome: 'otherwise' }), 'not_met'],
  ['endpoint_observed_alive', endpoint({ outcome: 'absent' }), 'not_met'],
  ['endpoint_observed_alive', endpoint({ outcome: 'not_asked' }), 'unknown'],
  ['endpoint_observed_alive', endpoint({ outcome: 'refused' }), 'unknown', 'the check was refused'],
  ['endpoint_observed_alive', endpoint({ value: 200, is_stale: true }), 'unknown'],
  [
    'endpoint_observed_alive',
    {
      ...seen(
        { kind: 'endpoint.answers', outcome: 'silent' },
        { kind: 'endpoint.answers', subject: second.url, value: 401 },
      ),
      remotes: [remote, second],
    },
    'met',
  ],
  ['price_known', quoted, 'met'],
  ['price_known', noPrice, 'not_met'],
  ['price_known', lockedPrice, 'unknown', 'the host evil.example says no'],
  ['no_payment_seen', quoted, 'not_met'],
  ['no_payment_seen', noPrice, 'met'],
  [
    'no_payment_seen',
    seen(
      { outcome: 'nothing' },
      {
        kind: 'price.offers',
        outcome: 'seen',
        subject: `${remote.url} in tools/list`,
        value: pricesAt('tools', { for: 'look_up', amount: '0.01', asset: 'dollars' }),
      },
    ),
    'not_met',
  ],
  [
    'no_payment_seen',
    seen({ outcome: 'nothing' }, { subject: `${remote.url} in tools/list`, outcome: 'silent' }),
    'unknown',
    'no usable answer came',
  ],
  ['no_payment_seen', seen({ outcome: 'asks', asks_for: 'payment' }), 'not_met'],
  [
    'no_payment_seen',
    seen(
      { outcome: 'nothing' },
      { subject: `${remote.url} in .well-known/x402`, value: pricesAt('x402', { for: 'find' }) },
    ),
    'not_met',
  ],
  ['price_at_most:0.01 USDC', quoted, 'met'],
  ['price_at_most:0.01 USDC', atBoth(cheap, dear), 'not_met'],
  [
    'price_at_most:0.01 USDC',
    atBoth(cheap, { subject: second.url, outcome: 'asks', asks_for: 'credentials' }),
    'unknown',
  ],
  ['price_at_most:100 USDC', atBoth(cheap, dear), 'met'],
  ['price_at_most:0.0099 USDC', quoted, 'not_met'],
  [`price_at_most:9999 ${onBase}`, quoted, 'not_met'],
  ['price_at_most:1 test-USDC', quoted, 'unknown'],
  ['price_known', ofTests, 'unknown', 'its quote is in tokens of a test network, which have no value'],
  ['price_at_most:1 USDC', elsewhere, 'unknown'],
  ['price_at_most:1 USDC', noPrice, 'unknown'],
  ['pay_to_unchanged_for:19', paid(), 'met'],
  ['pay_to_unchanged_for:20', paid(), 'unknown', 'first seen by Dossier on 2026-11-01'],
  ['pay_to_unchanged_for:20', paid({ changed_from: changed }), 'not_met', 'no new one since 2026-11-01'],
  [
    'pay_to_unchanged_for:20',
    paid({ changed_from: { ...changed, value: null, outcome: 'silent' } }),
    'unknown',
  ],
  [
    'tools_unchanged_for:1',
    atBoth(
      { kind: 'tools.surface', value: 'a' },
      { kind: 'tools.surface', subject: second.url, outcome: 'silent' },
    ),
    'unknown',
    '`https://mcp.example/pro`: no usable answer came; `https://mcp.example/mcp`: met',
  ],
  // Another price for the same payees.
  ['pay_to_unchanged_for:19', repriced, 'met'],
  ['pay_to_unchanged_for:20', repriced, 'unknown'],
  ['pay_to_unchanged_for:1', paid({ value: { ...paidTo('0x1'), varies: ['pay_to'] } }), 'unknown'],
  // What an endpoint no longer shows while it answers may have changed.
  ['tools_unchanged_for:1', seen(hidden, { kind: 'endpoint.answers', value: 200 }), 'unknown'],
  [
    'tools_unchanged_for:1',
    seen(hidden, { kind: 'endpoint.answers', value: 200, missed_since: '2026-11-20T12:00:00.000Z' }),
    'met',
  ],
  // A value in the form of an earlier version of the kind.
  ['pay_to_unchanged_for:1', paid({ value: 'to 0x1 on Base' }), 'unknown'],
  ['tools_unchanged_for:1', atBoth({ kind: 'tools.surface', value: 'a' }), 'unknown'],
  [
    'pay_to_unchanged_for:19',
    atBoth({ value: paidTo('0x1') }, { subject: second.url, outcome: 'nothing' }),
    'met',
  ],
  ['no_malware_report', onNpm('package.advisories', { a: reports('GHSA-1'), b: reports() }), 'met'],
  [
    'no_malware_report',
    onNpm('package.advisories', { a: null, b: reports('GHSA-1', 'MAL-2026-1') }),
    'not_met',
  ],
  // A report stands, however old it is.
  [
    'no_malware_report',
    onNpm('package.advisories', { a: reports('MAL-2026-1') }, { is_stale: true }),
    'not_met',
  ],
  [
    'no_malware_report',
    onNpm('package.advisories', { a: { ...reports(), not_compared: ['MAL-2026-1'] } }),
    'unknown',
  ],
  // The registry does not have the package.
  [
    'no_malware_report',
    {
      ...onNpm('package.advisories', { a: reports() }),
      ...seen(
        { kind: 'package.advisories', subject: 'npm:a', value: reports() },
        { kind: 'package.exists', subject: 'npm:a', outcome: 'absent' },
      ),
      remotes: [],
    },
    'unknown',
  ],
  ['no_advisory', onNpm('package.advisories', { a: reports(), b: reports() }), 'met'],
  ['no_advisory', onNpm('package.advisories', { a: null, b: reports('GHSA-1') }), 'not_met'],
  ['no_advisory', onNpm('package.advisories', { a: reports('GHSA-1') }, { is_stale: true }), 'not_met'],
  ['no_advisory', onNpm('package.advisories', { a: reports() }, { is_stale: true }), 'unknown'],
  ['no_advisory', onNpm('package.advisories', { a: reports(), b: null }), 'unknown'],
  ['no_advisory', onNpm('package.advisories', { a: { ...reports(), not_compared: ['GHSA-1'] } }), 'unknown'],
  // What --fail-on finds, judged by the criterion or the facts that its word rests on.
  ['no_finding:advisories', onNpm('package.advisories', { a: reports() }), 'met'],
  ['no_finding:advisories', onNpm('package.advisories', { a: reports('GHSA-1') }), 'not_met'],
  ['no_finding:advisories', onNpm('package.advisories', { a: null }), 'unknown'],
  ['no_finding:paid', seen({ kind: 'auth.required', value: false }), 'unknown'],
  ['no_finding:texts', { remotes: [], packages: [npm] }, 'not_applicable'],
  ['package_not_deprecated', onNpm('package.deprecated', { a: unmarked, b: unmarked }), 'met'],
  ['package_not_deprecated', onNpm('package.deprecated', { a: null, b: marked }), 'not_met'],
  ['package_not_deprecated', onNpm('package.deprecated', { a: unmarked, b: null }), 'unknown'],
  ['package_not_deprecated', onNpm('package.deprecated', many), 'unknown'],
  ['package_built_from_repository', onNpm('package.provenance', { a: { result: 'match' } }), 'met'],
  [
    'package_built_from_repository',
    onNpm('package.provenance', { a: { result: 'match' }, x: { result: 'other' } }),
    'not_met',
  ],
  ['package_built_from_repository', onNpm('package.provenance', { a: { result: 'none' } }), 'not_met'],
  [
    'package_built_from_repository',
    onNpm('package.provenance', { a: { result: 'not_comparable' } }),
    'unknown',
  ],
  ['needs_no_secret', seen({ kind: 'auth.required', value: true }), 'not_met'],
  ['needs_no_secret', seen({ kind: 'auth.required', value: false }), 'met'],
];

const three = rated({ ratings: 3, sources: 2, last_at: '2026-11-01T00:00:00.000Z' }, { ratings: 4 });
const onlyRelated = rated({}, { ratings: 4, sources: 3, last_at: '2026-11-01T00:00:00.000Z' });
const voided: Change = {
  signals: { imported: [], native: { ...base.signals.native, voided: 2 } },
};
const outcomes = (succeeded: number) => ({ ...counts.outcomes, succeeded });
const byRatings: readonly Row[] = [
  ['native_ratings_at_least:3', three, 'met'],
  ['native_ratings_at_least:4', three, 'not_met'],
  ['native_ratings_at_least:1', onlyRelated, 'not_met'],
  ['native_ratings_at_least:1', {}, 'not_met'],
  ['independent_sources_at_least:2', three, 'met'],
  ['independent_sources_at_least:3', three, 'not_met'],
  ['independent_sources_at_least:1', rated({ ratings: 1, sources: 1 }), 'met'],
  ['rated_within_days:20', three, 'met'],
  ['rated_within_days:19', three, 'not_met'],
  ['rated_within_days:1', rated({ ratings: 1, sources: 1, last_at: '2026-11-22T00:00:00.000Z' }), 'met'],
  ['rated_within_days:3650', onlyRelated, 'not_met'],
  ['rated_within_days:3650', {}, 'not_met'],
  ['succeeded_percent_at_least:80', rated({ ratings: 9, sources: 5, source_outcomes: outcomes(4) }), 'met'],
  [
    'succeeded_percent_at_least:81',
    rated({ ratings: 9, sources: 5, source_outcomes: outcomes(4) }),
    'not_met',
  ],
  [
    'succeeded_percent_at_least:1',
    rated({ ratings: 243, sources: 4, source_outcomes: outcomes(4), outcomes: outcomes(243) }),
    'unknown',
  ],
  [
    'succeeded_percent_at_least:1',
    rated({ ratings: 1, sources: 1 }, { ratings: 9, sources: 9, source_outcomes: outcomes(9) }),
    'unknown',
  ],
  ['succeeded_percent_at_least:1', {}, 'unknown'],
];

/** What asks about endpoints, and what asks about packages. */
const ofEndpoints = [
  'endpoint_observed_alive',
  'price_known',
  'no_payment_seen',
  'price_at_most:1 USDC',
  'pay_to_unchanged_for:1',
  'tools_unchanged_for:1',
];
const ofPackages = [
  'no_malware_report',
  'no_advisory',
  'package_not_deprecated',
  'package_built_from_repository',
];

const rows: readonly Row[] = [
  ...byRecord,
  ...bySignal,
  ...byClaim,
  ...byRatings,
  ...byCheck,
  // Where the record names nothing to ask it of, which is no no, and before the first check.
  ...ofEndpoints.map((asked): Row => [asked, { packages: [npm] }, 'not_applicable']),
  ...ofEndpoints.map((asked): Row => [asked, { remotes: [remote], packages: [npm] }, 'unknown']),
  ...ofPackages.map((asked): Row => [asked, { remotes: [remote] }, 'not_applicable']),
  ...ofPackages.map((asked): Row => [asked, { remotes: [remote], packages: [npm] }, 'unknown']),
];

describe('a criterion', () => {
  it.for(rows)('%s of %j is %s', ([asked, change, result, why]) => {
    expect(resultOf(asked, change)).toBe(result);
    if (why !== undefined) expect(whyOf(asked, change)).toBe(why);
  });

  it('takes a price only in an asset that can be compared', () => {
    const refused = [
      '0.01',
      '1e9 USDC',
      '-1 USDC',
      '0.01 DOGE',
      `0.01 ${onBase}`,
      `${'9'.repeat(79)} ${onBase}`,
    ];
    for (const value of refused)
      expect(findValueError({ criterion: 'price_at_most', value })).toContain('takes a price such as');
    expect(findValueError({ criterion: 'price_at_most', value: `1 ${onBase}` })).toBeUndefined();
    for (const sent of ['price_at_most:$0.05', 'price_at_most:0.05 usdc', 'price_at_most:0.05USDC'])
      expect(toRequested([sent])).toEqual([{ criterion: 'price_at_most', value: '0.05 USDC' }]);
  });

  it('is of a closed vocabulary, all of which is in these rows', () => {
    expect([...new Set(rows.map(([asked]) => asked.split(':')[0]))].sort()).toEqual(
      [...criterionNames].sort(),
    );
  });

  it.each<readonly [asked: string, change: Change, why: string | undefined]>([
    ['price_at_most:1 EURC', quoted, 'quoted: 0.01 USDC on Base, not in the asset of this limit'],
    ['price_at_most:1 USDC', quoted, undefined],
    ['price_known', { remotes: [] }, 'no endpoint recorded'],
    ['pay_to_unchanged_for:20', noPrice, 'looked for, none stated'],
    ['pay_to_unchanged_for:20', { remotes: [remote] }, 'not checked'],
    ['price_known', unpriced, 'a payment is asked for, in a form in which Dossier could read no price'],
    ['no_malware_report', { packages: [] }, 'no package recorded'],
    ['nothing_shared', signal('shared.pay_to', 1), 'in records alone; a check saw something shared'],
    ['nothing_shared', signal('shared.endpoint', 1), undefined],
    ['native_ratings_at_least:3', three, undefined],
    ['native_ratings_at_least:4', three, '3 independent ratings from 2 sources; not counted: 4 related'],
    ['rated_within_days:1', voided, 'no independent source; not counted: 2 voided by the operator'],
    ['native_ratings_at_least:1', {}, undefined],
    ['tools_unchanged_for:1', { remotes: [remote, second] }, 'not checked'],
    [
      'no_advisory',
      onNpm('package.advisories', { a: reports(), b: null }),
      '`b`: no usable answer came; `a`: met',
    ],
  ])('the reason for %s is said', (asked, change, why) => {
    expect(whyOf(asked, change)).toBe(why);
  });

  it('has a reason wherever it is unknown', () => {
    const silent = rows.filter(([asked, change, result]) => result === 'unknown' && !whyOf(asked, change));
    expect(silent).toEqual([]);
  });

  it('is never answered from ratings where it is imported or checked, nor from the record where it is native', () => {
    const withAll = { ...claimed, remotes: [remote], endpoint: remote.url, ...three };
    for (const [asked] of rows) {
      const { evidence } = criteria[asked.split(':')[0] as CriterionName];
      const without: Change =
        evidence === 'native'
          ? { ...claimed, ...three }
          : { ...withAll, state: 'imported', claim: undefined, signals: base.signals };
      expect([asked, resultOf(asked, without)]).toEqual([asked, resultOf(asked, withAll)]);
    }
  });
});
