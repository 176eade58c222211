import { hash } from 'node:crypto';
import { isHandle } from '../../core/handle.ts';
import { Holder, namespaceIdentity, repositoryIdentity } from '../../core/identity.ts';
import { attempt, ownMember } from '../../core/json.ts';
import { type Payee, readNamedPayee } from '../../core/payee.ts';
import { toRepositoryKey } from '../../net/repository-place.ts';
import { ownerFacets, ownerLabel } from '../../search/facets.ts';
import { isPlaceholder } from '../../search/query.ts';
import { lightWords, questionWords, stopWords, toWords } from '../../search/words.ts';
import type { Listing, ListingPackage } from '../listing.ts';
import type { ListingRow, ListingSchema, ReferenceKind } from '../schema.ts';
import { readCommand, shellOperator } from './command.ts';
import { isImageType } from './package.ts';

/** Several records may name it, or a listing asks to be paid there. */
export interface Reference {
  readonly kind: Exclude<ReferenceKind, 'name' | 'tools'>;
  /** Equal for every spelling. */
  readonly key: string;
  readonly registry?: string | undefined;
  /** CAIP-2, of a payee. */
  readonly network?: string | undefined;
  /** The name alone does not find the package. */
  readonly isElsewhere?: true;
}

const longest = 500;

/** Without scheme, default port, `www.`, fragment and trailing slash, the host in lower case. */
function toAddressKey(text: string): string | undefined {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (!url || !/^https?:$/.test(url.protocol) || !/^[^{}]+\.[^{}]+$/.test(url.hostname)) return undefined;
  return `${url.host.replace(/^www\./, '')}${url.pathname.replace(/\/+$/, '')}${url.search}`;
}

export const toHost = (key: string) => key.replace(/(?::\d+)?(?:[/?].*)?$/s, '');

const toImageKey = (name: string) =>
  name
    .replace(/^(?:docker\.io|index\.docker\.io)\/(?:library\/)?/, '')
    .replace(/(?::[\w.-]+)?(?:@sha256:.*)?$/, '');

/** Registries compare names in this form. */
function toPackageKey(name: string, registry: string | undefined): string {
  const lower = name.toLowerCase();
  if (registry === 'pypi') return lower.replace(/[-_.]+/g, '-');
  if (registry === 'oci') return toImageKey(lower);
  return /^https?:/.test(lower) ? (toAddressKey(name) ?? lower) : lower;
}

export function toPackageReference(recorded: ListingPackage): Reference {
  const { registry_type, registry_base_url, identifier } = recorded;
  const type = isImageType(registry_type) ? 'oci' : registry_type;
  const key = toPackageKey(identifier, type);
  if (registry_base_url === undefined) return { kind: 'package', key, registry: type };
  return {
    kind: 'package',
    key,
    registry: `${type} ${registry_base_url.replace(/\/+$/, '')}`,
    isElsewhere: true,
  };
}

/** Shorter texts may be equal by chance. */
const shortestDescription = 40;
const shortestWord = 3;

const saysLittle = [stopWords, lightWords, questionWords];

/** More than that it is an MCP server or an API. */
const isTelling = (name: string) =>
  toWords(name).some(({ text }) => text.length >= shortestWord && !saysLittle.some((list) => list.has(text)));

/** A short one counts only with a telling name after the slash, a placeholder never. */
function descriptionOf({ handle, description }: Pick<Listing, 'handle' | 'description'>): Reference[] {
  const key = description.toLowerCase().replaceAll(/\s+/g, ' ').trim().replace(/\.$/, '');
  if (key === '' || isPlaceholder(description)) return [];
  if (key.length >= shortestDescription) return [{ kind: 'description', key }];
  const name = handle.slice(handle.indexOf('/') + 1).toLowerCase();
  return isTelling(name) ? [{ kind: 'namesake', key: `${name} ${key}` }] : [];
}

function recordedPlaces({
  remotes,
  packages,
  repository_key,
}: Pick<Listing, 'remotes' | 'packages' | 'repository_key'>): Reference[] {
  const endpoints = remotes.flatMap(({ url }) => toAddressKey(url) ?? []);
  return [
    ...endpoints.map((key) => ({ kind: 'endpoint' as const, key })),
    ...endpoints.map((key) => ({ kind: 'host' as const, key: toHost(key) })),
    ...(repository_key === undefined ? [] : [{ kind: 'repository' as const, key: repository_key }]),
    ...packages.map(toPackageReference),
  ];
}

/** The identity of a domain, or of a repository's account. */
export function holderOfReference({ kind, key }: Reference): string | undefined {
  if (kind === 'endpoint' || kind === 'host') return Holder.ofHost(toHost(key)).id;
  return kind === 'repository' ? repositoryIdentity(key) : undefined;
}

export function referencesOf(
  listing: Pick<Listing, 'handle' | 'description' | 'remotes' | 'packages' | 'repository_key'>,
): Reference[] {
  const word = ownerLabel(listing.handle);
  return [
    ...recordedPlaces(listing),
    ...descriptionOf(listing),
    ...(word.length < shortestWord ? [] : [{ kind: 'word' as const, key: word }]),
  ];
}

