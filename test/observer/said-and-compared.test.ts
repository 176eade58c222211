import { expect, it } from 'vitest';
import type { Json } from '../../src/core/json.ts';
import { own } from '../../src/core/words.ts';
import type { Kind } from '../../src/observations/known/kind.ts';
import { kinds } from '../../src/observations/known/kinds.ts';
import { pricesAt } from '../support/offers.ts';

const offer = { amount: '1', asset: '0xa', network: 'eip155:1', scheme: 'exact', pays: [{ address: '0xb' }] };
const names = { count: 1, names: ['a'] };
const digest = 'a'.repeat(64);
const day = '2026-11-01T00:00:00Z';
const times = { answered: 1, made: 1, others: {} };

/** Values of each kind of fact, of every form that its words tell apart. */
const values: Readonly<Record<string, readonly Json[]>> = {
  'price.offers': [
    pricesAt('quote', offer),
    { ...pricesAt('quote', { amount: '1' }), varies: ['pay_to'] },
    pricesAt('tools', { for: 'find', amount: '1', asset: 'dollars' }),
    pricesAt('capabilities', { network: 'tempo', scheme: 'charge' }),
    pricesAt('openapi', { for: 'GET /', amount: '1' }),
    pricesAt('x402', { ...offer, for: 'find' }, { for: 'send' }),
    pricesAt('catalog', { ...offer, for: 'find' }),
  ],
  'endpoint.answers': [200],
  'endpoint.availability': [{ days_30: times, days_90: times, first_check: day }],
  'endpoint.protocol': ['2026-07-28'],
  'tools.count': [1],
  'tools.surface': [digest],
  'prompts.surface': [digest],
  'resources.surface': [digest],
  'skills.surface': [digest],
  'tools.interfaces': [[{ tool: 'find', resource: 'ui://a' }]],
  'tools.hints': [{ read_only: 1, destructive: 0, without_hint: 0 }],
  'tools.instructions': [{ sha256: digest, characters: 1 }],
  'tools.hidden_text': [1],
  'tools.credential_files': [[{ of: 'tools', name: 'find', files: ['~/.aws/credentials'] }]],
  'auth.required': [true],
  'auth.oauth': [{ issuers: ['https://a.example'], scopes: ['read'], resource: null }],
  'repository.exists': [{ state: 'there' }, { state: 'moved', moved_to: 'b/b' }],
  'repository.last_commit': [day],
  'package.maintainers': [names],
  'package.exists': [{ version: '1.0.0' }, { reference: 'a', digest: `sha256:${digest}` }, { size_bytes: 1 }],
  'package.version_age': [day],
  'package.newest_version': [{ version: '1.0.0', published_at: day }],
  'package.names': [{ names: ['a.b/c'], names_this: false }],
  'package.repository': [{ result: 'other', repository: 'github.com/a/a' }],
  'package.provenance': [{ result: 'other', repository: 'https://github.com/a/a' }, { result: 'none' }],
  'package.advisories': [
    { count: 2, ids: ['MAL-1', 'GHSA-1'], not_compared: ['MAL-2'], others: { count: 1, ids: ['MAL-3'] } },
  ],
  'package.install_scripts': [{ install: 'node a.js' }],
  'package.published_by': ['alice'],
  'package.new_dependencies': [names],
  'package.deprecated': [{ deprecated: true, message: 'no' }],
  'repository.superseded_by': ['a.b/c'],
  'repository.head': [{ commit: 'a'.repeat(40), branch: 'main' }],
  'security.contact': [{ contacts: ['mailto:a@a.example'] }],
  'card.a2a': [{ name: 'a', skills: 1, differs: ['host'] }],
  'card.mcp': [{ name: 'a', form: 'SEP-2127', at: '/server-card', differs: ['tools'] }],
  'terms.url': ['https://a.example/terms'],
  'package.licence': ['MIT'],
};

/** An empty object that notes which of its members are read. */
const noting = (read: Set<string>, place: string): Readonly<Record<string, unknown>> =>
  new Proxy<Record<string, unknown>>(
    {},
    {
      get: (_, member) => {
        if (typeof member === 'string') read.add(`${place}.${member}`);
      },
    },
  );

