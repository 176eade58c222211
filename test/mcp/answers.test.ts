import { describe, expect, it } from 'vitest';
import type { StoredObservation } from '../../src/observations/known/observation.ts';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { callTool } from '../support/directory.ts';
import { packageAt, registryEntry } from '../support/entries.ts';
import { said, toTimelines } from '../support/facts.ts';
import { connect } from '../support/mcp-clients.ts';
import { pricesAt } from '../support/offers.ts';
import { opened } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';

const day_ms = 86_400_000;
const start_ms = Date.now();
/** A day before the start of the test, and its time. */
const dayAgo = (days: number) => new Date(start_ms - days * day_ms).toISOString().slice(0, 10);
const timeAgo = (days: number) => `${dayAgo(days)}T08:00:00.000Z`;
const today = dayAgo(0);
const before = dayAgo(20);
const yesterday = dayAgo(1);
const long = dayAgo(200);

const url = 'https://x.example/mcp';
const other = 'https://y.example/mcp';
const at = (...urls: string[]) => ({ remotes: urls.map((one) => ({ type: 'streamable-http', url: one })) });
const termsPlaces =
  'https://x.example/.well-known/ard.json https://x.example/.well-known/ai-catalog.json https://x.example/openapi.json';
const npm = packageAt('npm', 'x-mcp');
const header = { name: 'X-Key', isRequired: true, isSecret: true };
const withSecret = { remotes: [{ type: 'streamable-http', url, headers: [header] }] };

type Seen = Omit<Partial<StoredObservation>, 'missed' | 'changed_from' | 'same'> &
  Pick<StoredObservation, 'kind' | 'value'> & {
    reason?: string;
    changed_from?: Partial<NonNullable<StoredObservation['changed_from']>> | undefined;
    missed?: { since: string; unanswered?: string; reason: string } | undefined;
  };
const saw = ({ reason, missed, changed_from, ...one }: Seen): StoredObservation => ({
  outcome: 'seen',
  subject: url,
  source: 'Dossier',
  vantage: 'lab-one',
  method_version: '1',
  checks: 1,
  observed_at: timeAgo(0),
  first_seen_at: timeAgo(0),
  same: { since: one.first_seen_at ?? timeAgo(0) },
  ...one,
  ...(changed_from && {
    changed_from: {
      seen_from: one.first_seen_at ?? timeAgo(0),
      ...changed_from,
    } as StoredObservation['changed_from'] & object,
  }),
  ...(reason && { why: said(reason) }),
  ...(missed && { missed: { ...missed, why: said(missed.reason) } }),
});
const answers = saw({ kind: 'endpoint.answers', value: 200, first_seen_at: timeAgo(20) });
/** What a check did not see. */
const unseen = (kind: string, outcome: 'absent' | 'silent' | 'refused', reason: string, more = {}) =>
  saw({ kind, value: null, outcome, reason, ...more });
const silent = (more: object = {}) => unseen('endpoint.answers', 'silent', 'No connection.', more);
const required = (value: boolean) => saw({ kind: 'auth.required', value });
const until = { seen_until: timeAgo(21), seen_from: timeAgo(20) };
const stale = { observed_at: timeAgo(200), first_seen_at: timeAgo(200) };
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const quote = (amount: string, scheme = 'exact', address = '0xbb') => {
  const pays = [{ address }];
  return pricesAt('quote', { amount, scheme, network: 'eip155:8453', asset: usdc.toLowerCase(), pays });
};
const priced = (value: ReturnType<typeof quote>, was = quote('10000')) => {
  const changed_from = { value: was, outcome: 'seen' as const, ...until };
  return saw({ kind: 'price.offers', value, first_seen_at: timeAgo(20), changed_from });
};
const payee = priced(quote('10000', 'exact', '0xcc'));
/** Tools that are others than before, and how they differ where that is known. */
const changedTools = (more: object = {}) =>
  saw({
    kind: 'tools.surface',
    value: 'ab'.repeat(32),
    first_seen_at: timeAgo(20),
    details: { tools: [{ name: 'read' }, { name: 'run', hints: ['destructive'] }] },
    changed_from: { value: 'cd'.repeat(32), outcome: 'seen', ...until, ...more },
  });
/** A tally of so many checks of 30 and 90 days. */
function tallyOf(answered: number, made: number) {
  const counted = { answered, made, others: { server_error: made - answered } };
  return { days_30: counted, days_90: counted, first_check: long };
}
const packageFact = (kind: string, one: Partial<Seen> = {}) =>
  saw({
    kind,
    value: true,
    subject: 'npm:x-mcp',
    source: 'registry.npmjs.org',
    recorded: 'npm:x-mcp@1.0.0',
    ...one,
  });
