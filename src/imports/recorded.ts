import { claimStates } from '../claims/claim.ts';
import { asMembers, isJsonObject, type JsonObject, objectsOf } from '../core/json.ts';
import { memoize } from '../core/lazy.ts';
import { isPlaceholderOnly, isTemplate, placeholdersIn, toBraced } from '../core/text.ts';
import {
  isSpecified,
  type Listing,
  type ListingInput,
  type ListingPackage,
  type ListingRemote,
  type ListingVersion,
  publisherMeta,
  toStaticRank,
  type VersionSummary,
} from '../listings/listing.ts';
import { deriveOwners } from '../listings/naming.ts';
import { type ReadRecord, readRecord, unreadParts } from '../listings/record-form.ts';
import { isImageType, placeOfPackage, versionOfImage } from '../listings/references/command.ts';
import { toTags } from '../listings/tags.ts';
import { toRecordedFolder, toRepositoryKey } from '../net/repository-place.ts';
import { isSecretName } from '../observations/known/kinds/lists/secret-argument.ts';
import { type Facet, isOfCheck, withNativeFacets } from '../search/query.ts';
import type { CopyField } from './import-run.ts';
import {
  isOfRunner,
  keepsVariables,
  recordedLine,
  recordedText,
  scalar,
  toLaunch,
  toReaches,
} from './launch.ts';
import { onceEach } from './one-endpoint.ts';

const longestName = 200;
const longestValue = 100;
const longestDescription = 300;
const mostInputs = 100;

const namedObjects = (value: unknown): [string, JsonObject][] =>
  isJsonObject(value)
    ? Object.entries(value).filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]))
    : [];

/** The caller fills in a `{template}` or a placeholder. */
const isFixed = ({ value }: JsonObject) =>
  typeof value === 'string' && value !== '' && !/\{[^{}]+\}/.test(value) && !isPlaceholderOnly(value);

/** With `{name}` for each part to fill in; undefined if that is all, and for a secret that has none. */
function toValue({ value, placeholder }: JsonObject, isHidden: boolean): string | undefined {
  const [stated, example] = [value, placeholder].map((text) => toBraced(recordedLine(text)));
  const written = stated || (placeholdersIn(example ?? '').length > 0 && example) || '';
  const isStated = placeholdersIn(written).length === 0;
  const isTold = written !== '' && written.length <= longestValue && !(isStated && isHidden);
  return isTold && !isPlaceholderOnly(written) ? written : undefined;
}

/** By its place, or by a name or value of its own or of a variable. */
function isCredential(kind: ListingInput['kind'], name: string, { value, variables }: JsonObject): boolean {
  if (kind === 'header' && /^(?:proxy-)?authorization$/i.test(name)) return true;
  const written = typeof value === 'string' ? value : '';
  const open = [...written.matchAll(/\{([^{}]+)\}/g)].map(([, variable = '']) => variable);
  const names = [name, ...open, ...namedObjects(variables).map(([variable]) => variable)];
  return names.some(isSecretName) || /^(?:bearer|basic)\s+\S/i.test(written);
}

/** With the variables of its value. `words`: where it is written. */
function toInput(
  kind: ListingInput['kind'],
  recorded: unknown,
  given: JsonObject,
  words: JsonObject = kind === 'variable' ? {} : given,
): ListingInput[] {
  const name = recordedText(recorded, longestName);
  if (name === '') return [];
  const parts = [given, ...namedObjects(given.variables).map(([, variable]) => variable)];
  const has = (flag: 'isRequired' | 'isSecret') => parts.some((part) => part[flag] === true);
  const description = parts.map((part) => recordedText(part.description, longestDescription)).find(Boolean);
  const secret = has('isSecret');
  const unmarked = !secret && isCredential(kind, name, given);
  const value = toValue(words, secret || unmarked);
  return [
    {
      name,
      kind,
      required: has('isRequired'),
      secret,
      ...(unmarked && { unmarked: true as const }),
      ...(value !== undefined && { value }),
      ...(parts.some(({ format }) => format === 'filepath') && { path: true as const }),
      ...(description && { description }),
    },
  ];
}

const toHeaders = (headers: unknown) =>
  objectsOf(headers).flatMap((given) => toInput('header', given.name, given));

const mostChoices = 20;

