import { createHash } from 'node:crypto';
import { toRepositoryKey } from '../net/repository-place.ts';
import type { Facet } from '../search/facets.ts';
import { ownerFacets } from '../search/owners.ts';
import type { Listing, ListingPackage } from './listing.ts';
import type { ListingRow } from './table.ts';

/** A fact of a record that a listing can be found by. */
export interface Reference {
  readonly kind: 'endpoint' | 'host' | 'repository' | 'package';
  /** The same for every spelling. */
  readonly key: string;
  /** The registry of a package, where it is stated. */
  readonly registry?: string | undefined;
}

const longest = 500;

/** An address without scheme, default port, `www.`, fragment and trailing slash, its host in lower case. */
function toAddressKey(text: string): string | undefined {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (!url || !/^https?:$/.test(url.protocol) || !url.hostname.includes('.')) return undefined;
  return `${url.host.replace(/^www\./, '')}${url.pathname.replace(/\/+$/, '')}${url.search}`;
}

/** The host of an address key. */
const toHost = (key: string) => key.replace(/[/?].*$/s, '');

/** Without tag and digest, and without the registry that images have by default. */
const toImageKey = (name: string) =>
  name
    .replace(/^(?:docker\.io|index\.docker\.io)\/(?:library\/)?/, '')
    .replace(/(?::[\w.-]+)?(?:@sha256:.*)?$/, '');

/** A package's name as its registry compares names. */
function toPackageKey(name: string, registry: string | undefined): string {
  const lower = name.toLowerCase();
  if (registry === 'pypi') return lower.replace(/[-_.]+/g, '-');
  if (registry === 'oci') return toImageKey(lower);
  return /^https?:/.test(lower) ? (toAddressKey(name) ?? lower) : lower;
}

const toPackageReference = ({ registry_type, identifier }: ListingPackage): Reference => ({
  kind: 'package',
  key: toPackageKey(identifier, registry_type),
  registry: registry_type,
});

/** The endpoints with their hosts, the repository and the packages that a listing records. */
export function referencesOf({
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
/** What starts a package, as it stands in settings of clients. */
const runner = /^(?:npx|bunx|uvx|pnpm dlx|yarn dlx|pipx run)\s+(?:-y\s+|--yes\s+)?/;
const packageForm = /^(?=.{1,200}$)@?[a-z0-9][\w.-]*(?:\/[\w.-]+)*$/i;

/** Without a version: `pkg@1.2.3`, `pkg==1.2.3`, `image:1.2`. */
const withoutVersion = (name: string) => name.replace(/(?<=.)(?:@[^/@]*|[=~<>]=.*|:[\w.-]+)$/, '');

function toPackageReferences(text: string): Reference[] {
  const [, prefix = '', rest = ''] =
    /^(?:pkg:)?(?:([a-z]+)[:/](?!\/))?(.*)$/i.exec(text.replace(runner, '')) ?? [];
  const registry = Object.hasOwn(registries, prefix.toLowerCase())
    ? registries[prefix.toLowerCase()]
    : undefined;
  const name = withoutVersion(registry ? rest.replace(/^\/\//, '') : text.replace(runner, '')).replace(
    /@sha256$/,
    '',
  );
  if (!packageForm.test(name)) return [];
  const types = registry ? [registry] : [undefined, 'pypi', 'oci'];
  const keys = new Set(types.map((type) => toPackageKey(name, type)));
  return [...keys].map((key) => ({ kind: 'package', key, registry }));
}

/** What a text may name, the likeliest first; nothing if it cannot be an address or a package. */
export function toReferences(text: string): Reference[] {
  if (text.length > longest) return [];
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
    ...(bare && bare === toHost(bare) ? [{ kind: 'host' as const, key: bare }] : []),
  ];
}

/** Whether a listing records a name. */
export const records = (listing: Listing, { kind, key, registry }: Reference): boolean =>
  referencesOf(listing).some(
    (own) => own.kind === kind && own.key === key && (registry === undefined || own.registry === registry),
  );

/** A name as the search index has it; a package has one of its registry, and one of whichever registry. */
export const toReferenceFacet = ({ kind, key, registry }: Reference): Facet =>
  `at:${createHash('sha256')
    .update([kind, key, registry].filter(Boolean).join(' '))
    .digest('base64url')
    .slice(0, 11)}`;

/** What the search index has of a listing beside its words and facets. */
export function toIndexKeys(row: ListingRow): string[] {
  const listing = {
    remotes: JSON.parse(row.remotes) as Listing['remotes'],
    packages: JSON.parse(row.packages) as Listing['packages'],
    repository_key: row.repository_key ?? undefined,
  };
  return [
    ...new Set([
      ...referencesOf(listing).flatMap((own) => [own, { ...own, registry: undefined }].map(toReferenceFacet)),
      ...ownerFacets(row.handle),
      `publisher:${row.namespace.toLowerCase()}`,
    ]),
  ];
}
