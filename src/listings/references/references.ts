import { hash } from 'node:crypto';
import { handleParts } from '../../core/handle.ts';
import { Holder, namespaceIdentity, repositoryIdentity, websiteDomain } from '../../core/identity.ts';
import { hasTemplateHost } from '../../core/text.ts';
import { isPlaceholder, letters, ownerFacets, ownerLabel } from '../../search/query.ts';
import { lightWords, questionWords, stopWords, toWords } from '../../search/words.ts';
import type { Listing, ListingPackage } from '../listing.ts';
import type { ListingRow, ListingSchema, ReferenceKind } from '../schema.ts';
import { isImageType } from './command.ts';

/** Several records may name it, or a listing asks to be paid there. */
export interface Reference {
  readonly kind: Exclude<ReferenceKind, 'name' | 'tools' | 'tool'>;
  /** Equal for every spelling. */
  readonly key: string;
  readonly registry?: string | undefined;
  /** CAIP-2, of a payee. */
  readonly network?: string | undefined;
  /** The name alone does not find the package. */
  readonly isElsewhere?: true;
}

/** Without scheme, default port, `www.`, fragment and trailing slash, the host in lower case. */
export function toAddressKey(text: string): string | undefined {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (!url || !/^https?:$/.test(url.protocol) || !/.\../.test(url.hostname)) return undefined;
  if (hasTemplateHost(text)) return undefined;
  return `${url.host.replace(/^www\./, '')}${url.pathname.replace(/\/+$/, '')}${url.search}`;
}

/** `MAL-2026-1`, `GHSA-abcd-efgh-ijkl`. */
export const toAdvisoryKey = (id: string): string =>
  id.toLowerCase().replace(/^[a-z]+/, (name) => name.toUpperCase());

export const toHost = (key: string) => key.replace(/(?::\d+)?(?:[/?].*)?$/s, '');

const toImageKey = (name: string) =>
  name
    .replace(/^(?:docker\.io|index\.docker\.io)\/(?:library\/)?/, '')
    .replace(/(?::[\w.-]+)?(?:@sha256:.*)?$/, '');

/** Registries compare names in this form. */
export function toPackageKey(name: string, registry: string | undefined): string {
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

/** None for a name that says too little to tell listings apart. */
export const toCalled = (...names: readonly string[]): Reference[] =>
  names.filter(isTelling).map((name) => ({ kind: 'called', key: letters(name) }));

/** A short one counts only with a telling name after the slash, a placeholder never. */
function descriptionOf({ handle, description }: Pick<Listing, 'handle' | 'description'>): Reference[] {
  const key = description.toLowerCase().replaceAll(/\s+/g, ' ').trim().replace(/\.$/, '');
  if (key === '' || isPlaceholder(description)) return [];
  if (key.length >= shortestDescription) return [{ kind: 'description', key }];
  const name = handle.slice(handle.indexOf('/') + 1).toLowerCase();
  return isTelling(name) ? [{ kind: 'namesake', key: `${name} ${key}` }] : [];
}

/** Of a file or an image, as security tools name it. */
function digestOf({ identifier, file_sha256 }: ListingPackage): Reference[] {
  const [key = file_sha256] = /(?<=@sha256:)[\da-f]{64}$/.exec(identifier) ?? [];
  return key === undefined ? [] : [{ kind: 'package', key }];
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
    ...packages.flatMap(digestOf),
  ];
}

/** Another host that an endpoint redirects to, as an address with the same path and alone. */
export function redirectsOf(endpoint: string, host: string | undefined): Reference[] {
  const path = URL.parse(endpoint)?.pathname ?? '';
  const keys = host === undefined ? [] : [toAddressKey(host + path), toAddressKey(host)];
  return keys.flatMap((key) => (key === undefined ? [] : { kind: 'moved', key }));
}

/** The identity of a domain, or of a repository's account. */
export function holderOfReference({ kind, key }: Reference): string | undefined {
  if (kind === 'endpoint' || kind === 'host') return Holder.ofHost(toHost(key)).id;
  return kind === 'repository' ? repositoryIdentity(key) : undefined;
}

/** The account and the domains that a record names, and those of the namespace. */
function holdersOf({
  handle,
  repository_key = '',
  website = '',
  remotes,
}: Pick<Listing, 'handle' | 'repository_key' | 'website' | 'remotes'>): Reference[] {
  const own = Holder.ofNamespace(handle);
  const account = repositoryIdentity(repository_key);
  const domains = [website, ...remotes.map(({ url }) => url)].flatMap((url) => websiteDomain(url) ?? []);
  const ofOwn: Reference = { kind: own.isAccount ? 'account' : 'website', key: own.id };
  return [
    ofOwn,
    ...(account ? [{ kind: 'account' as const, key: account }] : []),
    ...[...new Set(domains)].map((key) => ({ kind: 'website' as const, key })),
  ];
}

export function referencesOf(
  listing: Pick<
    Listing,
    'handle' | 'title' | 'description' | 'remotes' | 'packages' | 'repository_key' | 'website'
  >,
): Reference[] {
  const word = ownerLabel(listing.handle);
  return [
    ...toCalled(handleParts(listing.handle).name, listing.title ?? ''),
    ...holdersOf(listing),
    ...recordedPlaces(listing),
    ...descriptionOf(listing),
    ...(word.length < shortestWord ? [] : [{ kind: 'word' as const, key: word }]),
  ];
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

/** Of the domain or account of its namespace. */
export const ownerKeysOf = (handle: string): string[] =>
  ownerFacets(handle).map((facet) => keyOfReference({ kind: 'owner', key: facet.slice('owner:'.length) }));

export function rowReferences(row: ListingRow): ListingSchema['listing_reference'][] {
  const { handle, published_at } = row;
  const all = referencesOf({
    handle,
    title: (row.hidden === 1 ? undefined : row.title) ?? undefined,
    description: row.hidden === 1 ? '' : row.description,
    remotes: JSON.parse(row.remotes) as Listing['remotes'],
    packages: JSON.parse(row.packages) as Listing['packages'],
    repository_key: row.repository_key ?? undefined,
    website: row.website ?? undefined,
  });
  const same = { handle, published_at, publisher: namespaceIdentity(handle), as_of: '' };
  return [...new Map(referenceKeys(all).map((one) => [one.key, { ...one, ...same }])).values()];
}

/** The listing is found by them, but does not show them. */
export const toIndexKeys = ({ handle, namespace }: Pick<ListingRow, 'handle' | 'namespace'>): string[] => [
  ...ownerFacets(handle),
  `publisher:${namespace.toLowerCase()}`,
];