/** All or none. */
function choicesOf({ choices }: JsonObject): Pick<ListingInput, 'choices'> {
  const all = Array.isArray(choices) ? choices.map((one) => recordedLine(scalar(one))) : [];
  const isTold = all.length > 0 && all.length <= mostChoices;
  return isTold && all.every((one) => one !== '' && one.length <= longestValue) ? { choices: all } : {};
}

const toVariables = (variables: unknown) =>
  namedObjects(variables).flatMap(([name, given]) =>
    toInput('variable', name, given).map((one) => (one.secret ? one : { ...one, ...choicesOf(given) })),
  );

/** Of those that the record sets, what a caller who starts the package otherwise has to set, too. */
const toEnvironment = (variables: unknown) =>
  objectsOf(variables).flatMap((given) => {
    const inputs = toInput('environment', given.name, given);
    const isFixed = typeof given.value === 'string' && placeholdersIn(given.value).length === 0;
    return isFixed && given.value !== ''
      ? inputs.filter(({ required, secret, unmarked }) => required && !secret && !unmarked)
      : inputs;
  });

/** The option before the value: its name, or the argument before it, as in `-e` and `NAME={x}`. */
function optionOf({ name, valueHint }: JsonObject, before: JsonObject = {}): string {
  if (name || valueHint) return recordedLine(name);
  const word = recordedLine(before.name ? before.value || before.name : before.value);
  return /^-[\w-]+$/.test(word) ? word : '';
}

/** By name or value hint. Variables stand for their argument, whose words and flags are theirs. */
const toArguments = (args: unknown, isOther: (given: JsonObject) => boolean = isFixed) =>
  objectsOf(args).flatMap(({ variables, ...given }, at, all) => {
    if (isFixed(given) || isOther(given)) return [];
    const text = recordedLine(given.value);
    const holes = placeholdersIn(text);
    const open = given.name && isPlaceholderOnly(text) ? [] : holes;
    const none = Object.fromEntries(open.map((part) => [part, {}]));
    const named = namedObjects({ ...none, ...asMembers(variables) });
    if (named.length === 0) return toInput('argument', given.name || given.valueHint, given);
    const { isRequired, isSecret, description } = given;
    const words = holes.length > 0 ? { value: `${optionOf(given, all[at - 1])} ${text}`.trim() } : {};
    return named.flatMap(([name, one]) =>
      toInput('variable', name, { isRequired, isSecret, description, ...one }, words),
    );
  });

function toInputs(inputs: readonly ListingInput[]): { inputs?: ListingInput[] } {
  // A variable with the same name in another argument is another one.
  const named = Map.groupBy(inputs, ({ kind, name, value }) =>
    JSON.stringify([kind, name, kind === 'variable' && value]),
  );
  const once = [...named.values()].flatMap((same) => {
    const required = same.some((one) => one.required);
    const [one] = same.toReversed().toSorted((a, b) => Number(b.secret) - Number(a.secret));
    return one ? [{ ...one, required }] : [];
  });
  if (once.length === 0) return {};
  if (once.length <= mostInputs) return { inputs: once };
  // Other inputs push no secret out.
  const weight = ({ secret, unmarked }: ListingInput) => (secret ? 2 : 0) + (unmarked ? 1 : 0);
  return { inputs: once.sort((a, b) => weight(b) - weight(a)).slice(0, mostInputs) };
}

const inputsOfTransport = ({ headers, variables }: JsonObject): ListingInput[] => [
  ...toHeaders(headers),
  ...toVariables(variables),
];

/** A part to fill in that the record does not describe may be a secret. */
const undescribed = ({ url, variables }: JsonObject): ListingInput[] =>
  placeholdersIn(recordedLine(url)).flatMap((part) => {
    const name = recordedText(part, longestName);
    if (name === '' || Object.hasOwn(asMembers(variables), part)) return [];
    return [{ name, kind: 'variable', required: false, secret: false, unmarked: true }];
  });

export const inputsOfRemote = (remote: JsonObject): ListingInput[] => [
  ...inputsOfTransport(remote),
  ...undescribed(remote),
];

export const inputsOfPackage = (recorded: JsonObject): ListingInput[] => [
  ...toEnvironment(recorded.environmentVariables),
  ...toArguments(recorded.runtimeArguments, isOfRunner),
  ...toArguments(recorded.packageArguments),
  ...inputsOfTransport(asMembers(recorded.transport)),
];

const longestUrl = 2048;
const mostRecorded = 100;

/** Some publishers repeat them. */
const withoutRepeats = <T extends object>(items: readonly T[]): T[] =>
  [...new Map(items.map((item) => [JSON.stringify(item), item])).values()].slice(0, mostRecorded);