/** What a fact about a package says of its version. */
const details = { version: '1.0.0' };
const noPackage = { value: null, outcome: 'absent', reason: 'npm has no package x-mcp.' } as const;
const variable = (name: string, more: object = {}) => ({
  ...npm.packages[0],
  ...more,
  environmentVariables: [{ ...header, name }],
});
const remote = (address: string, ...headers: object[]) => ({
  remotes: [{ type: 'streamable-http', url: address, headers }],
});
const repository = 'https://github.com/example/x';
const checked = `(Dossier, ${today})`;
const between = `(between ${dayAgo(21)} and ${before})`;

interface Row {
  readonly record?: Record<string, unknown>;
  readonly official?: Record<string, unknown>;
  readonly seen?: readonly StoredObservation[];
  /** What every adapter says, and what none says. */
  readonly expected: string | readonly string[];
  readonly absent?: string | readonly string[];
  /** What only the short answer says, and what only the page and the Markdown say. */
  readonly short?: string;
  readonly full?: string | readonly string[];
  /** What a search says of it. */
  readonly hit?: string;
}

const rows: Readonly<Record<string, Row>> = {
  'deprecated in the registry, in its publisher’s words': {
    official: { status: 'deprecated', statusMessage: 'Use com.example/next' },
    expected: 'Deprecated in the registry (record); its publisher says “Use com.example/next”.',
  },
  'several packages that are not there once in a list, and one that its registry marks as yanked': {
    record: {
      packages: ['a', 'b', 'c'].map((identifier) => ({
        ...npm.packages[0],
        registryType: 'pypi',
        identifier,
      })),
    },
    seen: [
      packageFact('package.deprecated', {
        value: { deprecated: true, message: 'broken' },
        subject: 'pypi:a',
        recorded: 'pypi:a@1.0.0',
      }),
      ...['b', 'c'].map((name) =>
        packageFact('package.exists', {
          ...noPackage,
          subject: `pypi:${name}`,
          recorded: `pypi:${name}@1.0.0`,
        }),
      ),
    ],
    expected: `PyPI marks the recorded version of pypi:a as yanked ${checked}: “broken”.`,
    hit: `2 packages not there ${today}`,
  },
  'a package that its registry marks as deprecated': {
    record: npm,
    seen: [
      packageFact('package.deprecated', { value: { deprecated: true, message: 'use another' }, details }),
    ],
    expected: `npm marks version 1.0.0 of npm:x-mcp as deprecated ${checked}: “use another”.`,
  },
  'an endpoint that does not answer: since when, how often, from where': {
    record: at(url),
    seen: [
      silent({
        first_seen_at: timeAgo(1),
        changed_from: { value: 200, outcome: 'seen', seen_until: timeAgo(20) },
      }),
      saw({ kind: 'endpoint.availability', value: tallyOf(7, 9) }),
      unseen('price.offers', 'silent', 'No connection.'),
    ],
    expected: [
      `No usable answer from the endpoint at any check from ${yesterday} to ${today}; it last answered on ${before}; 7 of 9 checks in 30 days were answered. Dossier asks from lab-one.`,
      `Where: ${url} over streamable-http: no connection, answered in 7 of 9 checks in 30 days (server error 2 times) ${checked}.`,
    ],
    absent: ['not checked', 'has not checked whether the endpoint answers'],
  },
  'an endpoint that missed its last check': {
    record: at(url),
    seen: [
      saw({
        kind: 'endpoint.answers',
        value: 200,
        observed_at: timeAgo(1),
        first_seen_at: timeAgo(20),
        missed: { since: timeAgo(0), unanswered: timeAgo(0), reason: 'Time-out.' },
      }),
    ],
    expected: [
      `No check since ${today} saw the endpoint answer (the last check: time-out); it last answered on ${yesterday}. Dossier asks from lab-one.`,
      `${url} over streamable-http answered since ${before}, not seen by checks since ${today} (Dossier, ${yesterday})`,
    ],
  },
  'nothing of silence if only Dossier’s own network failed': {
    record: at(url),
    seen: [
      saw({
        kind: 'endpoint.answers',
        value: 200,
        observed_at: timeAgo(1),
        first_seen_at: timeAgo(20),
        missed: { since: timeAgo(0), reason: 'No request was sent.' },
      }),
    ],
    expected: `${url} over streamable-http answered since ${before}, not seen by checks since ${today}`,
    absent: ['Stands out', 'similar_to'],
  },
  'nothing of silence of a refusal that was not checked since': {
    record: at(url),
    seen: [unseen('endpoint.answers', 'refused', 'Its robots.txt refuses.', stale)],
    expected: 'ts robots.txt refuses',
    absent: 'No usable answer from',
  },
  'that nothing was at an endpoint, which was not checked since': {
    record: at(url),
    seen: [unseen('endpoint.answers', 'absent', 'HTTP status 404.', stale)],
    expected: [
      `Nothing was at the endpoint on ${long}. Dossier asks from lab-one.`,
      `No observation is newer than ${long}.`,
      `Where: ${url} over streamable-http: HTTP status 404 (Dossier, ${long}).`,
    ],
    absent: 'No usable answer from',
  },
  'of an endpoint that only refused before no day on which it answered': {
    record: at(url),
    seen: [
      silent({
        first_seen_at: timeAgo(1),
        changed_from: { value: null, outcome: 'refused', seen_until: timeAgo(20) },
      }),
    ],
    expected: `No usable answer from the endpoint at any check from ${yesterday} to ${today}. Dossier asks from lab-one.`,
    absent: 'last answered',
  },
  'a package that is not there, and of it nothing more': {
    record: npm,
    seen: ['exists', 'maintainers', 'deprecated', 'version_age'].map((kind) =>
      packageFact(`package.${kind}`, noPackage),
    ),
    expected: [
      `Stands out: npm has no package x-mcp ${checked}.`,
      `A package for your machine: npm x-mcp@1.0.0 over stdio, which is not there ${checked}.`,
    ],
    short: 'Not checked: price, tools, malware reports and advisories',
    absent: ['Not there:', 'maintainers', 'deprecated', 'advisories about', 'provenance', 'published on'],
  },
  'of an endpoint that is not there, that neither tools nor costs were seen': {
    record: at(url),
    seen: ['endpoint.answers', 'tools.surface', 'price.offers'].map((kind) =>
      unseen(kind, 'absent', 'The endpoint answered with HTTP status 404.'),
    ),
    expected: [
      `Nothing was at the endpoint on ${today}.`,
      `Where: ${url} over streamable-http: the endpoint answered with HTTP status 404 ${checked}.`,
      `Tools: None seen: the endpoint answered with HTTP status 404 ${checked}.`,
      `Costs: No price could be seen ${checked}.`,
    ],
  },
  'a repository that is gone': {
    record: onGitHub('example/x'),
    seen: [
      unseen('repository.exists', 'absent', 'github.com shows no public repository at example/x.', {
        subject: repository,
      }),
    ],
    expected: [
      `github.com shows no public repository at example/x ${checked}.`,
      `Repository ${repository} is gone or not public ${checked}.`,
    ],
    absent: ['Not there:', 'repository contents', 'last commit'],
  },
  'that an endpoint asks for credentials first, and once': {
    record: withSecret,
    seen: [
      saw({ kind: 'endpoint.answers', value: 401 }),
      required(true),
      ...['tools.surface', 'price.offers', 'security.contact', 'terms.url'].map((kind) =>
        saw({
          kind,
          value: null,
          outcome: 'asks',
          asks_for: 'credentials',
          reason: 'The endpoint asks for credentials before it shows anything; Dossier sends none.',
        }),
      ),
    ],
    expected: [
      `Tools: None seen: it asks for credentials first ${checked}.`,
      `Costs: No price could be seen ${checked}.`,
    ],
    absent: ['Not there:', 'Could not be seen:', 'before it shows anything'],
  },
  'what could not be seen, and why, apart from what is not there': {
    record: npm,
    seen: [
      packageFact('package.exists', { value: details }),
      packageFact('package.maintainers', { ...noPackage, reason: 'None.' }),
      packageFact('package.advisories', { value: null, outcome: 'silent', reason: 'Time-out.' }),
    ],
    expected: [
      `Not there: maintainers of the package ${checked}`,
      `Could not be seen: malware reports and advisories: no usable answer came ${checked}`,
    ],
  },
  'a price and a payee that changed: now, since when, and before': {
    record: at(url),
    seen: [answers, priced(quote('50000', 'exact', '0xcc'))],
    expected: [
      `In the quoted price: payee changed from 0xbb to 0xcc on Base. Price raised from 0.01 USDC to 0.05 USDC on Base ${between}.`,
      `Costs: Quotes for one request before it answers: 0.05 USDC (50000 of ${usdc.toLowerCase()}) on Base (eip155:8453), paid to 0xcc, no offer but this since ${before} ${checked}.`,
    ],
  },
  'a price that is the most a call costs, and was exact before': {
    record: at(url),
    seen: [answers, priced(quote('50000', 'upto'), quote('50000'))],
    expected: [
      `Price changed from 0.05 USDC on Base to at most 0.05 USDC (scheme upto) on Base ${between}.`,
      'Costs: Quotes for an amount of use that is not known before it answers: at most 0.05 USDC ',
      `no price but this since ${before} and no payee but this since ${dayAgo(21)} ${checked}.`,
    ],
    absent: 'scheme exact',
  },
  'of a charge of MPP that it is for one request': {
    record: at(url),
    seen: [answers, priced(quote('50000', 'charge'))],
    expected: 'Costs: Quotes for one request before it answers: 0.05 USDC ',
  },
  'tools that changed, by name': {
    record: at(url),
    seen: [
      answers,
      changedTools({
        tools: [
          { tool: 'read', change: 'changed', class: 'words' },
          { tool: 'run', change: 'added', class: 'added' },
        ],
        counts: { words: 1, added: 1 },
      }),
    ],
    expected: [
      `Its tools changed between ${dayAgo(21)} and ${before}: changed words in read; added run.`,
      `Tools: Since ${before}: read, run (says destructive) ${checked}.`,
    ],
  },
  'that no tool has a hint, and nothing of it if one has': {
    record: at(url, other),
    seen: [
      answers,
      saw({ kind: 'tools.hints', value: { read_only: 0, destructive: 0, without_hint: 3 } }),
      saw({ kind: 'tools.hints', value: { read_only: 0, destructive: 1, without_hint: 2 }, subject: other }),
    ],
    expected: `No tool says read-only or destructive at ${url} ${checked}.`,
    absent: `destructive at ${other}`,
  },
  'tools that changed where the names are not known, without the number of another change': {
    record: at(url),
    seen: [
      answers,
      changedTools(),
      saw({
        kind: 'tools.count',
        value: 2,
        first_seen_at: timeAgo(80),
        changed_from: { value: 1, outcome: 'seen', seen_until: timeAgo(81), seen_from: timeAgo(80) },
      }),
    ],
    expected: `Its tools changed between ${dayAgo(21)} and ${before}.`,
    absent: '1 before',
  },
  'a contact that was found, and at which of two hosts not': {
    record: at(url, other),
    seen: [
      saw({
        kind: 'security.contact',
        subject: 'https://x.example',
        value: { contacts: ['mailto:a@x.example'] },
      }),
      unseen('security.contact', 'absent', 'None.', { subject: 'https://y.example' }),
    ],
    expected: [
      `Security contact mailto:a@x.example ${checked}`,
      `Not there: security contact at https://y.example ${checked}`,
    ],
  },
  'nothing of a change of more than 90 days ago': {
    record: at(url),
    seen: [
      answers,
      saw({
        ...payee,
        first_seen_at: timeAgo(200),
        changed_from: { value: ['0xaa'], outcome: 'seen', seen_until: timeAgo(201) },
        missed: undefined,
      }),
    ],
    expected: [],
    absent: ['Paid to', 'instead of', 'Stands out'],
  },
  'a record that asks for a secret, and an endpoint that does not': {
    record: withSecret,
    seen: [answers, required(false)],
    expected: [
      `The record asks for a secret (X-Key); the endpoint introduced itself to Dossier without a secret ${checked}.`,
      `Asks: Needs a secret header X-Key for x.example (record). Introduced itself without asking for credentials ${checked}.`,
    ],
  },
  'that the record asks for secrets': {
    record: { ...withSecret, packages: [variable('X_TOKEN')] },
    expected: 'The record asks for 1 secret, not the same for each use.',
    short:
      'Asks: Endpoint needs a secret header X-Key for x.example; package needs a secret environment variable X_TOKEN (record).',
  },
  'what its publisher says of a secret, and the hosting domain that it is sent to': {
    record: remote('https://x.onrender.com/mcp', { ...header, description: 'Refresh token of your account' }),
    expected: [
      'its endpoint is on another domain: onrender.com, where others can have hosts too',
      'Asks: Needs a secret header X-Key (“Refresh token of your account”) for x.onrender.com (record).',
    ],
  },
  'which of two packages asks for what': {
    record: { packages: [variable('X_TOKEN'), variable('Y_TOKEN', { identifier: 'y-mcp' })] },
    expected:
      'Asks: At x-mcp: needs a secret environment variable X_TOKEN; at y-mcp: needs a secret environment variable Y_TOKEN (record).',
  },
  'that only a package asks for a secret': {
    record: { ...at(url), packages: [variable('X_TOKEN')] },
    seen: [required(true)],
    expected: [
      `The record names no credentials for the endpoint, which asked Dossier for some ${checked}.`,
      'The record asks for 1 secret if the service is run from a package.',
    ],
    short:
      'Asks: Package needs a secret environment variable X_TOKEN; no credentials recorded at https://x.example/mcp (record).',
  },
  'an endpoint that asks for credentials, and a record that does not': {
    record: at(url, other),
    seen: [required(true)],
    expected: [
      `The record names no credentials for ${url}, which asked Dossier for some ${checked}.`,
      `Asks: Asked Dossier for credentials first at ${url} ${checked}.`,
    ],
  },
  'that an endpoint asked for a payment, which lets nobody in': {
    record: withSecret,
    seen: [saw({ kind: 'endpoint.answers', value: 402 }), required(false)],
    expected: `Asks: Needs a secret header X-Key for x.example (record). Asked for a payment, not for credentials ${checked}.`,
    absent: ['introduced itself to Dossier', 'Introduced itself to Dossier'],
  },
  'where people sign in, and where nothing names it': {
    record: at(url, other),
    seen: [
      saw({ kind: 'auth.oauth', value: { issuers: ['https://login.example'], scopes: [], resource: null } }),
      saw({ kind: 'auth.oauth', subject: other, value: { issuers: [], scopes: [], resource: null } }),
    ],
    expected: `OAuth sign-in through https://login.example at ${url}; OAuth sign-in without an authorization server in its metadata at ${other} ${checked}.`,
  },
  'only of the version that was looked up that it is published': {
    record: { packages: ['1.0.0', '2.0.0'].map((version) => ({ ...npm.packages[0], version })) },
    seen: [packageFact('package.exists', { value: details })],
    expected: `A package for your machine: npm x-mcp@1.0.0 over stdio, which is published ${checked}. A package for your machine: npm x-mcp@2.0.0 over stdio, not checked.`,
  },
  'which version was looked up for a range, whatever the case of the registry’s name': {
    record: { packages: [{ ...npm.packages[0], registryType: 'NPM', version: '^1.0.0' }] },
    seen: [packageFact('package.exists', { recorded: 'npm:x-mcp@^1.0.0', value: { version: '2.1.0' } })],
    expected: `A package for your machine: NPM “x-mcp@^1.0.0” over stdio, of which 2.1.0 is published ${checked}.`,
  },
  'counts of checks of a later day with their day': {
    record: at(url),
    seen: [
      saw({
        kind: 'endpoint.answers',
        value: 200,
        observed_at: timeAgo(20),
        first_seen_at: timeAgo(20),
        missed: { since: timeAgo(0), unanswered: timeAgo(0), reason: 'Time-out.' },
      }),
      saw({ kind: 'endpoint.availability', value: tallyOf(1, 2) }),
    ],
    expected: `${url} over streamable-http answered, 1 of 2 checks in 30 days until ${today} (server error 1 time), not seen by checks since ${today} (Dossier, ${before})`,
    hit: `last answered ${before}`,
  },
  'when a change was last seen, if it was not seen again': {
    record: at(url),
    seen: [saw({ ...payee, observed_at: timeAgo(10), missed: { since: timeAgo(0), reason: 'Time-out.' } })],
    expected: `${between}; last seen on ${dayAgo(10)}.`,
  },
  'of more than three endpoints first those that do not answer': {
    record: at(...['a', 'b', 'c', 'd'].map((name) => `https://${name}.example/mcp`)),
    seen: [
      ...['a', 'b', 'c'].map((name) => ({ ...answers, subject: `https://${name}.example/mcp` })),
      silent({ subject: 'https://d.example/mcp' }),
    ],
    expected: `Where: https://d.example/mcp over streamable-http: no connection; https://a.example/mcp over streamable-http answered`,
    short: '1 more endpoint recorded (record).',
    absent: '1 more endpoint recorded (Dossier',
    hit: `answered ${today}`,
  },
  'that the record names secrets which a caller need not send': {
    record: remote(url, { ...header, isRequired: false }),
    expected: 'The record names 1 optional secret.',
    absent: 'The record asks for',
    hit: 'takes secret `X-Key`',
  },
  'that all endpoints are on the domain of the namespace': {
    record: at('https://a.example.com/mcp', 'https://b.example.com/mcp'),
    expected: 'all its endpoints are on',
    hit: 'domain example.com, all its endpoints on it',
  },
  'which secrets a caller must send, and which it need not': {
    record: remote(url, { ...header, name: 'X-Optional', isRequired: false }, header),
    expected: 'The record asks for 1 secret, and names 1 optional secret.',
    hit: 'asks for secret `X-Key`, and takes secret `X-Optional`',
  },
  'the optional secrets beside those that a check contradicts': {
    record: remote(url, { ...header, name: 'X-Optional', isRequired: false }, header),
    seen: [answers, required(false)],
    expected: ['The record asks for a secret (X-Key); the endpoint', 'The record names 1 optional secret.'],
  },
  // It may need the same.
  'nothing of the secrets of a package of which the record names no input': {
    record: { packages: [variable('X_TOKEN'), { ...variable('X_TOKEN'), environmentVariables: [] }] },
    expected: 'The record asks for 1 secret.',
    hit: 'asks for secret `X_TOKEN`',
  },
  'of two endpoints what is so of each': {
    record: at(url, other),
    seen: [
      unseen('endpoint.answers', 'absent', 'HTTP status 404.'),
      { ...answers, subject: other },
      saw({ kind: 'auth.required', subject: other, value: true }),
    ],
    expected: `${url} over streamable-http: HTTP status 404`,
    hit: `nothing there ${today}; 1 other endpoint answered ${today}`,
  },
  'what its publisher says of an entry that is active': {
    official: { status: 'active', statusMessage: 'Do not use: moved' },
    expected: 'Its publisher says in the registry (record): “Do not use: moved”.',
  },
  'the word with which its text ends an entry that is active': {
    record: { description: 'Docs for AI. DEPRECATED: Use com.example/next instead.' },
    expected: 'Its publisher’s text says “DEPRECATED”; the registry lists it as active (record).',
  },
  'nothing where a text is about what is deprecated': {
    record: { description: 'Deprecated packages, found; moved files, too' },
    expected: 'Kept up',
    absent: ['publisher’s text says'],
  },
  'a package that was built from another repository': {
    record: { ...npm, ...onGitHub('example/x') },
    seen: [
      packageFact('package.provenance', {
        value: { result: 'other', repository: 'https://github.com/else/y' },
        recorded: `npm:x-mcp@1.0.0 ${repository}`,
      }),
    ],
    expected: `The signed provenance of npm:x-mcp names https://github.com/else/y, not the recorded repository ${checked}.`,
  },
  'advisories about the package': {
    record: npm,
    seen: [
      packageFact('package.advisories', {
        value: { count: 2, ids: ['GHSA-1', 'GHSA-2'], not_compared: [] },
        details,
      }),
    ],
    expected: `2 advisories about version 1.0.0 of npm:x-mcp: GHSA-1, GHSA-2 ${checked}.`,
  },
  'an entry that is new': {
    official: { publishedAt: timeAgo(5), updatedAt: timeAgo(5) },
    expected: `First published ${dayAgo(5)}.`,
  },
  'nothing of the age of an older entry': {
    official: { publishedAt: timeAgo(40), updatedAt: timeAgo(40) },
    expected: `Kept up: Version 1.0.0 published ${dayAgo(40)}`,
    absent: ['Stands out', 'updated', '1 version'],
  },
  'four facts first, and where the others are said': {
    record: { ...withSecret, ...npm },
    official: { status: 'deprecated', publishedAt: timeAgo(5), updatedAt: timeAgo(5) },
    seen: [answers, payee, required(false), packageFact('package.exists', noPackage)],
    expected: 'Deprecated in the registry (record).',
    short: 'And 1 more: detail full.',
    full: `First published ${dayAgo(5)}.`,
    absent: 'The record asks for 1 secret.',
  },
  'what is known, with source and date': {
    record: { ...at(url), ...onGitHub('example/x') },
    seen: [
      answers,
      saw({ kind: 'repository.exists', subject: repository, value: { state: 'there' } }),
      saw({ kind: 'repository.last_commit', subject: repository, value: timeAgo(3) }),
    ],
    full: `Repository ${repository} is public ${checked}. Not claimed.`,
    expected: [
      `Where: ${url} over streamable-http answered since ${before} ${checked}.`,
      `Last commit ${dayAgo(3)} ${checked}.`,
    ],
    absent: 'Stands out',
  },
  'that terms could not be seen, which is not that none are stated': {
    record: at(url),
    seen: [answers, unseen('terms.url', 'silent', 'The files could not be read.', { subject: termsPlaces })],
    expected: 'Could not be seen: terms: no usable answer came',
    absent: ['licence, support, terms', 'operator, terms'],
  },
  'that no price was seen, and that nobody states terms where Dossier looked': {
    record: at(url),
    seen: [
      answers,
      saw({ kind: 'price.offers', value: null, outcome: 'nothing' }),
      unseen('security.contact', 'absent', 'None.', { subject: 'https://x.example' }),
      unseen('terms.url', 'absent', 'No link.', { subject: termsPlaces }),
    ],
    expected: `Costs: No price seen; calls may cost ${checked}.`,
  },
  'that nobody was asked about an image: OSV has none': {
    record: {
      packages: [
        { ...npm.packages[0], registryType: 'oci', identifier: 'ghcr.io/x/x:1.0.0', version: undefined },
      ],
    },
    expected: 'malware reports and advisories',
    short: 'Not checked: price, tools, malware reports and advisories',
  },
  'nor about a file, also one that is not there': {
    record: {
      packages: [{ ...npm.packages[0], registryType: 'mcpb', identifier: 'https://x.example/x.mcpb' }],
    },
    seen: [
      unseen('package.exists', 'absent', 'HTTP status 404.', { subject: 'mcpb:https://x.example/x.mcpb' }),
    ],
    expected: 'malware reports and advisories',
    short: 'Not checked: price, tools, malware reports and advisories',
  },
  'what is not stated, and what was not checked': {
    record: { ...at(url), ...onGitHub('example/x') },
    expected: [
      'Rated: No ratings here; that matters for a purchase.',
      'Asks: No credentials recorded',
      'Not stated: operator, terms, data handling, region, support',
    ],
    short: 'Not checked: price, tools, last commit',
    full: 'last commit, licence',
    absent: 'Stands out',
  },
  'of a licence that the package does not state, that the recorded repository may have one': {
    record: { ...npm, ...onGitHub('example/x') },
    seen: [
      answers,
      saw({
        kind: 'package.licence',
        subject: 'npm:x-mcp',
        value: null,
        outcome: 'nothing',
        reason: 'None.',
      }),
    ],
    expected: ['Not there: licence of the package', ', licence'],
    absent: 'region, licence',
  },
  'first and once that a listing was not checked lately, and no count of checks of then': {
    record: at(url),
    seen: [
      saw({ kind: 'endpoint.answers', value: 200, ...stale }),
      saw({ kind: 'endpoint.availability', value: tallyOf(1, 1), observed_at: timeAgo(200) }),
      saw({ kind: 'price.offers', value: null, outcome: 'nothing', reason: 'None.', ...stale }),
      saw({ kind: 'tools.surface', value: 'ab', details: { tools: [{ name: 'read' }] }, ...stale }),
    ],
    expected: [
      `Stands out: No observation is newer than ${long}.`,
      `Where: ${url} over streamable-http answered (Dossier, ${long}).`,
      `Tools: read (Dossier, ${long}).`,
      `Costs: No price seen; calls may cost (Dossier, ${long}).`,
    ],
    absent: ['1 of 1', 'not checked since'],
  },
};

