import { namespaceMatchesRepositoryOwner } from '../core/handle.ts';
import { namespaceHoldsEndpoints } from '../core/identity.ts';
import { toLine } from '../core/text.ts';
import {
  type ImportedSignal,
  isSample,
  isSpecified,
  type Listing,
  publisherMeta,
} from '../listings/listing.ts';
import type { KindName } from '../observations/recorded-kinds.ts';
import { type Reading, whyNoHistory } from './record.ts';

const deepest = 4;
const mostNames = 50;
const longestFieldName = 60;

/** Fields of a server.json that Dossier reads or knows to state nothing else. */
const readFields: ReadonlySet<string> = new Set([
  '$schema',
  'name',
  'title',
  'description',
  'version',
  'websiteUrl',
  'repository',
  'remotes',
  'packages',
  'icons',
  '_meta',
]);

function* namesIn(value: unknown, depth = 0): Generator<string> {
  if (typeof value !== 'object' || value === null || depth === deepest) return;
  for (const [name, inside] of Object.entries(value)) {
    if (!Array.isArray(value)) yield toLine(name).slice(0, longestFieldName).toWellFormed();
    yield* namesIn(inside, depth + 1);
  }
}

/**
 * Names of the fields of a server.json that Dossier stores without reading them: those of the publisher's own `_meta`, and
 * top-level ones outside of the schema. At most 50, each once; publisher text.
 */
function publisherFields(server: object): string[] {
  const { _meta, ...fields } = server as { readonly _meta?: Readonly<Record<string, unknown>> | null };
  const unread = Object.entries(fields).filter(([name]) => !readFields.has(name));
  const names = [...namesIn(Object.fromEntries(unread)), ...namesIn(_meta?.[publisherMeta])];
  return [...new Set(names.filter(Boolean))].slice(0, mostNames);
}

const method_version = 'import/1';

type Fact = Pick<ImportedSignal, 'kind' | 'value' | 'unit' | 'outcome'>;

/** A fact with a value is `seen`, one without `nothing`. */
const fact = (kind: KindName, value: ImportedSignal['value'] | undefined): Fact =>
  value === undefined || value === ''
    ? { kind, value: null, outcome: 'nothing' }
    : { kind, value, outcome: 'seen' };

const listed = (values: readonly (string | undefined)[]) => [...new Set(values.filter(Boolean))].join(', ');

function namespaceFacts(listing: Listing): Fact[] {
  const { handle, repository_key, remotes } = listing;
  const account = handle.toLowerCase().startsWith('io.github.');
  const match = namespaceMatchesRepositoryOwner(handle, repository_key);
  const owner: KindName = 'namespace.matches_repository_owner';
  const atDomain = namespaceHoldsEndpoints(
    handle,
    remotes.map(({ url }) => url),
  );
  return [
    // Nobody showed anything for a listing of the sample: it is made up.
    ...(isSample(listing) ? [] : [fact('namespace.proof', account ? 'github account' : 'domain')]),
    match === 'not_comparable'
      ? { kind: owner, value: null, outcome: 'not_asked' }
      : fact(owner, match === 'yes'),
    ...(atDomain === undefined ? [] : [fact('namespace.holds_endpoint', atDomain)]),
  ];
}

/** What follows from all versions of a listing: not stated by a source that sends only the newest ones. */
const historyKinds: readonly string[] = ['registry.versions', 'registry.first_published'];
const datesOfSample = ['version', ...historyKinds, 'registry.last_published'];

interface StoredRecord {
  /** The publisher's server.json of the version that is shown, as JSON text. */
  readonly record: string;
  /** How many versions are stored, deleted ones included. */
  readonly versions: number;
  /** When the newest of them was published. */
  readonly lastPublished: string;
  /** What the import read: the address of a registry's API, or the name of a saved copy. */
  readonly source: string | null;
}

function toFacts(listing: Listing, { record, versions, lastPublished }: StoredRecord): Fact[] {
  const { remotes, packages, status_message } = listing;
  const transports = [...remotes.map(({ type }) => type), ...packages.map(({ transport }) => transport)];
  const unread = publisherFields(JSON.parse(record) as object);
  return [
    fact('registry.status', listing.origin_status),
    ...(status_message ? [fact('registry.status_message', status_message)] : []),
    fact('registry.last_update', listing.updated_at),
    { ...fact('registry.versions', versions), unit: 'versions' },
    fact('registry.first_published', listing.published_at),
    fact('registry.last_published', lastPublished),
    fact('record.transports', listed(transports)),
    fact('record.package_types', listed(packages.map(({ registry_type }) => registry_type))),
    fact('record.repository', listing.repository_key),
    ...(unread.length > 0 ? [fact('record.unread_fields', listed(unread))] : []),
    ...namespaceFacts(listing),
  ];
}

/**
 * The facts that the origin of a listing states, derived from its record as of its reading; history is `nothing`, with
 * the reason, if no older version was sent. Dates that the registry states are facts of their own.
 */
export function recordedFacts(listing: Listing, stored: StoredRecord, reading: Reading): ImportedSignal[] {
  const { origin: source } = listing;
  const { observed_at } = reading;
  const reason = whyNoHistory(reading);
  const notStated = (kind: string): ImportedSignal => ({
    kind,
    value: null,
    outcome: 'nothing',
    source,
    observed_at,
    method_version,
    reason,
  });
  if (isSpecified(listing)) return datesOfSample.map(notStated);
  const source_url = /^https?:/i.test(stored.source ?? '')
    ? `${stored.source}/servers/${encodeURIComponent(listing.handle)}/versions`
    : undefined;
  const stated = { source, ...(source_url && { source_url }), observed_at, method_version };
  return toFacts(listing, stored).map((one) => ({
    ...one,
    ...stated,
    ...(reason !== undefined && historyKinds.includes(one.kind) && notStated(one.kind)),
  }));
}