/** Callable: no template, no user name. */
function isRecordedAddress(url: string): boolean {
  const parsed = isTemplate(url) || /\s/.test(url) || url.length > longestUrl ? null : URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username + parsed.password === '';
}

const mostUnread = 20;

/** Not what is inside them. */
function toUnread(unread: readonly string[], item: string): { unread?: string[] } {
  const names = unread
    .filter((path) => path.startsWith(`${item}.`))
    .map((path) => recordedLine(path.slice(item.length + 1).replace(/(?:\.\d|\[\]).*$/s, '')).slice(0, 60));
  return names.length === 0 ? {} : { unread: [...new Set(names)].slice(0, mostUnread) };
}

const toRemotes = ({ server, unread }: ReadRecord): ListingRemote[] =>
  onceEach(
    withoutRepeats(
      objectsOf(server.remotes)
        .map((one, at) => ({
          type: recordedLine(one.type),
          url: recordedLine(one.url),
          ...toInputs(inputsOfRemote(one)),
          ...toUnread(unread, `remotes.${at}`),
        }))
        .filter(({ url }) => url !== ''),
    ),
  );

export function toPackage(recorded: JsonObject, { unread = [] }: { unread?: string[] }): ListingPackage {
  const registry_type = recordedLine(recorded.registryType) || 'unknown';
  const place = placeOfPackage(
    registry_type,
    recordedLine(recorded.identifier),
    recordedLine(recorded.registryBaseUrl),
  );
  const inName = isImageType(registry_type) ? versionOfImage(place.identifier) : undefined;
  const version = inName ?? recordedLine(recorded.version);
  const { type, url } = asMembers(recorded.transport);
  const [transport, transport_url] = [type, url].map(recordedLine);
  const digest =
    registry_type.toLowerCase() === 'mcpb' ? recordedLine(recorded.fileSha256).toLowerCase() : '';
  const notRead = new Set([...unread, ...(keepsVariables(recorded) ? [] : ['environmentVariables'])]);
  return {
    registry_type,
    ...place,
    ...(version && { version }),
    ...(/^[\da-f]{64}$/.test(digest) && { file_sha256: digest }),
    ...(transport && { transport }),
    ...(transport_url && { transport_url }),
    ...toLaunch(recorded),
    ...(isImageType(registry_type) && toReaches(recorded)),
    ...toInputs(inputsOfPackage(recorded)),
    ...(notRead.size > 0 && { unread: [...notRead] }),
  };
}

const toPackages = ({ server, unread }: ReadRecord): ListingPackage[] =>
  withoutRepeats(
    objectsOf(server.packages)
      .map((one, at) => toPackage(one, toUnread(unread, `packages.${at}`)))
      .filter(({ identifier }) => identifier !== ''),
  );

export const hasField: Readonly<
  Record<CopyField, (of: Pick<Listing, 'remotes' | 'packages' | 'repository_key'>) => boolean>
> = {
  endpoint: ({ remotes }) => remotes.length > 0,
  package: ({ packages }) => packages.length > 0,
  repository: ({ repository_key }) => repository_key !== undefined,
};

type RecordedServer = ReturnType<typeof toRecorded>;

function publisherKeywords(server: JsonObject): string[] {
  const { keywords, tags, categories } = asMembers(asMembers(server._meta)[publisherMeta]);
  return [keywords, tags, categories]
    .flatMap((list) => (Array.isArray(list) ? (list.slice(0, 50) as unknown[]) : []))
    .filter((word) => typeof word === 'string');
}

/** `endpoint` is the first callable remote. */
export function toRecorded(record: object) {
  const read = readRecord(record);
  const { server } = read;
  const remotes = toRemotes(read);
  const repository = recordedLine(asMembers(server.repository).url);
  const repository_key = toRepositoryKey(repository);
  const website = recordedLine(server.websiteUrl);
  return {
    title: recordedLine(server.title) || undefined,
    description: recordedLine(server.description),
    endpoint: remotes.find(({ url }) => isRecordedAddress(url))?.url,
    repository: repository_key && repository,
    repository_key,
    repository_folder:
      repository_key && toRecordedFolder(recordedLine(asMembers(server.repository).subfolder)),
    website: isRecordedAddress(website) ? website : undefined,
    remotes,
    packages: toPackages(read),
    keywords: publisherKeywords(server),
    /** A remote or package is not read at all. */
    hasUnreadWay: [unreadParts.endpoint, unreadParts.package].some((path) => read.unread.includes(path)),
  };
}

