import { namespaceMatchesRepositoryOwner } from '../core/handle.ts';
import { isJsonObject } from '../core/json.ts';
import { toLine } from '../core/text.ts';
import type {
  ImportedSignal,
  Listing,
  ListingInput,
  ListingPackage,
  ListingRemote,
  ListingVersion,
  VersionSummary,
} from '../listings/listing.ts';
import { toRepositoryKey } from '../net/repository-place.ts';
import { newest, oldest, publisherKeywords, publisherMeta, type ServerJson } from './entry.ts';

const longestName = 200;
const mostInputs = 100;

type Given = Readonly<Record<string, unknown>>;

const listedInputs = (value: unknown): Given[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);
const named = (value: unknown): [string, Given][] =>
  isJsonObject(value)
    ? Object.entries(value).filter((entry): entry is [string, Given] => isJsonObject(entry[1]))
    : [];

/** Whether a value is complete; one with a `{template}` still needs input from the caller. */
const isFixed = ({ value }: Given) => typeof value === 'string' && value !== '' && !/\{[^{}]+\}/.test(value);

/** One input. The variables of its value's template count as part of it. */
function toInput(kind: ListingInput['kind'], recorded: unknown, given: Given): ListingInput[] {
  const name = typeof recorded === 'string' ? toLine(recorded).slice(0, longestName).toWellFormed() : '';
  if (name === '') return [];
  const parts = [given, ...named(given.variables).map(([, variable]) => variable)];
  const has = (flag: 'isRequired' | 'isSecret') => parts.some((part) => part[flag] === true);
  return [{ name, kind, required: has('isRequired'), secret: has('isSecret') }];
}

const toHeaders = (headers: unknown) =>
  listedInputs(headers).flatMap((given) => toInput('header', given.name, given));

const toVariables = (variables: unknown) =>
  named(variables).flatMap(([name, given]) => toInput('variable', name, given));

const toEnvironment = (variables: unknown) =>
  listedInputs(variables)
    .filter((given) => !isFixed(given))
    .flatMap((given) => toInput('environment', given.name, given));

/** Arguments by name, else by value hint; those with variables (`-e name={value}`) by their variables. */
const toArguments = (args: unknown) =>
  listedInputs(args)
    .filter((given) => !isFixed(given))
    .flatMap((given) =>
      named(given.variables).length > 0
        ? toVariables(given.variables)
        : toInput('argument', given.name || given.valueHint, given),
    );

/** The distinct inputs by kind and name; no field if there are none. */
function toInputs(inputs: readonly ListingInput[]): { inputs?: ListingInput[] } {
  const once = new Map(inputs.map((input) => [`${input.kind} ${input.name}`, input]));
  return once.size === 0 ? {} : { inputs: [...once.values()].slice(0, mostInputs) };
}

/** The inputs that a remote needs from its caller; malformed parts are ignored. */
const remoteInputs = (remote: { readonly headers?: unknown; readonly variables?: unknown }) =>
  toInputs([...toHeaders(remote.headers), ...toVariables(remote.variables)]);

/** The inputs that running a package needs, including those of its transport. */
const packageInputs = (recorded: {
  readonly environmentVariables?: unknown;
  readonly runtimeArguments?: unknown;
  readonly packageArguments?: unknown;
  readonly transport?: { readonly headers?: unknown; readonly variables?: unknown } | undefined;
}) =>
  toInputs([
    ...toEnvironment(recorded.environmentVariables),
    ...toArguments(recorded.runtimeArguments),
    ...toArguments(recorded.packageArguments),
    ...toHeaders(recorded.transport?.headers),
    ...toVariables(recorded.transport?.variables),
  ]);

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

const longestText = 500;
const longestUrl = 2048;
const mostRecorded = 100;

/** The parts of a server.json that a listing shows, cleaned, each on one line; absent parts are undefined. */
export type Recorded = Pick<
  Listing,
  'title' | 'description' | 'endpoint' | 'repository' | 'repository_key' | 'website'
> & {
  readonly remotes: readonly ListingRemote[];
  readonly packages: readonly ListingPackage[];
  readonly keywords: readonly string[];
  /** Names of fields that are stored and not read (publisher-fields.ts). */
  readonly unread: readonly string[];
};

const line = (text: string | null | undefined) =>
  toLine(text ?? '')
    .slice(0, longestText)
    .toWellFormed();

/** The distinct items, compared as JSON: publishers repeat remotes and packages. */
const once = <T extends object>(items: readonly T[]): T[] =>
  [...new Map(items.map((item) => [JSON.stringify(item), item])).values()].slice(0, mostRecorded);

/** Whether a text is an http or https address that can be called as it is: no template, no user. */
function isAddress(url: string): boolean {
  const parsed = /[{}\s]/.test(url) || url.length > longestUrl ? null : URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username + parsed.password === '';
}

const toRemotes = (server: ServerJson): ListingRemote[] =>
  once(
    (server.remotes ?? [])
      .map((remote) => ({ type: line(remote.type), url: line(remote.url), ...remoteInputs(remote) }))
      .filter(({ url }) => url !== ''),
  );

const toPackages = (server: ServerJson): ListingPackage[] =>
  once(
    (server.packages ?? [])
      .filter(({ identifier }) => identifier)
      .map((recorded) => ({
        registry_type: line(recorded.registryType) || 'unknown',
        identifier: line(recorded.identifier),
        ...(recorded.version && { version: line(recorded.version) }),
        ...(recorded.transport && { transport: line(recorded.transport.type) }),
        ...packageInputs(recorded),
      })),
  );

/** The recorded parts of a server.json. `endpoint` is the first remote without a template. */
function toRecorded(server: ServerJson): Recorded {
  const remotes = toRemotes(server);
  const repository = line(server.repository?.url);
  const repository_key = toRepositoryKey(repository);
  const website = line(server.websiteUrl);
  return {
    title: line(server.title) || undefined,
    description: line(server.description),
    endpoint: remotes.find(({ url }) => isAddress(url))?.url,
    repository: repository_key && repository,
    repository_key,
    website: isAddress(website) ? website : undefined,
    remotes,
    packages: toPackages(server),
    keywords: publisherKeywords(server),
    unread: publisherFields(server),
  };
}

const read = new WeakMap<ListingVersion, Recorded>();

/** The recorded parts of a version; its record is parsed once, though listings and identities are both made of it. */
export function recordedOf(version: ListingVersion): Recorded {
  const known = read.get(version);
  if (known) return known;
  const recorded = toRecorded(JSON.parse(version.record) as ServerJson);
  read.set(version, recorded);
  return recorded;
}

/** The parts of a listing whose publisher text was deleted. */
export const nothingRecorded: Recorded = {
  title: undefined,
  description: '',
  endpoint: undefined,
  repository: undefined,
  repository_key: undefined,
  website: undefined,
  remotes: [],
  packages: [],
  keywords: [],
  unread: [],
};

/** Version of the method behind these facts; it changes with their meaning. */
const methodVersion = 'import/1';

/** Where the facts come from: the origin's name, and the base of its API if it has one. */
export interface Origin {
  readonly name: string;
  readonly api?: string;
}

/** What the import's signals are derived from. */
interface SignalFacts {
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
