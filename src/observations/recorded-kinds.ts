import { codedList } from '../core/text.ts';
import type { Kind } from './kind.ts';
import { kinds } from './kinds.ts';
import type { Question } from './observation.ts';

/** A fact that a registry or another third party states: an imported signal, in the words of a buyer. */
type RecordedKind = Omit<Kind, 'check' | 'about' | 'isOptional' | 'method_version'> & {
  /** Its values in plain words, where they are names. */
  readonly words?: Readonly<Record<string, string>>;
};

const recorded = (
  question: Question,
  [kind, title]: readonly [string, string],
  [means, doesNotMean]: readonly [string, string],
): RecordedKind => ({ kind, question, title, means, doesNotMean });

/** Every kind of imported signal, in the order that adapters show them. A kind that is not here is shown by its name. */
const recordedKinds: readonly RecordedKind[] = [
  recorded(
    'reach',
    ['record.transports', 'How it is reached'],
    [
      'The transports that the publisher recorded: streamable-http and sse are reached over the network, stdio is run by the caller.',
      'It does not say that anything answers there.',
    ],
  ),
  {
    ...recorded(
      'publisher',
      ['namespace.proof', 'What the publisher showed to the registry'],
      [
        'The registry lets only those publish under this namespace who showed this.',
        'It does not say who that is, or that they run the service.',
      ],
    ),
    words: { domain: 'control of the domain in the name', 'github account': 'control of a GitHub account' },
  },
  recorded(
    'publisher',
    ['namespace.matches_repository_owner', 'The same account publishes and holds the repository'],
    [
      'Whether the account in the name is the one that holds the recorded repository.',
      'A no is common: many publish under a domain and keep code elsewhere.',
    ],
  ),
  recorded(
    'publisher',
    ['namespace.holds_endpoint', 'The endpoint is at the domain of the name'],
    [
      'Whether every recorded endpoint is at the registered domain that the name stands for.',
      'A no is common: many services run at a hosting company.',
    ],
  ),
  recorded(
    'publisher',
    ['publisher.same_endpoint', 'Other listings of the publisher with the same endpoint'],
    ['How many more listings of this publisher record an endpoint of this one.', 'They may be one service.'],
  ),
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
  ).map(([kind, title, what]) =>
    recorded(
      'publisher',
      [kind, title],
      [
        `How many listings of other publishers that Dossier has share its ${what}, among the 200 oldest that have it.`,
        'It does not say whose it is, who was first, or that one copied the other.',
      ],
    ),
  ),
  recorded(
    'publisher',
    ['publisher.listings', 'Listings under the same namespace'],
    ['How many listings Dossier has of this publisher, this one included.', 'More are not better.'],
  ),
  recorded(
    'code',
    ['record.repository', 'Repository'],
    [
      'The source repository that the publisher recorded.',
      'It does not say that the service runs this code.',
    ],
  ),
  recorded(
    'code',
    ['record.package_types', 'Packages'],
    ['Where the publisher recorded packages of the service.', 'It does not say what is in them.'],
  ),
  {
    ...recorded(
      'upkeep',
      ['registry.status', 'Status in the registry'],
      ['What the registry says of the shown version.', 'Active does not say that it works.'],
    ),
    words: { active: 'active', deprecated: 'deprecated', deleted: 'deleted' },
  },
  recorded(
    'upkeep',
    ['registry.status_message', 'What the publisher says about its status'],
    ['The publisher’s own words.', 'Dossier has not checked them.'],
  ),
  recorded(
    'upkeep',
    ['registry.last_published', 'Newest version published'],
    [
      'When the newest version was published in the registry.',
      'The service may change without a new version.',
    ],
  ),
  recorded(
    'upkeep',
    ['registry.first_published', 'First published'],
    ['When the oldest version that was read was published.', 'The service may be older than its entry.'],
  ),
  recorded(
    'upkeep',
    ['registry.versions', 'Versions published'],
    ['How many versions the registry has.', 'More are not better.'],
  ),
  recorded(
    'upkeep',
    ['registry.last_update', 'Entry last changed'],
    ['When the entry in the registry last changed.', 'The service may change without it.'],
  ),
  recorded(
    'terms',
    ['record.unread_fields', 'Fields of the record that Dossier does not read'],
    ['They may state more than this page shows.', 'Their values are not here: see the registry.'],
  ),
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
