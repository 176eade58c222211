import type { VersionSummary } from '../../evidence/listing/listing.ts';
import type {
  ImportedSignal,
  ListingPackage,
  ListingRemote,
} from '../../evidence/listing/listing-document.ts';
import { namespaceMatchesRepositoryOwner } from '../../evidence/namespace.ts';
import { newest, oldest } from './times.ts';

/** Version of the method behind these facts; it changes with their meaning. */
const methodVersion = 'import/1';

/** Where the facts come from: the origin's name, and the base of its API if it has one. */
export interface Origin {
  readonly name: string;
  readonly api?: string;
}

/** What the import's signals are derived from. */
export interface SignalFacts {
  readonly handle: string;
  /** Every version in the registry, in any order; at least one. */
  readonly versions: readonly VersionSummary[];
  /** The version shown; undefined if the registry deleted every version. */
  readonly shown: VersionSummary | undefined;
  readonly statusMessage: string | undefined;
  readonly remotes: readonly ListingRemote[];
  readonly packages: readonly ListingPackage[];
  readonly repositoryKey: string | undefined;
  /** Names of fields of the record that are not read. */
  readonly unread: readonly string[];
  /** When they were read, RFC 3339. */
  readonly importedAt: string;
}

type Fact = Pick<ImportedSignal, 'kind' | 'value' | 'unit' | 'state'>;
type Value = ImportedSignal['value'] | undefined;

/** A fact with a value is `observed`, one without is `not_stated`. */
const fact = (kind: string, value: Value): Fact =>
  value === undefined || value === ''
    ? { kind, value: null, state: 'not_stated' }
    : { kind, value, state: 'observed' };

const listed = (values: readonly (string | undefined)[]) => [...new Set(values.filter(Boolean))].join(', ');

function historyFacts({ versions }: SignalFacts): Fact[] {
  const published = versions.map(({ published_at }) => published_at);
  return [
    { ...fact('registry.versions', versions.length), unit: 'versions' },
    fact('registry.first_published', oldest(published)),
    fact('registry.last_published', newest(published)),
  ];
}

function namespaceFacts({ handle, repositoryKey }: SignalFacts): Fact[] {
  const account = handle.toLowerCase().startsWith('io.github.');
  const match = namespaceMatchesRepositoryOwner(handle, repositoryKey);
  const owner = 'namespace.matches_repository_owner';
  return [
    fact('namespace.proof', account ? 'github account' : 'domain'),
    match === 'not_comparable'
      ? { kind: owner, value: null, state: 'not_checked' }
      : fact(owner, match === 'yes'),
  ];
}

function recordFacts(facts: SignalFacts, { status, updated_at }: VersionSummary): Fact[] {
  const { remotes, packages, repositoryKey, statusMessage, unread } = facts;
  const transports = [...remotes.map(({ type }) => type), ...packages.map(({ transport }) => transport)];
  return [
    fact('registry.status', status),
    ...(statusMessage ? [fact('registry.status_message', statusMessage)] : []),
    fact('registry.last_update', updated_at),
    ...historyFacts(facts),
    fact('record.transports', listed(transports)),
    fact('record.package_types', listed(packages.map(({ registry_type }) => registry_type))),
    fact('record.repository', repositoryKey),
    ...(unread.length > 0 ? [fact('record.unread_fields', listed(unread))] : []),
    ...namespaceFacts(facts),
  ];
}

/**
 * The signals that the import derives. `observed_at` is when the entry was read; a later reading that finds nothing
 * changed moves it (evidence/listing/record/reading.ts). Dates that the registry states are facts of their own.
 */
export function toImportSignals(facts: SignalFacts, origin: Origin): ImportedSignal[] {
  const { handle, shown, importedAt } = facts;
  const found = shown ? recordFacts(facts, shown) : [fact('registry.status', 'deleted')];
  const source_url = origin.api && `${origin.api}/servers/${encodeURIComponent(handle)}/versions`;
  return found.map((one) => ({
    ...one,
    source: origin.name,
    ...(source_url && { source_url }),
    observed_at: importedAt,
    method_version: methodVersion,
  }));
}
