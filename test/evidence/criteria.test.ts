import { describe, expect, it } from 'vitest';
import { own } from '../../src/core/words.ts';
import {
  type CriterionName,
  compareListing,
  criterionNames,
  findValueError,
} from '../../src/document/criteria/criteria.ts';
import type { ListingDocument } from '../../src/document/listing-document.ts';
import type { ImportedSignal } from '../../src/listings/listing.ts';
import type { Observation } from '../../src/observations/observation.ts';
import type { RatingCounts } from '../../src/ratings/rating.ts';
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
  observed_at: '2026-11-01T08:00:00.000Z',
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
const signal = (
  kind: string,
  value: ImportedSignal['value'],
  outcome: ImportedSignal['outcome'],
): Change => ({
  signals: {
    ...base.signals,
    imported: [
      {
        kind,
        value,
        source: 'another.source',
        observed_at: '2026-09-09T01:02:03.000Z',
        method_version: 't/1',
        outcome,
      },
    ],
  },
});
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

const judge = (criterion: CriterionName, value: string | number | undefined, change: Change) => {
  const compared = {
    listing: { ...base, ...change },
    now_ms: Date.parse('2026-11-21T00:00:00.000Z'),
  };
  const asked = { criterion, ...(value !== undefined && { value }) };
  const answers = JSON.stringify(compareListing(compared, [asked]));
  const { imported, observed, native } = JSON.parse(answers) as ReturnType<typeof compareListing>;
  if (observed.length > 0) return { evidence: 'observed', ...observed[0] };
  return imported.length > 0
    ? { evidence: 'imported', ...imported[0] }
    : { evidence: 'native', ...native[0] };
};

type Row = readonly [
  criterion: CriterionName,
  value: string | number | undefined,
  change: Change,
  result: string,
  fact: string,
  more: string | readonly string[] | undefined,
];
/** The last of a row is the publisher's words, or the date. */
const row = (
  ...[criterion, value, change, result, fact, more]: [
    ...Parameters<typeof judge>,
    string,
    string,
    (string | readonly string[])?,
  ]
): Row => [criterion, value, change, result, fact, more];