const toList = (said: string | readonly string[] = []) => (typeof said === 'string' ? [said] : said);
const all = Object.entries(rows);
const handleOf = (says: string) => `com.example/x${all.findIndex(([name]) => name === says)}`;
const entries = all.map(([says, { record, official }]) =>
  registryEntry(handleOf(says), { ...record, version: '1.0.0' }, official),
);
// A source that sends older versions knows which was the first.
const older = registryEntry('com.older/x', { version: '0.9.0' }, { isLatest: false });
const directory = await opened(
  openClaimedDirectory({ entries: [...entries, older, registryEntry('com.older/x')] }),
);
const client = await opened(connect('v2', { app: directory.app }));
await directory.store.write(async (tx) => {
  for (const [says, { seen }] of all) {
    const checks = { handle: handleOf(says), observed_at: timeAgo(0) };
    if (seen) await tx.observations.put({ ...checks, timelines: toTimelines(seen) });
  }
});

const unmarked = (text: string) =>
  text
    .replaceAll(/[\\`]/g, '')
    .replaceAll(/\s+/g, ' ')
    // A page says how long ago a date is.
    .replaceAll(/, \d+ \w+ ago/g, '');
const unescaped = (html: string) =>
  html
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
/**
 * The words of a page: of the block that says first what is known, with a colon behind the name of a line.
 */
function wordsOf(page: string): string {
  const block = page.slice(
    page.indexOf('<section class="answer"'),
    page.indexOf('</section>', page.indexOf('<section class="answer"')),
  );
  const text = block.replaceAll('<ul class="stands-out">', 'Stands out: ').replaceAll('</dt>', ': ');
  return unmarked(
    unescaped(text.replaceAll(/<(?:\/?(?:div|dl|dt|dd|ul|li|h2)\b)[^>]*>/g, ' ').replaceAll(/<[^>]+>/g, '')),
  );
}

async function saidOf(handle: string) {
  const { content, structuredContent } = await client.call('get_agent', { handle });
  const json = structuredContent as {
    lines: Record<string, string>;
    stands_out?: string[];
    signals: Record<string, string>;
    [name: string]: unknown;
  };
  const { lines, signals, stands_out = [] } = json;
  // Addresses are said once, and on the page in each line.
  const spelled = (text: string) =>
    text
      .replace(/(?<=Where: )Endpoint(?= over )/, () => String(json.endpoint))
      .replace(/Repository(?= is )/, () => `Repository ${json.repository}`);
  const titles = { whose: 'Whose', where: 'Where', asks: 'Asks', tools: 'Tools', costs: 'Costs' };
  const said = [
    ...(stands_out.length > 0 ? [`Stands out: ${stands_out.join(' ')}`] : []),
    ...Object.entries(titles).flatMap(([name, title]) => (lines[name] ? [`${title}: ${lines[name]}`] : [])),
    `Kept up: ${signals.imported} ${lines.kept_up ?? ''}`,
    `Rated: ${signals.native}`,
    ...(json.not_there ? [`Not there: ${json.not_there}`] : []),
    ...(json.unseen ? [`Could not be seen: ${json.unseen}`] : []),
    ...(json.unstated ? [`Not stated: ${json.unstated}`] : []),
    ...(json.unchecked ? [`Not checked: ${json.unchecked}`] : []),
  ];
  const read = async (ending: string) => (await directory.app.request(`/agents/${handle}${ending}`)).text();
  const markdown = await read('.md');
  return {
    checked: String(json.checked).slice(0, 10),
    sizes: {
      text: Buffer.byteLength(content[0]?.text ?? ''),
      json: Buffer.byteLength(JSON.stringify(structuredContent)),
    },
    'the text of get_agent': spelled(unmarked(content[0]?.text ?? '')),
    'the JSON of get_agent': spelled(unmarked(said.join(' '))),
    'the Markdown': unmarked(markdown.slice(0, markdown.indexOf('## All facts'))),
    'the page': wordsOf(await read('')),
  };
}

it.each<[string, object]>([
  ['get_agent', { handle: 'com.older/x' }],
  ['search_agents', { query: 'x' }],
  ['get_history', { handle: 'com.older/x' }],
  ['compare_agents', { handles: ['com.older/x', 'com.example/x1'] }],
])(
  'the answer of %s names the words of others first, because some hosts show a model the beginning alone',
  async (tool, input) => {
    expect(JSON.stringify(await callTool(directory, tool, input))).toMatch(/^\{"untrusted_fields":\[/);
  },
);

describe('the answer about a listing', () => {
  it.each(all)('says %s', async (says, row) => {
    const { sizes, checked, ...adapters } = await saidOf(handleOf(says));
    for (const [adapter, text] of Object.entries(adapters)) {
      const isShort = adapter.endsWith('of get_agent');
      // What has no mark there was checked on the day that the answer says once.
      for (const sentence of toList(row.expected))
        expect(text, adapter).toContain(
          isShort ? sentence.replaceAll(` (Dossier, ${checked})`, '') : sentence,
        );
      for (const sentence of toList(row.absent)) expect(text, adapter).not.toContain(sentence);
      for (const sentence of toList(row.full)) expect(text.includes(sentence), adapter).toBe(!isShort);
      if (isShort && row.short) expect(text, adapter).toContain(row.short);
    }
    expect(sizes.json).toBeLessThanOrEqual(sizes.text * 1.2);
  });

  it.each(all.flatMap(([says, { hit }]) => (hit ? [[says, hit] as const] : [])))(
    'in a search: %s',
    async (says, hit) => {
      const query = handleOf(says);
      const { structuredContent } = await client.call('search_agents', { query });
      const { listings } = structuredContent as { listings: { handle: string; facts: string[] }[] };
      expect(listings.find(({ handle }) => handle === query)?.facts).toContain(hit);
    },
  );

  it('says of what hardly any listing has that it is not there in full only', async () => {
    const handle = handleOf('that no price was seen, and that nobody states terms where Dossier looked');
    const { sizes: _, checked: __, 'the Markdown': full, ...others } = await saidOf(handle);
    expect(full).toContain(`Not there: security contact (Dossier, ${today})`);
    for (const [adapter, text] of Object.entries(others)) expect(text, adapter).not.toContain('Not there');
  });

  it.each([
    ['tools that changed, by name', 'get_history; check_surface'],
    [
      'an endpoint that does not answer: since when, how often, from where',
      'get_history; search_agents, similar_to this one',
    ],
    ['deprecated in the registry, in its publisher’s words', 'search_agents, similar_to this one'],
    ['what its publisher says of an entry that is active', undefined],
    ['nothing of the age of an older entry', undefined],
  ])('of %s, names as the next step %s', async (says, next) => {
    const { content, structuredContent } = await client.call('get_agent', { handle: handleOf(says) });
    expect(structuredContent?.next).toBe(next);
    expect(content[0]?.text?.includes('Next:')).toBe(next !== undefined);
  });
});