const registries: Readonly<Record<string, string>> = {
  npm: 'npm',
  pypi: 'pypi',
  pip: 'pypi',
  oci: 'oci',
  docker: 'oci',
  nuget: 'nuget',
  cargo: 'cargo',
  mcpb: 'mcpb',
};
const packageForm = /^(?=.{1,200}$)@?[a-z0-9][\w.-]*(?:\/[\w.-]+)*$/i;

/** `@1.2.3`, `@=1.2.3`, `==1.2.3`, `>=2`, `:1.2`, `@sha256:...`. */
const behindName = /(?<=.)(?:@[^/@]*|\s*[=~<>!].*|:[\w.-]+)$/;

/** Twice, because an image may have a tag and a digest. */
const withoutVersion = (name: string) => name.replace(behindName, '').replace(behindName, '');

/** Pages about anything else of a package, such as its tags, name the package only. */
const packagePages: readonly (readonly [registry: string, page: RegExp])[] = [
  ['npm', /^(?:www\.)?npmjs\.com\/package\/(@[^/]+\/[^/]+|[^/@]+)(?:\/v\/([^/]+)|\/.*)?$/i],
  ['pypi', /^(?:www\.)?pypi\.org\/project\/([^/]+)(?:\/(\d[^/]*)|\/.*)?$/i],
  ['nuget', /^(?:www\.)?nuget\.org\/packages\/([^/]+)(?:\/(\d[^/]*)|\/.*)?$/i],
  ['cargo', /^(?:www\.)?crates\.io\/crates\/([^/]+)(?:\/(\d[^/]*)|\/.*)?$/i],
  ['oci', /^hub\.docker\.com\/r\/([^/]+\/[^/]+)(?:\/.*)?$/i],
  ['oci', /^hub\.docker\.com\/_\/([^/]+)(?:\/.*)?$/i],
];