/** The members of `details` and `as_seen` that the words of a kind read, sorted. */
function readByWords(kind: Kind): string[] {
  const read = new Set<string>();
  const rest = { details: noting(read, 'details'), as_seen: noting(read, 'as_seen') };
  const before = { outcome: 'seen' as const, seen_until: day };
  // A value may be stored whole or, with the digest of the whole, in part.
  for (const value of values[kind.kind] ?? [])
    for (const value_digest of [undefined, digest]) {
      const found = { value, value_digest, ...rest };
      kind.say(found);
      kind.sayInLine?.(found);
      for (const was of [{ value }, { value, value_digest: digest }]) {
        kind.sayChange?.({ ...before, ...was }, found, own('now'));
        kind.weighChange?.({ ...before, ...was }, found);
      }
      const shown = { ...found, subject: 'npm:a', reason: own('why'), by: own(''), isOnly: true };
      for (const rule of [kind.standsOutAs ?? []].flat()) kind.sayStandsOut?.({ ...shown, rule });
    }
  return [...read].sort();
}

/** The reasons why no change goes unseen although the words read what is not compared. */
const whole = 'The value, or its digest, has the same; the words read it there because values are cut.';
const count = 'It counts what the value, or its digest, has.';
const record = 'The record states it, or it follows from the record and the value.';
const version = 'It is the recorded version; the fact about another version is another fact.';
const earlier = 'The registry keeps what an earlier version had.';
const surface = 'The digests of lists and of instructions have the texts.';
const hosts = 'It may differ from day to day, or between the servers of a host, without a change.';
const edited = 'OSV edits its texts; the value has the ids.';
const withdrawn = 'An advisory that OSV withdrew leaves the ids of the value.';
const saved = 'The operator may save the same advisories anew.';
const elsewhere = 'A fact of another kind has it, and is compared.';

/** What the words of each kind read that is not compared, and why. */
const notCompared: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'price.offers': { 'as_seen.unlisted': elsewhere },
  'tools.surface': { 'details.tools': whole },
  'prompts.surface': { 'details.count': count, 'details.prompts': whole },
  'resources.surface': { 'details.count': count, 'details.resources': whole },
  'skills.surface': { 'details.count': count, 'details.skills': whole },
  'tools.instructions': { 'as_seen.text': surface },
  'tools.hints': { 'details.not_destructive': elsewhere },
  'tools.interfaces': { 'details.count': count },
  'tools.credential_files': {
    'details.files': count,
    'details.many_places': surface,
    'details.places': surface,
    'details.sentences': surface,
    'details.texts': count,
  },
  'auth.oauth': {
    'details.differs': record,
    'details.issuers': count,
    'details.scopes': count,
    'as_seen.authorization_servers': hosts,
    'as_seen.introduced_without_credentials': elsewhere,
  },
  'package.exists': { 'details.records_sha256': record, 'as_seen.last_modified': hosts },
  'package.newest_version': { 'details.recorded_version': record },
  'package.names': { 'details.handle': record },
  'package.provenance': { 'details.earlier_with_provenance': earlier },
  'package.repository': { 'details.recorded': record },
  'package.advisories': {
    'details.version': version,
    'details.advisories': edited,
    'details.others': edited,
    'details.is_absent': elsewhere,
    'details.saved_on': saved,
    'details.withdrawn': withdrawn,
  },
  'package.install_scripts': { 'details.before': earlier, 'details.version': version },
  'package.published_by': { 'details.before': earlier },
  'package.deprecated': { 'details.version': version },
  'repository.superseded_by': { 'details.isThis': record },
  'security.contact': { 'details.is_expired': hosts },
};

it('knows a value of each kind', () => {
  expect(Object.keys(values).toSorted()).toEqual(kinds.map(({ kind }) => kind).toSorted());
  for (const { kind, value } of kinds)
    for (const one of values[kind] ?? []) expect(value.safeParse(one).success, kind).toBe(true);
});

it.each(kinds.map((kind) => [kind.kind, kind] as const))(
  'what %s says is compared, or there is a reason why it is not',
  (name, kind) => {
    expect(readByWords(kind)).toEqual(Object.keys(notCompared[name] ?? {}).toSorted());
  },
);
