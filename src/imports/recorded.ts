import { asMembers, isJsonObject, type JsonObject } from '../core/json.ts';
import { toLine } from '../core/text.ts';
import {
  type Listing,
  type ListingInput,
  type ListingPackage,
  type ListingRemote,
  type ListingVersion,
  publisherMeta,
} from '../listings/listing.ts';
import { toRepositoryKey } from '../net/repository-place.ts';
import type { ServerJson } from './entry.ts';
import type { CopyField } from './import-run.ts';

const longestName = 200;
const longestDescription = 300;
const mostInputs = 100;

/** A text on one line; empty if there is none. */
const textOf = (value: unknown, longest: number) =>
  typeof value === 'string' ? toLine(value).slice(0, longest).toWellFormed() : '';

const listedInputs = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
const named = (value: unknown): [string, JsonObject][] =>
  isJsonObject(value)
    ? Object.entries(value).filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]))
    : [];

/** Whether a value is complete; one with a `{template}` still needs input from the caller. */
const isFixed = ({ value }: JsonObject) =>
  typeof value === 'string' && value !== '' && !/\{[^{}]+\}/.test(value);

/** One input. The variables of its value's template count as part of it. */
function toInput(kind: ListingInput['kind'], recorded: unknown, given: JsonObject): ListingInput[] {
  const name = textOf(recorded, longestName);
  if (name === '') return [];
  const parts = [given, ...named(given.variables).map(([, variable]) => variable)];
  const has = (flag: 'isRequired' | 'isSecret') => parts.some((part) => part[flag] === true);
  const description = parts.map((part) => textOf(part.description, longestDescription)).find(Boolean);
  return [
    {
      ...{ name, kind, required: has('isRequired'), secret: has('isSecret') },
      ...(description && { description }),
    },
  ];
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

const packageInputs = (recorded: NonNullable<ServerJson['packages']>[number]) =>
  toInputs([
    ...toEnvironment(recorded.environmentVariables),
    ...toArguments(recorded.runtimeArguments),
    ...toArguments(recorded.packageArguments),
    ...toHeaders(recorded.transport?.headers),
    ...toVariables(recorded.transport?.variables),
  ]);

const longestText = 500;
const longestUrl = 2048;
const mostRecorded = 100;

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
      .map(({ type, url, headers, variables }) => ({
        ...{ type: line(type), url: line(url) },
        ...toInputs([...toHeaders(headers), ...toVariables(variables)]),
      }))
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

/** Whether a record has a field that a copy may leave out. */
export const hasField: Readonly<
  Record<CopyField, (of: Pick<Listing, 'remotes' | 'packages' | 'repository_key'>) => boolean>
> = {
  endpoint: ({ remotes }) => remotes.length > 0,
  package: ({ packages }) => packages.length > 0,
  repository: ({ repository_key }) => repository_key !== undefined,
};

/** The parts of a server.json that a listing shows, cleaned, each on one line; absent parts are undefined. */
export type Recorded = ReturnType<typeof toRecorded>;

/** Keywords, tags and categories that the publisher states in its own `_meta`. */
function publisherKeywords(server: ServerJson): string[] {
  const { keywords, tags, categories } = asMembers(server._meta?.[publisherMeta]);
  return [keywords, tags, categories]
    .flatMap((list) => (Array.isArray(list) ? (list.slice(0, 50) as unknown[]) : []))
    .filter((word) => typeof word === 'string');
}

/** The recorded parts of a server.json. `endpoint` is the first remote without a template. */
export function toRecorded(server: ServerJson) {
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
