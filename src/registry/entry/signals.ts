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
}

type Fact = Pick<ImportedSignal, 'kind' | 'value' | 'unit' | 'observed_at' | 'state'>;
type Value = ImportedSignal['value'] | undefined;

/** A fact with a value is `observed`, one without is `not_stated`. */
const fact = (kind: string, value: Value, observed_at: string): Fact =>
  value === undefined || value === ''
    ? { kind, value: null, observed_at, state: 'not_stated' }
    : { kind, value, observed_at, state: 'observed' };

const listed = (values: readonly (string | undefined)[]) => [...new Set(values.filter(Boolean))].join(', ');

function historyFacts({ versions }: SignalFacts): Fact[] {
  const published = versions.map(({ published_at }) => published_at);
  const first = oldest(published);
  const last = newest(published);
  return [
    { ...fact('version_count', versions.length, last), unit: 'versions' },
    fact('first_published', first, first),
    fact('last_published', last, last),
  ];
}

function namespaceFacts({ handle, repositoryKey }: SignalFacts, at: string): Fact[] {
  const account = handle.toLowerCase().startsWith('io.github.');
  const match = namespaceMatchesRepositoryOwner(handle, repositoryKey);
  const owner = 'namespace_matches_repository_owner';
  return [
    fact('namespace_proof', account ? 'github account' : 'domain', at),
    match === 'not_comparable'
      ? { kind: owner, value: null, observed_at: at, state: 'not_checked' }
      : fact(owner, match === 'yes', at),
  ];
}

function recordFacts(facts: SignalFacts, { published_at, status, updated_at }: VersionSummary): Fact[] {
  const { remotes, packages, repositoryKey, statusMessage } = facts;
  const transports = [...remotes.map(({ type }) => type), ...packages.map(({ transport }) => transport)];
  return [
    fact('registry_status', status, updated_at),
    ...(statusMessage ? [fact('registry_status_message', statusMessage, updated_at)] : []),
    ...historyFacts(facts),
    fact('transports', listed(transports), published_at),
    fact('package_types', listed(packages.map(({ registry_type }) => registry_type)), published_at),
    fact('recorded_repository', repositoryKey, published_at),
    ...namespaceFacts(facts, published_at),
  ];
}

/**
 * The signals that the import derives. `observed_at` is the registry's time (publication or last update of a version),
 * never the time of the import, so that importing the same entry again changes nothing.
 */
export function toImportSignals(facts: SignalFacts, origin: Origin): ImportedSignal[] {
  const { handle, versions, shown } = facts;
  const found = shown
    ? recordFacts(facts, shown)
    : [fact('registry_status', 'deleted', newest(versions.map(({ updated_at }) => updated_at)))];
  const source_url = origin.api && `${origin.api}/servers/${encodeURIComponent(handle)}/versions`;
  return found.map((one) => ({
    ...one,
    source: origin.name,
    ...(source_url && { source_url }),
    method_version: methodVersion,
  }));
}