/** Answers read the same records again. */
const readRecorded = memoize((record) => toRecorded(JSON.parse(record) as object), 100);
export const recordedOf = ({ record }: Pick<ListingVersion, 'record'>): RecordedServer =>
  readRecorded(record);

/** `at`, RFC 3339, is when the page is read. */
export interface PageFacts {
  readonly origin: string;
  readonly at: string;
  readonly runId: number;
}

const kinds = (values: readonly (string | undefined)[]): string[] => [
  ...new Set(values.flatMap((value) => (value && /^[a-z0-9][a-z0-9.-]{0,31}$/.test(value) ? value : []))),
];

const urlsOf = (remotes: Listing['remotes'] = []) => remotes.map(({ url }) => url).join('\n');

/** From claim and ratings as known; from checks too, if the endpoints are the same. */
function toTagsAndFacets(
  recorded: RecordedServer,
  { origin, origin_status }: Pick<Listing, 'origin' | 'origin_status'>,
  known: Listing | undefined,
) {
  const { title, description, remotes, packages, keywords, endpoint, repository, hasUnreadWay } = recorded;
  const transports = kinds([
    ...remotes.map(({ type }) => type),
    ...packages.map(({ transport }) => transport),
  ]);
  const packageTypes = kinds(packages.map(({ registry_type }) => registry_type));
  const hasRemote = remotes.length > 0;
  const tags = toTags({ title, description, keywords, hasRemote, packageTypes, transports });
  const native = known?.facets ?? [];
  const ways = [...remotes, ...packages];
  const mayAskForSecret =
    hasUnreadWay ||
    ways.some(({ inputs, unread }) => unread || inputs?.some(({ secret, unmarked }) => secret || unmarked));
  const state = claimStates.find((name) => native.includes(`state:${name}`)) ?? 'imported';
  const hasNativeRatings = native.includes('has:ratings');
  const flags: readonly (readonly [Facet, boolean])[] = [
    ['has:endpoint', endpoint !== undefined],
    ['has:repository', repository !== undefined],
    ['is:active', origin_status === 'active'],
    // The specification does not say whether secrets are needed.
    ['is:without_secret', ways.length > 0 && !mayAskForSecret && !isSpecified({ origin })],
  ];
  const facets = new Set<Facet>([
    ...tags.map(({ tag }) => `tag:${tag}` as const),
    ...transports.map((one) => `transport:${one}` as const),
    ...packageTypes.map((one) => `package:${one}` as const),
    ...flags.flatMap(([facet, has]) => (has ? [facet] : [])),
    ...(urlsOf(known?.remotes) === urlsOf(remotes) ? native.filter(isOfCheck) : []),
  ]);
  return { tags, facets: withNativeFacets([...facets], state, hasNativeRatings) };
}

/** All `versions`, and pickShown's. Without one it is withdrawn, without the publisher's texts. */
export function toListing(
  handle: string,
  {
    versions,
    shown,
    known,
  }: {
    readonly versions: readonly VersionSummary[];
    readonly shown: ListingVersion | undefined;
    readonly known: Listing | undefined;
  },
  { origin, at, runId }: PageFacts,
): Listing {
  const recorded = shown ? recordedOf(shown) : toRecorded({});
  const [published_at = ''] = versions.map((version) => version.published_at).sort();
  const changed_at =
    shown?.updated_at ?? versions.reduce((last, one) => (one.updated_at > last ? one.updated_at : last), '');
  const { keywords: _, hasUnreadWay: __, ...fields } = recorded;
  const deprecated = shown?.status === 'deprecated' ? shown : undefined;
  const origin_status = deprecated ? 'deprecated' : 'active';
  return {
    id: toStaticRank(handle, published_at),
    handle,
    ...fields,
    owners: shown && deriveOwners({ handle, ...fields }),
    version: shown?.version ?? '',
    origin,
    origin_status,
    status_message: shown?.status_message,
    published_at,
    updated_at: deprecated?.published_at ?? changed_at,
    entry_changed_at: deprecated && changed_at,
    imported_at: at,
    import_run: runId,
    ...(versions.some(({ undated }) => undated) && { undated: true }),
    withdrawn: shown ? undefined : 'deleted',
    ...(shown ? toTagsAndFacets(recorded, { origin, origin_status }, known) : { tags: [], facets: [] }),
  };
}