const imported: readonly Row[] = [
  row('active', undefined, {}, 'met', 'The registry lists it as active.'),
  row(
    'active',
    undefined,
    { origin_status: 'deprecated', status_message: 'Moved on' },
    'not_met',
    'The registry marks it as deprecated.',
    'Moved on',
  ),
  row(
    'has_endpoint',
    undefined,
    { remotes: [remote], endpoint: remote.url },
    'met',
    'A remote address is recorded.',
    'https://mcp.example/mcp',
  ),
  row(
    'has_endpoint',
    undefined,
    {
      remotes: [
        { ...remote, inputs: [{ name: 'Authorization', kind: 'header', required: true, secret: true }] },
      ],
      endpoint: remote.url,
    },
    'met',
    'A remote address is recorded; it needs a secret header.',
    'https://mcp.example/mcp',
  ),
  row(
    'has_endpoint',
    undefined,
    { remotes: [{ ...remote, url: 'https://{host}/mcp' }] },
    'not_met',
    'Remotes are recorded, but none has a complete address.',
  ),
  row('has_endpoint', undefined, {}, 'not_met', 'No remote endpoint is recorded.'),
  row(
    'has_repository',
    undefined,
    { repository: 'https://github.com/example/tool' },
    'met',
    'A source repository is recorded.',
    'https://github.com/example/tool',
  ),
  row('has_repository', undefined, {}, 'not_met', 'No source repository is recorded.'),
  row(
    'needs_no_secret',
    undefined,
    { packages: [{ ...npm, inputs: [{ kind: 'environment', name: 'KEY', required: true, secret: true }] }] },
    'not_met',
    'The record asks for 1 secret.',
    'KEY',
  ),
  row(
    'needs_no_secret',
    undefined,
    { packages: [{ ...npm, inputs: [{ kind: 'environment', name: 'KEY', required: false, secret: true }] }] },
    'unknown',
    'The record names 1 secret that a caller may send, and requires none.',
    'KEY',
  ),
  row(
    'needs_no_secret',
    undefined,
    { remotes: [remote] },
    'met',
    'The record asks for no secret; the service may still ask for one.',
  ),
  row(
    'needs_no_secret',
    undefined,
    { remotes: [remote], copy_lacks: ['package'] },
    'unknown',
    'This copy records no packages.',
  ),
  row(
    'needs_no_secret',
    undefined,
    {},
    'unknown',
    'The record does not say how the service is reached or run.',
  ),
  row(
    'transport',
    'stdio',
    { packages: [npm, npm], remotes: [remote] },
    'met',
    'stdio is among the recorded transports.',
    ['streamable-http', 'stdio'],
  ),
  row(
    'transport',
    'sse',
    { remotes: [remote] },
    'not_met',
    'sse is not among the recorded transports.',
    'streamable-http',
  ),
  row('transport', 'sse', {}, 'unknown', 'No transport is recorded.'),
  row(
    'transport',
    'stdio',
    { packages: [{ registry_type: 'npm', identifier: 'x' }] },
    'unknown',
    'No transport is recorded.',
  ),
  row(
    'package',
    'npm',
    { packages: [npm] },
    'met',
    'A package of kind npm is recorded.',
    '@example/tool@1.2.0',
  ),
  row(
    'package',
    'oci',
    { packages: [{ registry_type: 'oci', identifier: 'docker.io/example/tool' }] },
    'met',
    'A package of kind oci is recorded.',
    'docker.io/example/tool',
  ),
  row(
    'package',
    'pypi',
    { packages: [npm] },
    'not_met',
    'No package of kind pypi is recorded; packages of other kinds are.',
    'npm',
  ),
  row('package', 'pypi', {}, 'not_met', 'No package is recorded.'),
  row(
    'tag',
    'webhooks',
    { tags: [{ tag: 'webhooks', reason: "the word 'webhook' in the title" }] },
    'met',
    'It has this tag.',
    "the word 'webhook' in the title",
  ),
  row(
    'tag',
    'webhooks',
    { tags: [{ tag: 'webhook', reason: 'publisher keyword' }] },
    'not_met',
    'It does not have this tag. Tags follow from recorded facts and publisher keywords.',
  ),
  row('listed_for_days', 315, {}, 'met', 'A version published on 2026-01-10 was read.'),
  row(
    'listed_for_days',
    316,
    {},
    'unknown',
    'It is not known whether a version was published before 2026-01-10.',
  ),
  row(
    'listed_for_days',
    1,
    { published_at: '2099-01-01T00:00:00.000Z' },
    'unknown',
    'The recorded date is in the future.',
  ),
  row(
    'updated_within_days',
    50,
    {},
    'met',
    'The registry says that its entry was last updated on 2026-10-02.',
  ),
  row(
    'updated_within_days',
    49,
    {},
    'not_met',
    'The registry says that its entry was last updated on 2026-10-02.',
  ),
  row(
    'updated_within_days',
    30,
    { updated_at: '2026-11-21T00:04:00.000Z' },
    'met',
    'The registry says that its entry was last updated on 2026-11-21.',
  ),
  row(
    'updated_within_days',
    30,
    { updated_at: '2026-11-21T00:06:00.000Z' },
    'unknown',
    'The recorded date is in the future.',
  ),
  row('publisher_listings_at_most', 5, {}, 'unknown', 'The listings of this publisher were not counted.'),
  row(
    'namespace_matches_repository_owner',
    undefined,
    {},
    'unknown',
    'Namespace and repository owner cannot be compared.',
  ),
  row(...(['endpoint_at_domain', undefined, {}, 'unknown'] as const), 'No endpoint is recorded.'),
  row(
    ...(['nothing_shared', undefined, {}, 'met'] as const),
    'Dossier has no listing of another publisher with the same endpoint, package, repository or description. A description shorter than 40 characters is compared only between listings of the same name.',
  ),
  row(
    ...(['record_unmoved_for', 30, {}, 'unknown'] as const),
    'Dossier does not have two versions of the record to compare.',
  ),
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

/** Answered by a signal: its source and its date are told. */
const signals: readonly Row[] = [
  row(
    'namespace_matches_repository_owner',
    undefined,
    signal('namespace.matches_repository_owner', true, 'seen'),
    'met',
    'The namespace names the same owner as the repository.',
  ),
  row(
    'namespace_matches_repository_owner',
    undefined,
    signal('namespace.matches_repository_owner', false, 'seen'),
    'not_met',
    'The namespace names a different owner than the repository.',
  ),
  row(
    'namespace_matches_repository_owner',
    undefined,
    signal('namespace.matches_repository_owner', null, 'not_asked'),
    'unknown',
    'Namespace and repository owner cannot be compared.',
  ),
  row(
    'endpoint_at_domain',
    undefined,
    signal('namespace.holds_endpoint', true, 'seen'),
    'met',
    'Every recorded endpoint is on the domain of its namespace, or below it.',
  ),
  row(
    'endpoint_at_domain',
    undefined,
    signal('namespace.holds_endpoint', false, 'seen'),
    'not_met',
    'A recorded endpoint is neither on the domain of its namespace nor below it.',
  ),
  row(
    'publisher_listings_at_most',
    785,
    signal('publisher.listings', 785, 'seen'),
    'met',
    '785 listings of this namespace are stored here, this one included.',
  ),
  row(
    'publisher_listings_at_most',
    784,
    signal('publisher.listings', 785, 'seen'),
    'not_met',
    '785 listings of this namespace are stored here, this one included.',
  ),
  row(
    'publisher_listings_at_most',
    1,
    signal('publisher.listings', 1, 'seen'),
    'met',
    '1 listing of this namespace is stored here, this one included.',
  ),
];

const byClaim: readonly Row[] = [
  row('claimed', undefined, claimed, 'met', 'Write access was shown.', '2026-11-10'),
  row('claimed', undefined, suspended, 'not_met', 'The claim is suspended: proof missing.', '2026-11-10'),
  row('claimed', undefined, {}, 'not_met', 'This listing is not claimed.', '2026-11-05'),
  row(
    'claim_checked_within_days',
    11,
    claimed,
    'met',
    'The last recorded check of the claim was on 2026-11-10.',
    '2026-11-10',
  ),
  row(
    'claim_checked_within_days',
    10,
    claimed,
    'not_met',
    'The last recorded check of the claim was on 2026-11-10.',
    '2026-11-10',
  ),
  row(
    'claim_checked_within_days',
    3650,
    suspended,
    'not_met',
    'The claim is suspended: proof missing.',
    '2026-11-10',
  ),
  row('claim_checked_within_days', 3650, {}, 'not_met', 'This listing is not claimed.', '2026-11-05'),
];

const none = 'No ratings here; that matters for a purchase.';
const offer = {
  scheme: 'exact',
  network: 'base',
  amount: '10000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
};
const quoteOf = (paid: typeof offer) =>
  pricesAt('quote', { ...paid, asset: paid.asset.toLowerCase(), network: 'eip155:8453' });
const quoted = seen({ outcome: 'seen', value: quoteOf(offer) });
const elsewhere = seen({
  outcome: 'seen',
  value: pricesAt('quote', { amount: '10000', asset: 'usd', network: 'eip155:7', scheme: 'exact' }),
});
const noPrice = seen({ outcome: 'nothing' });
const second = { type: 'streamable-http', url: 'https://mcp.example/pro' };
const cheap = { outcome: 'seen', value: quoteOf(offer) } as const;
const dear = { ...cheap, subject: second.url, value: quoteOf({ ...offer, amount: '100000000' }) };
const cheapText = '0.01 USDC on Base';
const atBoth = (...facts: Partial<Observation>[]): Change => ({
  ...seen(...facts),
  remotes: [remote, second],
});
/** What was seen of recorded packages on npm. */
/** Advisories about the recorded version of a package. */
const reports = (...ids: string[]) => ({ count: ids.length, ids, not_compared: [] as string[] });

const ofPackages = (names: readonly string[], ...facts: Partial<Observation>[]): Change => ({
  ...seen(...facts),
  remotes: [],
  packages: names.map((identifier) => ({ ...npm, identifier })),
});
const many = Array.from({ length: 11 }, (_, n) => `p${n}`);
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
const onBase = 'eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';

const observedRows: readonly Row[] = [
  ...(
    [
      [
        { outcome: 'seen' },
        200,
        'met',
        'A recorded endpoint introduced itself to Dossier, or asked it to sign in or to pay.',
      ],
      ...(['silent', 'otherwise', 'absent'] as const).map(
        (outcome) =>
          [
            { outcome },
            null,
            'not_met',
            'The endpoint neither introduced itself to Dossier nor asked it to sign in or to pay.',
          ] as const,
      ),
      [{ outcome: 'not_asked' }, null, 'unknown', 'Dossier has not seen whether the endpoint answers.'],
      [
        { outcome: 'refused' },
        null,
        'unknown',
        'Dossier has not seen whether the endpoint answers: the check was refused.',
      ],
      [
        { outcome: 'seen', is_stale: true },
        200,
        'unknown',
        'Dossier has not seen whether the endpoint answers now. Last seen on 2026-11-20; not checked since.',
      ],
    ] as const
  ).map(([ended, value, result, fact]) =>
    row(
      'endpoint_observed_alive',
      undefined,
      seen({ kind: 'endpoint.answers', question: 'reach', value, ...ended }),
      result,
      fact,
    ),
  ),
  row('price_known', undefined, quoted, 'met', 'The endpoint quoted Dossier a price.', '0.01 USDC on Base'),
  row('price_known', undefined, noPrice, 'not_met', 'Dossier saw no price; a call of a tool may still cost.'),
  row(
    'price_known',
    undefined,
    lockedPrice,
    'unknown',
    'Dossier has not seen whether the endpoint quotes a price: it asks for credentials first.',
  ),
  row(
    'no_payment_seen',
    undefined,
    quoted,
    'not_met',
    'The endpoint quoted Dossier a price.',
    '0.01 USDC on Base',
  ),
  row('no_payment_seen', undefined, noPrice, 'met', 'Dossier saw no price; a call of a tool may still cost.'),
  row(
    'no_payment_seen',
    undefined,
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
    'Tools in the endpoint’s list state that a call costs something.',
    '`look_up` 0.01 dollars, advertised',
  ),
  row(
    'no_payment_seen',
    undefined,
    seen({ outcome: 'nothing' }, { subject: `${remote.url} in tools/list`, outcome: 'silent' }),
    'unknown',
    'Dossier has not seen whether the endpoint quotes a price: no usable answer came.',
  ),
  row(
    'no_payment_seen',
    undefined,
    seen({ outcome: 'asks', asks_for: 'payment' }),
    'not_met',
    'The endpoint asked Dossier for a payment.',
  ),
  row(
    'price_at_most',
    '0.01 USDC',
    quoted,
    'met',
    'The endpoint quotes an offer of at most 0.01 USDC.',
    cheapText,
  ),
  row(
    'price_at_most',
    '0.01 USDC',
    atBoth(cheap, dear),
    'not_met',
    'Every offer in this asset that Dossier has read asks for more than 0.01 USDC.',
    '100 USDC on Base',
  ),
  row(
    'price_at_most',
    '0.01 USDC',
    atBoth(cheap, { subject: second.url, outcome: 'asks', asks_for: 'credentials' }),
    'unknown',
    'Dossier has not seen whether the endpoint quotes a price: it asks for credentials first.',
  ),
  row(
    'price_at_most',
    '100 USDC',
    atBoth(cheap, dear),
    'met',
    'The endpoint quotes an offer of at most 100 USDC.',
    cheapText,
  ),
  row(
    'price_at_most',
    '0.0099 USDC',
    quoted,
    'not_met',
    'Every offer in this asset that Dossier has read asks for more than 0.0099 USDC.',
    cheapText,
  ),
  row(
    'price_at_most',
    `9999 ${onBase}`,
    quoted,
    'not_met',
    `Every offer in this asset that Dossier has read asks for more than 9999 ${onBase}.`,
    cheapText,
  ),
  row(
    'price_at_most',
    '1 test-USDC',
    quoted,
    'unknown',
    'The endpoint quotes no price in this asset that Dossier has read.',
  ),
  row(
    'price_at_most',
    '1 USDC',
    elsewhere,
    'unknown',
    'The endpoint quotes no price in this asset that Dossier has read.',
  ),
  row(
    'price_at_most',
    '1 USDC',
    noPrice,
    'unknown',
    'This endpoint quoted Dossier no price to compare; a call of a tool may still cost.',
  ),
  row(
    'pay_to_unchanged_for',
    19,
    paid(),
    'met',
    'The addresses that the endpoint asks to be paid at were the same each time that Dossier saw them from 2026-11-01 to 2026-11-20.',
  ),
  row(
    'pay_to_unchanged_for',
    20,
    paid(),
    'unknown',
    'The addresses that the endpoint asks to be paid at were the same each time that Dossier saw them from 2026-11-01 to 2026-11-20; this is a shorter time than was asked for.',
  ),
  row(
    'pay_to_unchanged_for',
    20,
    paid({ changed_from: changed }),
    'not_met',
    'The addresses that the endpoint asks to be paid at changed: Dossier has seen the present ones since 2026-11-01, and others last on 2026-10-31.',
  ),
  row(
    'pay_to_unchanged_for',
    20,
    paid({ changed_from: { ...changed, value: null, outcome: 'silent' } }),
    'unknown',
    'The addresses that the endpoint asks to be paid at were the same each time that Dossier saw them from 2026-11-01 to 2026-11-20; this is a shorter time than was asked for.',
  ),
  row(
    'tools_unchanged_for',
    1,
    atBoth(
      { kind: 'tools.surface', value: 'a' },
      { kind: 'tools.surface', subject: second.url, outcome: 'silent' },
    ),
    'unknown',
    'The tools that the endpoint lists are not known to Dossier: no usable answer came.',
  ),
  // A value in the form of an earlier version of the kind.
  row(
    'pay_to_unchanged_for',
    1,
    paid({ value: 'to 0x1 on Base' }),
    'unknown',
    'The addresses that the endpoint asks to be paid at are not known to Dossier.',
  ),
  row(
    'tools_unchanged_for',
    1,
    atBoth({ kind: 'tools.surface', value: 'a' }),
    'unknown',
    'The tools that the endpoint lists are not known to Dossier.',
  ),
  row(
    'pay_to_unchanged_for',
    19,
    atBoth({ value: paidTo('0x1') }, { subject: second.url, outcome: 'nothing' }),
    'met',
    'The addresses that the endpoint asks to be paid at were the same each time that Dossier saw them from 2026-11-01 to 2026-11-20.',
  ),
  row(
    'no_malware_report',
    undefined,
    ofPackages(
      ['a', 'b'],
      { kind: 'package.advisories', subject: 'npm:a', value: reports('GHSA-1') },
      { kind: 'package.advisories', subject: 'npm:b', value: reports() },
    ),
    'met',
    'OSV lists the recorded version of no package as malicious code.',
  ),
  row(
    'no_malware_report',
    undefined,
    ofPackages(
      ['a', 'b'],
      { kind: 'package.advisories', subject: 'npm:a', value: null, outcome: 'silent' },
      { kind: 'package.advisories', subject: 'npm:b', value: reports('GHSA-1', 'MAL-2026-1') },
    ),
    'not_met',
    'OSV lists the recorded version of a package as malicious code.',
  ),
  // A report stands, however old it is.
  row(
    'no_malware_report',
    undefined,
    ofPackages(['a'], {
      kind: 'package.advisories',
      subject: 'npm:a',
      value: reports('MAL-2026-1'),
      is_stale: true,
    }),
    'not_met',
    'OSV lists the recorded version of a package as malicious code.',
  ),
  row(
    'no_malware_report',
    undefined,
    ofPackages(['a'], {
      kind: 'package.advisories',
      subject: 'npm:a',
      value: { ...reports(), not_compared: ['MAL-2026-1'] },
    }),
    'unknown',
    'Dossier has not seen whether each recorded package is reported as malicious code.',
  ),
  row(
    'package_not_deprecated',
    undefined,
    ofPackages(
      ['a', 'b'],
      { kind: 'package.deprecated', subject: 'npm:a', value: { deprecated: false } },
      { kind: 'package.deprecated', subject: 'npm:b', value: { deprecated: false } },
    ),
    'met',
    'The registries of the recorded packages mark none of them as deprecated or yanked.',
  ),
  row(
    'package_not_deprecated',
    undefined,
    ofPackages(
      ['a', 'b'],
      { kind: 'package.deprecated', subject: 'npm:a', value: null, outcome: 'silent' },
      { kind: 'package.deprecated', subject: 'npm:b', value: { deprecated: true } },
    ),
    'not_met',
    'The registry of a recorded package marks it as deprecated or yanked.',
  ),
  row(
    'package_not_deprecated',
    undefined,
    ofPackages(
      ['a', 'b'],
      { kind: 'package.deprecated', subject: 'npm:a', value: { deprecated: false } },
      { kind: 'package.deprecated', subject: 'npm:b', value: null, outcome: 'silent' },
    ),
    'unknown',
    'Dossier has not seen whether each recorded package is deprecated: no usable answer came.',
  ),
  row(
    'package_not_deprecated',
    undefined,
    ofPackages(
      many,
      ...many.map((name) => ({
        kind: 'package.deprecated',
        subject: `npm:${name}`,
        value: { deprecated: false },
      })),
    ),
    'unknown',
    'Dossier has not seen whether each recorded package is deprecated.',
  ),
  row(
    'package_built_from_repository',
    undefined,
    ofPackages(['a'], { kind: 'package.provenance', subject: 'npm:a', value: { result: 'match' } }),
    'met',
    'The signed provenance of each recorded package names the recorded repository.',
  ),
  row(
    'package_built_from_repository',
    undefined,
    ofPackages(
      ['a', 'x'],
      { kind: 'package.provenance', subject: 'npm:a', value: { result: 'match' } },
      { kind: 'package.provenance', subject: 'npm:x', value: { result: 'other' } },
    ),
    'not_met',
    'The signed provenance of a recorded package names another repository.',
  ),
  row(
    'package_built_from_repository',
    undefined,
    ofPackages(['a'], { kind: 'package.provenance', subject: 'npm:a', value: { result: 'none' } }),
    'not_met',
    'The registry of a recorded package serves no provenance of it.',
  ),
  row(
    'package_built_from_repository',
    undefined,
    ofPackages(['a'], { kind: 'package.provenance', subject: 'npm:a', value: { result: 'not_comparable' } }),
    'unknown',
    'Dossier has not seen whether the provenance of each recorded package names the recorded repository.',
  ),
];

const three = rated({ ratings: 3, sources: 2, last_at: '2026-11-01T00:00:00.000Z' }, { ratings: 4 });
const onlyRelated = rated({}, { ratings: 4, sources: 3, last_at: '2026-11-01T00:00:00.000Z' });
const outcomes = (succeeded: number) => ({ ...counts.outcomes, succeeded });
const byRatings: readonly Row[] = [
  row(
    'native_ratings_at_least',
    3,
    three,
    'met',
    '2 independent sources, 3 ratings; 4 ratings set apart (4 related).',
  ),
  row(
    'native_ratings_at_least',
    4,
    three,
    'not_met',
    '2 independent sources, 3 ratings; 4 ratings set apart (4 related).',
  ),
  row(
    'native_ratings_at_least',
    1,
    onlyRelated,
    'not_met',
    'No independent source; 4 ratings set apart (4 related).',
  ),
  row('native_ratings_at_least', 1, {}, 'not_met', none),
  row(
    'independent_sources_at_least',
    2,
    three,
    'met',
    '2 independent sources, 3 ratings; 4 ratings set apart (4 related).',
  ),
  row(
    'independent_sources_at_least',
    3,
    three,
    'not_met',
    '2 independent sources, 3 ratings; 4 ratings set apart (4 related).',
  ),
  row(
    'independent_sources_at_least',
    1,
    rated({ ratings: 1, sources: 1 }),
    'met',
    '1 independent source, 1 rating.',
  ),
  row('rated_within_days', 20, three, 'met', 'The last independent rating is from 2026-11-01.'),
  row('rated_within_days', 19, three, 'not_met', 'The last independent rating is from 2026-11-01.'),
  row(
    'rated_within_days',
    3650,
    onlyRelated,
    'not_met',
    'No independent source; 4 ratings set apart (4 related).',
  ),
  row('rated_within_days', 3650, {}, 'not_met', none),
  row(
    'succeeded_percent_at_least',
    80,
    rated({ ratings: 9, sources: 5, source_outcomes: outcomes(4) }),
    'met',
    '4 of 5 independent sources said “succeeded” in their newest rating.',
  ),
  row(
    'succeeded_percent_at_least',
    81,
    rated({ ratings: 9, sources: 5, source_outcomes: outcomes(4) }),
    'not_met',
    '4 of 5 independent sources said “succeeded” in their newest rating.',
  ),
  row(
    'succeeded_percent_at_least',
    1,
    rated({ ratings: 243, sources: 4, source_outcomes: outcomes(4), outcomes: outcomes(243) }),
    'unknown',
    '4 independent sources; a share needs at least 5.',
  ),
  row(
    'succeeded_percent_at_least',
    1,
    rated({ ratings: 1, sources: 1 }, { ratings: 9, sources: 9, source_outcomes: outcomes(9) }),
    'unknown',
    '1 independent source; a share needs at least 5.',
  ),
  row('succeeded_percent_at_least', 1, {}, 'unknown', '0 independent sources; a share needs at least 5.'),
];

const asked = (criterion: string, value: string | number | undefined) => ({
  criterion,
  ...(value !== undefined && { value }),
});

describe('a criterion', () => {
  it.each(imported)(
    '%s %s is answered by the record, as of the import',
    (criterion, value, change, result, fact, more) => {
      expect(judge(criterion, value, change)).toEqual({
        evidence: 'imported',
        ...asked(criterion, value),
        result,
        fact,
        ...(more !== undefined && { recorded: [more].flat() }),
        source: 'registry.test (MCP)',
        as_of: '2026-11-01',
      });
    },
  );

  it.each(signals)(
    '%s %s is answered by a signal, with its source and date',
    (criterion, value, change, result, fact) => {
      expect(judge(criterion, value, change)).toEqual({
        evidence: 'imported',
        ...asked(criterion, value),
        result,
        fact,
        source: 'another.source',
        as_of: '2026-09-09',
      });
    },
  );

  it.each(byClaim)(
    '%s %s is answered by the claim, as of the last look',
    (criterion, value, change, result, fact, more) => {
      expect(judge(criterion, value, change)).toEqual({
        evidence: 'native',
        ...asked(criterion, value),
        result,
        fact,
        source: 'claims made on Dossier',
        as_of: more,
      });
    },
  );

  it.each(byRatings)(
    '%s %s is answered by native ratings, as of the snapshot',
    (criterion, value, change, result, fact) => {
      expect(judge(criterion, value, change)).toEqual({
        evidence: 'native',
        ...asked(criterion, value),
        result,
        fact,
        source: 'ratings made on Dossier by claimed listings',
        as_of: '2026-11-05',
      });
    },
  );

  it.each(observedRows)(
    '%s %s is answered by what Dossier saw, as of its last look',
    (criterion, value, change, result, fact, words) => {
      const { subject: _, as_of, ...found } = judge(criterion, value, change);
      expect(found).toEqual({
        evidence: 'observed',
        ...asked(criterion, value),
        result,
        fact,
        ...(words && { [/price|payment/.test(criterion) ? 'quoted' : 'recorded']: words }),
        source: as_of === '2026-11-05' ? '' : 'Dossier',
      });
      // What was not checked at all is not known as of the day of the answer.
      expect(result === 'unknown' ? ['2026-11-20', '2026-11-05'] : ['2026-11-20']).toContain(as_of);
    },
  );

  it('is not met by a record without secrets if an endpoint asked for credentials', () => {
    const asks = seen({ kind: 'auth.required', value: true });
    expect(judge('needs_no_secret', undefined, { ...asks, remotes: [remote] })).toMatchObject({
      evidence: 'observed',
      result: 'not_met',
      fact: 'An endpoint asked Dossier for credentials, although the record requires none.',
      source: 'Dossier',
      as_of: '2026-11-20',
    });
  });

  it('names the endpoint or package that decided', () => {
    expect(judge('price_at_most', '0.01 USDC', atBoth(cheap, dear))).toMatchObject({
      subject: 'https://mcp.example/pro',
    });
    const packages = ofPackages(
      ['a', 'x'],
      { kind: 'package.provenance', subject: 'npm:a', value: { result: 'match' } },
      { kind: 'package.provenance', subject: 'npm:x', value: { result: 'other' } },
    );
    expect(judge('package_built_from_repository', undefined, packages)).toMatchObject({ subject: 'npm:x' });
  });

  it('does not apply where the record names nothing to ask it of, which is no no', () => {
    const ofEndpoints = [
      ['endpoint_observed_alive', undefined],
      ['price_known', undefined],
      ['no_payment_seen', undefined],
      ['price_at_most', '1 USDC'],
      ['pay_to_unchanged_for', 1],
      ['tools_unchanged_for', 1],
    ] as const;
    for (const [criterion, value] of ofEndpoints)
      expect(judge(criterion, value, { packages: [npm] })).toEqual({
        evidence: 'observed',
        ...asked(criterion, value),
        result: 'not_applicable',
        fact: 'No remote endpoint is recorded.',
        source: 'registry.test (MCP)',
        as_of: '2026-11-01',
      });
    for (const criterion of ['package_not_deprecated', 'package_built_from_repository'] as const)
      expect(judge(criterion, undefined, { remotes: [remote] })).toMatchObject({
        result: 'not_applicable',
        fact: 'No package is recorded.',
        source: 'registry.test (MCP)',
        as_of: '2026-11-01',
      });
  });

  it('of endpoints is unknown before the first look: that has no source, and is so as of the day of the answer', () => {
    expect(judge('endpoint_observed_alive', undefined, { remotes: [remote] })).toEqual({
      evidence: 'observed',
      criterion: 'endpoint_observed_alive',
      result: 'unknown',
      fact: 'Dossier has not seen whether the endpoint answers: not checked.',
      source: '',
      as_of: '2026-11-05',
    });
  });

  it('of prices and changes is unknown before the first look, as of the day of the answer', () => {
    for (const [criterion, value] of [
      ['price_known', undefined],
      ['no_payment_seen', undefined],
      ['price_at_most', '1 USDC'],
      ['pay_to_unchanged_for', 1],
      ['tools_unchanged_for', 1],
    ] as const)
      expect(judge(criterion, value, { remotes: [remote], packages: [npm] })).toMatchObject({
        result: 'unknown',
        as_of: '2026-11-05',
      });
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
  });

  it('is of a closed vocabulary, all of which is in these tables', () => {
    const tried = [...imported, ...signals, ...observedRows, ...byClaim, ...byRatings].map(
      ([criterion]) => criterion,
    );
    expect([...new Set(tried)].sort()).toEqual([...criterionNames].sort());
    expect(criterionNames).toEqual([
      'active',
      'has_endpoint',
      'has_repository',
      'needs_no_secret',
      'transport',
      'package',
      'tag',
      'listed_for_days',
      'updated_within_days',
      'namespace_matches_repository_owner',
      'endpoint_at_domain',
      'nothing_shared',
      'record_unmoved_for',
      'publisher_listings_at_most',
      'endpoint_observed_alive',
      'price_known',
      'price_at_most',
      'no_payment_seen',
      'pay_to_unchanged_for',
      'tools_unchanged_for',
      'no_malware_report',
      'package_not_deprecated',
      'package_built_from_repository',
      'claimed',
      'claim_checked_within_days',
      'native_ratings_at_least',
      'independent_sources_at_least',
      'rated_within_days',
      'succeeded_percent_at_least',
    ]);
  });

  it('is never answered from ratings where it is imported or checked, nor from the record where it is native', () => {
    const withAll = { ...claimed, remotes: [remote], endpoint: remote.url, ...three };
    for (const criterion of criterionNames) {
      const value =
        { transport: 'sse', package: 'npm', tag: 'x', price_at_most: '1 USDC' }[criterion as string] ?? 3;
      const { evidence, result, fact } = judge(criterion, value, withAll);
      const without: Change =
        evidence === 'native'
          ? { ...base, ...claimed, ...three }
          : { ...withAll, state: 'imported', claim: undefined, signals: base.signals };
      expect(judge(criterion, value, without)).toMatchObject({ result, fact });
    }
  });
});
