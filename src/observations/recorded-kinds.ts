import { codedList } from '../core/text.ts';
import type { Kind } from './kind.ts';
import { kinds } from './kinds.ts';

/** A fact that a registry or another third party states: an imported signal, in the words of a buyer. */
type RecordedKind = Omit<Kind, 'check' | 'about' | 'isOptional' | 'method_version'> & {
  /** Its values in plain words, where they are names. */
  readonly words?: Readonly<Record<string, string>>;
};

/** Every kind of imported signal, in the order that adapters show them. A kind that is not here is shown by its name. */
const recordedKinds: readonly RecordedKind[] = [
  {
    ...{ kind: 'record.transports', question: 'reach', title: 'How it is reached' },
    means:
      'The transports that the publisher recorded: streamable-http and sse are reached over the network, stdio is run by the caller.',
    doesNotMean: 'It does not say that anything answers there.',
  },
  {
    ...{ kind: 'namespace.proof', question: 'publisher', title: 'What the publisher showed to the registry' },
    means: 'The registry lets only those publish under this namespace who showed this.',
    doesNotMean: 'It does not say who that is, or that they run the service.',
    words: { domain: 'control of the domain in the name', 'github account': 'control of a GitHub account' },
  },
  {
    kind: 'namespace.matches_repository_owner',
    question: 'publisher',
    title: 'The same account publishes and holds the repository',
    means: 'Whether the account in the name is the one that holds the recorded repository.',
    doesNotMean: 'A no is common: many publish under a domain and keep code elsewhere.',
  },
  {
    kind: 'namespace.holds_endpoint',
    question: 'publisher',
    title: 'The endpoint is at the domain of the name',
    means: 'Whether every recorded endpoint is at the registered domain that the name stands for.',
    doesNotMean: 'A no is common: many services run at a hosting company.',
  },
  {
    kind: 'publisher.same_endpoint',
    question: 'publisher',
    title: 'Other listings of the publisher with the same endpoint',
    means: 'How many more listings of this publisher record an endpoint of this one.',
    doesNotMean: 'They may be one service.',
  },
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
  {
    ...{ kind: 'publisher.listings', question: 'publisher', title: 'Listings under the same namespace' },
    means: 'How many listings Dossier has of this publisher, this one included.',
    doesNotMean: 'More are not better.',
  },
  {
    ...{ kind: 'record.repository', question: 'code', title: 'Repository' },
    means: 'The source repository that the publisher recorded.',
    doesNotMean: 'It does not say that the service runs this code.',
  },
  {
    ...{ kind: 'record.package_types', question: 'code', title: 'Packages' },
    means: 'Where the publisher recorded packages of the service.',
    doesNotMean: 'It does not say what is in them.',
  },
  {
    ...{ kind: 'registry.status', question: 'upkeep', title: 'Status in the registry' },
    means: 'What the registry says of the shown version.',
    doesNotMean: 'Active does not say that it works.',
    words: { active: 'active', deprecated: 'deprecated', deleted: 'deleted' },
  },
  {
    kind: 'registry.status_message',
    question: 'upkeep',
    title: 'What the publisher says about its status',
    means: 'The publisher’s own words.',
    doesNotMean: 'Dossier has not checked them.',
  },
  {
    ...{ kind: 'registry.last_published', question: 'upkeep', title: 'Newest version published' },
    means: 'When the newest version was published in the registry.',
    doesNotMean: 'The service may change without a new version.',
  },
  {
    ...{ kind: 'registry.first_published', question: 'upkeep', title: 'First published' },
    means: 'When the oldest version that was read was published.',
    doesNotMean: 'The service may be older than its entry.',
  },
  {
    ...{ kind: 'registry.versions', question: 'upkeep', title: 'Versions published' },
    means: 'How many versions the registry has.',
    doesNotMean: 'More are not better.',
  },
  {
    ...{ kind: 'registry.last_update', question: 'upkeep', title: 'Entry last changed' },
    means: 'When the entry in the registry last changed.',
    doesNotMean: 'The service may change without it.',
  },
  {
    kind: 'record.unread_fields',
    question: 'terms',
    title: 'Fields of the record that Dossier does not read',
    means: 'They may state more than this page shows.',
    doesNotMean: 'Their values are not here: see the registry.',
  },
];

const byName = new Map<string, RecordedKind>([...recordedKinds, ...kinds].map((kind) => [kind.kind, kind]));

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

/** A value of a kind, in code spans or quotes if others wrote it. */
export const toShownValue = (kind: string, text: string): string =>
  foreignKinds.has(kind) || !byName.has(kind) ? codedList(text) : text;
