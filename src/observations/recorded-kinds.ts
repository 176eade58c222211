import type { FactKind } from './kind.ts';
import { kinds, type ObservedKind } from './kinds.ts';

/** A fact that a registry or another third party states: an imported signal, in the words of a buyer. */
interface RecordedKind extends FactKind {
  /** Its values in plain words, where they are names. */
  readonly words?: Readonly<Record<string, string>>;
}

/** Kinds that answer one question, by their names. */
const ofQuestion = <const Name extends string>(
  question: FactKind['question'],
  named: Readonly<Record<Name, Omit<RecordedKind, 'kind' | 'question'>>>,
) =>
  (Object.keys(named) as Name[]).map((kind): RecordedKind & { readonly kind: Name } => ({
    ...named[kind],
    kind,
    question,
  }));

/** Every kind of imported signal, in the order that adapters show them. A kind that is not here is shown by its name. */
const recordedKinds = [
  ...ofQuestion('reach', {
    'record.transports': {
      title: 'How it is reached',
      means:
        'The transports that the publisher recorded: streamable-http and sse are reached over the network, stdio is run by the caller.',
      doesNotMean: 'It does not say that anything answers there.',
    },
  }),
  ...ofQuestion('publisher', {
    'namespace.proof': {
      title: 'What the publisher showed to the registry',
      means: 'The registry lets only those publish under this namespace who showed this.',
      doesNotMean: 'It does not say who that is, or that they run the service.',
      words: { domain: 'control of the domain in the name', 'github account': 'control of a GitHub account' },
    },
    'namespace.matches_repository_owner': {
      title: 'The same account publishes and holds the repository',
      means: 'Whether the account in the name is the one that holds the recorded repository.',
      doesNotMean: 'A no is common: many publish under a domain and keep code elsewhere.',
    },
    'namespace.holds_endpoint': {
      title: 'The endpoint is at the domain of the name',
      means: 'Whether every recorded endpoint is on the domain that the name stands for, or below it.',
      doesNotMean: 'A no is common: many services run at a hosting company.',
    },
    'publisher.same_endpoint': {
      title: 'Other listings of the publisher with the same endpoint',
      means: 'How many more listings of this publisher record an endpoint of this one.',
      doesNotMean: 'They may be one service.',
    },
  }),
  ...(
    [
      ['shared.endpoint', 'Other publishers record the same endpoint', 'endpoint'],
      ['shared.package', 'Other publishers record the same package', 'package'],
      ['shared.repository', 'Other publishers record the same repository', 'repository'],
      ['shared.description', 'Other publishers have the same description', 'description'],
      ['shared.tools', 'Other publishers list the same tools', 'set of tools'],
      ['shared.pay_to', 'Other publishers are paid at the same address', 'address that is paid'],
      ['shared.word', 'Other namespaces have the same word', 'word in the namespace'],
    ] as const
  ).map(([kind, title, what]) => ({
    ...{ kind, question: 'publisher' as const, title },
    means: `How many listings of other publishers that Dossier has share its ${what}, among the 200 oldest that have it.`,
    doesNotMean: 'It does not say whose it is, who was first, or that one copied the other.',
  })),
  ...ofQuestion('publisher', {
    'publisher.listings': {
      title: 'Listings under the same namespace',
      means: 'How many listings Dossier has of this publisher, this one included.',
      doesNotMean: 'More are not better.',
    },
  }),
  ...ofQuestion('code', {
    'record.repository': {
      title: 'Repository',
      means: 'The source repository that the publisher recorded.',
      doesNotMean: 'It does not say that the service runs this code.',
    },
    'record.package_types': {
      title: 'Packages',
      means: 'Where the publisher recorded packages of the service.',
      doesNotMean: 'It does not say what is in them.',
    },
  }),
  ...ofQuestion('upkeep', {
    'registry.status': {
      title: 'Status in the registry',
      means: 'What the registry says of the shown version.',
      doesNotMean: 'Active does not say that it works.',
      words: { active: 'active', deprecated: 'deprecated', deleted: 'deleted' },
    },
    'registry.status_message': {
      title: 'What the publisher says about its status',
      means: 'The publisher’s own words.',
      doesNotMean: 'Dossier has not checked them.',
    },
    'registry.last_published': {
      title: 'Newest version published',
      means: 'When the newest version was published in the registry.',
      doesNotMean: 'The service may change without a new version.',
    },
    'registry.first_published': {
      title: 'First published',
      means: 'When the oldest version that was read was published.',
      doesNotMean: 'The service may be older than its entry.',
    },
    'registry.versions': {
      title: 'Versions published',
      means: 'How many versions the registry has.',
      doesNotMean: 'More are not better.',
    },
    'registry.last_update': {
      title: 'Entry last changed',
      means: 'When the entry in the registry last changed.',
      doesNotMean: 'The service may change without it.',
    },
  }),
  ...ofQuestion('terms', {
    'record.unread_fields': {
      title: 'Fields of the record that Dossier does not read',
      means: 'They may state more than this page shows.',
      doesNotMean: 'Their values are not here: see the registry.',
    },
  }),
];

/** The name of a kind that the record of a listing states. */
type SignalKind = (typeof recordedKinds)[number]['kind'];

/** The name of a kind of fact; a misspelt one does not compile. */
export type KindName = ObservedKind | SignalKind;

const byName = new Map<string, RecordedKind>([...recordedKinds, ...kinds].map((kind) => [kind.kind, kind]));

/** What buyers ask that no fact answers: its name, and how it is said where nothing is known of it. */
type Asked = Required<Pick<FactKind, 'name'>> & Pick<FactKind, 'isSeldom'> & { readonly isInLines?: true };

const asked: Readonly<Record<string, Asked>> = {
  price: { name: 'price', isInLines: true },
  auth: { name: 'credentials', isInLines: true },
  operator: { name: 'operator' },
  repository: { name: 'repository', isInLines: true },
  'repository.contents': { name: 'repository contents', isSeldom: true },
  'ratings.native': { name: 'what others met', isInLines: true },
  data_handling: { name: 'data handling' },
  region: { name: 'region' },
  licence: { name: 'licence' },
  support: { name: 'support' },
};

/** The name of a kind in a word or two; undefined for one that has only a title. */
export const shortNameOf = (kind: string): string | undefined => byName.get(kind)?.name ?? asked[kind]?.name;

/** Whether the seven lines of an answer say its facts, and what is not known of them. */
export const isInLines = (kind: string): boolean =>
  byName.get(kind)?.line !== undefined || asked[kind]?.isInLines === true;

/** Whether hardly any listing has it. */
export const isSeldom = (kind: string): boolean => (byName.get(kind) ?? asked[kind])?.isSeldom === true;

/** The definition of a kind of fact, observed or imported; undefined for one that nobody defined. */
export const kindOf = (name: string): RecordedKind | undefined => byName.get(name);

/** Kinds whose values are words of a publisher, a registry or a host. */
const foreignKinds: ReadonlySet<string> = new Set([
  ...['registry.status_message', 'record.unread_fields', 'record.transports', 'record.package_types'],
  ...[
    'record.repository',
    'card.a2a',
    'endpoint.protocol',
    'price.capability',
    'security.contact',
    'terms.url',
  ],
  ...['auth.oauth', 'price.pay_to', 'price.openapi', 'price.catalog'],
]);

/** Whether others wrote the values of a kind. */
export const isForeignKind = (kind: string): boolean => foreignKinds.has(kind) || !byName.has(kind);