/** As `npm:name@version`. */
function readPackagePage(text: string): string | undefined {
  const written = text.replace(/[?#].*$/s, '').replace(/\/+$/, '');
  const address = (attempt(() => decodeURIComponent(written)) ?? written).replace(/^https?:\/\//i, '');
  for (const [registry, page] of packagePages) {
    const [found, name, version] = page.exec(address) ?? [];
    if (found && name) return `${registry}:${name}${version ? `@${version}` : ''}`;
  }
  return undefined;
}

/** Empty for a package that has no plain name here. */
function readCommanded(text: string): string | undefined {
  const given = text.trim().match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [];
  const words = given.map((word) => word.replace(/^(["'])(.*)\1$/s, '$2'));
  const isOne = words.length > 1 && !shellOperator.test(text.trim().replace(/'[^']*'|"[^"$`\\]*"/g, ''));
  const { registry, name, version, address, isElsewhere } = isOne ? readCommand(words) : {};
  if (isElsewhere || name === undefined) return address ?? (registry && '');
  return address ?? `${registry}:${name}${version === undefined ? '' : `@${version}`}`;
}

function readPackage(text: string) {
  const written = readPackagePage(text) ?? readCommanded(text) ?? text;
  // A package URL encodes the @ of a scope and ends with qualifiers and a path.
  const plain = /^pkg:/i.test(written)
    ? (attempt(() => decodeURIComponent(written.replace(/[?#].*$/s, ''))) ?? written)
    : written;
  const [, prefix = '', rest = ''] = /^(?:pkg:)?(?:([a-z]+)[:/](?!\/))?(.*)$/i.exec(plain) ?? [];
  const registry = ownMember(registries, prefix.toLowerCase());
  return { registry, named: registry ? rest.replace(/^\/\//, '') : plain };
}

/** `isExact` is false if an operator makes the version a range. */
export interface VersionAsked {
  readonly text: string;
  readonly isExact: boolean;
}

const longestVersion = 100;

/** Of a text of at most 500 characters. */
export function versionIn(text: string): VersionAsked | undefined {
  if (text.length > longest) return undefined;
  const { named } = readPackage(text.trim());
  const behind = named.slice(withoutVersion(named).length).trim();
  const [, sign = '', version = ''] = /^(@=?|:|={1,3}(?![~<>!])|[=~<>!]+)\s*(.*)$/s.exec(behind) ?? [];
  if (version === '') return undefined;
  const isExact = /^(?:@=?|:|={1,3})$/.test(sign);
  const [, digest] = /@(sha256:[\da-f]{64})$/.exec(behind) ?? [];
  const asked = digest ?? (isExact ? version : behind);
  return { text: asked.slice(0, longestVersion), isExact };
}

function toPackageReferences(text: string): Reference[] {
  const { registry, named } = readPackage(text);
  const name = withoutVersion(named);
  if (!packageForm.test(name)) return [];
  const types = registry ? [registry] : [undefined, 'pypi', 'oci'];
  const keys = new Set(types.map((type) => toPackageKey(name, type)));
  return [...keys].map((key) => ({ kind: 'package', key, registry }));
}

export function payeeReferences({ address: key, network }: Payee): Reference[] {
  const anywhere = { kind: 'pay_to' as const, key };
  return network === undefined ? [anywhere] : [{ ...anywhere, network }, anywhere];
}

/** None for a package with its registry (`oci:image:1.2`). */
function toPayeeReferences(text: string): Reference[] {
  const payee = readPackage(text).registry ? undefined : readNamedPayee(text);
  return payee ? payeeReferences(payee) : [];
}

/** The likeliest comes first. */
export function toReferences(text: string): Reference[] {
  if (text.length > longest) return [];
  const started = readCommanded(text);
  if (started !== undefined) return started === '' ? [] : toReferences(started);
  if (readPackagePage(text) !== undefined) return toPackageReferences(text);
  const paid = toPayeeReferences(text);
  // A Solana address has only letters and digits, like a package.
  if (paid.length > 0) return paid[0]?.key.startsWith('0x') ? paid : [...paid, ...toPackageReferences(text)];
  const isAddress = /^(?:https?|git|ssh|git\+https?|git\+ssh):\/\/|^[\w-]+@[\w.-]+:/i.test(text);
  const written = isAddress ? text : `https://${text}`;
  const address =
    isAddress || /^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/[\w.~@-]+)+\/?$/.test(text)
      ? toAddressKey(written)
      : undefined;
  const bare = isAddress ? address : /^[\w-]+(?:\.[\w-]+)+(?::\d+)?$/.test(text) && toAddressKey(written);
  const repository = address || isAddress ? toRepositoryKey(written) : undefined;
  return [
    ...(address ? [{ kind: 'endpoint' as const, key: address }] : []),
    ...(repository ? [{ kind: 'repository' as const, key: repository }] : []),
    ...(address && isAddress ? [{ kind: 'package' as const, key: address }] : []),
    ...(isAddress ? [] : toPackageReferences(text)),
    ...(bare && !/[/?]/.test(bare) ? [{ kind: 'host' as const, key: toHost(bare) }] : []),
  ];
}

const forges = ['github.com', 'gitlab.com', 'codeberg.org', 'bitbucket.org'];

export const isAtForge = ({ kind, key }: Reference): boolean =>
  kind === 'repository' && forges.some((forge) => key.startsWith(`${forge}/`));

/** An owner has no dot, but a namespace has one. */
export const isOwnerAndName = (text: string): boolean => /^[\w-]{1,100}\/[\w.-]{1,100}$/.test(text);

/** At well-known forges for `owner/name`; none for other handles. */
export function referencesBeside(text: string): Reference[] {
  if (isOwnerAndName(text))
    return forges.map((forge) => ({ kind: 'repository', key: `${forge}/${text.toLowerCase()}` }));
  return isHandle(text) ? [] : toReferences(text);
}

/** A package without a registry is of any. */
export const isSameReference = (one: Reference, other: Reference): boolean =>
  one.kind === other.kind && one.key === other.key && (one.registry ?? other.registry) === other.registry;

/** 96 bits, so that rows do not repeat the texts. */
export const toReferenceKey = (kind: ReferenceKind, ...texts: readonly string[]): string =>
  hash('sha256', JSON.stringify([kind, ...texts]), 'base64url').slice(0, 16);

export const keyOfReference = ({ kind, key, registry }: Reference): string =>
  kind === 'package' && registry === undefined
    ? toReferenceKey('name', key)
    : toReferenceKey(kind, key, ...(registry === undefined ? [] : [registry]));

const referenceKeys = (
  all: readonly Reference[],
): Pick<ListingSchema['listing_reference'], 'kind' | 'key'>[] =>
  all.flatMap((one) => [
    { kind: one.kind, key: keyOfReference(one) },
    ...(one.kind === 'package' && one.registry !== undefined && !one.isElsewhere
      ? [{ kind: 'name' as const, key: toReferenceKey('name', one.key) }]
      : []),
  ]);

export const placeKeysOf = (
  recorded: Pick<Listing, 'remotes' | 'packages' | 'repository_key'>,
): ReadonlySet<string> => new Set(referenceKeys(recordedPlaces(recorded)).map(({ key }) => key));

export function rowReferences(row: ListingRow): ListingSchema['listing_reference'][] {
  const { handle, published_at } = row;
  const all = referencesOf({
    handle,
    description: row.hidden === 1 ? '' : row.description,
    remotes: JSON.parse(row.remotes) as Listing['remotes'],
    packages: JSON.parse(row.packages) as Listing['packages'],
    repository_key: row.repository_key ?? undefined,
  });
  const same = { handle, published_at, publisher: namespaceIdentity(handle), as_of: '' };
  return [...new Map(referenceKeys(all).map((one) => [one.key, { ...one, ...same }])).values()];
}

/** The listing is found by them, but does not show them. */
export const toIndexKeys = ({ handle, namespace }: Pick<ListingRow, 'handle' | 'namespace'>): string[] => [
  ...ownerFacets(handle),
  `publisher:${namespace.toLowerCase()}`,
];
