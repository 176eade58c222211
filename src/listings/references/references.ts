import { hash } from 'node:crypto';
import { Holder, repositoryIdentity } from '../../core/identity.ts';
import { hasTemplateHost } from '../../core/text.ts';
import { letters, ownerFacets } from '../../search/query.ts';
import { lightWords, questionWords, stopWords, toWords } from '../../search/words.ts';
import type { ListingPackage } from '../listing.ts';
import type { ListingRow, ReferenceKind } from '../schema.ts';
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

/** The SHA-256 of a file or an image. */
export const isDigest = ({ key, registry }: Pick<Reference, 'key' | 'registry'>) =>
  registry === undefined && /^[\da-f]{64}$/i.test(key);

/** As a file for a client was saved, without its address. */
export const fileForm = /^[^/]+\.(?:mcpb|dxt)$/i;

export function nounOf(one: Reference) {
  if (isDigest(one)) return 'file or image with the SHA-256';
  return fileForm.test(one.key) ? 'file' : one.kind;
}

/** The folder follows `//`. */
export const toFolderReference = (repository: string, folder: string): Reference => ({
  kind: 'folder',
  key: `${repository}//${folder}`,
});

export const folderIn = ({ key }: Reference): string => key.slice(key.indexOf('//') + 2);

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

export const shortestWord = 3;

const saysLittle = [stopWords, lightWords, questionWords];

/** More than that it is an MCP server or an API. */
export const isTelling = (name: string) =>
  toWords(name).some(({ text }) => text.length >= shortestWord && !saysLittle.some((list) => list.has(text)));

/** None for a name that says too little to tell listings apart. */
export const toCalled = (...names: readonly string[]): Reference[] =>
  names.filter(isTelling).map((name) => ({ kind: 'called', key: letters(name) }));

/** Another host that an endpoint redirects to, as an address with the same path and alone. */
export function redirectsOf(endpoint: string, host: string | undefined): Reference[] {
  const path = URL.parse(endpoint)?.pathname ?? '';
  const keys = host === undefined ? [] : [toAddressKey(host + path), toAddressKey(host)];
  return keys.flatMap((key) => (key === undefined ? [] : { kind: 'moved', key }));
}

/** The identity of a domain, or of a repository's account. */
export function holderOfReference({ kind, key }: Reference): string | undefined {
  if (kind === 'endpoint' || kind === 'host' || kind === 'template') return Holder.ofHost(toHost(key)).id;
  return kind === 'repository' || kind === 'folder' ? repositoryIdentity(key) : undefined;
}

/** Whether it names a place of a record, and not what a listing is called or asks for. */
export const isPlace = ({ kind }: Reference): boolean => kind !== 'called' && kind !== 'input';

/** A package without a registry is of any. */
export const isSameReference = (one: Reference, other: Reference): boolean =>
  one.kind === other.kind && one.key === other.key && (one.registry ?? other.registry) === other.registry;

/** 96 bits, so that rows do not repeat the texts. */
export const toReferenceKey = (kind: ReferenceKind, ...texts: readonly string[]): string =>
  hash('sha256', JSON.stringify([kind, ...texts]), 'base64url').slice(0, 16);

export const keyOfReference = ({ kind, key, registry }: Reference): string =>
  kind === 'package' && registry === undefined
    ? toReferenceKey('name', key)
    : toReferenceKey(
        kind,
        kind === 'input' || kind === 'folder' ? key.toLowerCase() : key,
        ...(registry === undefined ? [] : [registry]),
      );

/** Of the domain or account of its namespace. */
export const ownerKeysOf = (handle: string): string[] =>
  ownerFacets(handle).map((facet) => keyOfReference({ kind: 'owner', key: facet.slice('owner:'.length) }));

/** The listing is found by them, but does not show them. */
export const toIndexKeys = ({ handle, namespace }: Pick<ListingRow, 'handle' | 'namespace'>): string[] => [
  ...ownerFacets(handle),
  `publisher:${namespace.toLowerCase()}`,
];
