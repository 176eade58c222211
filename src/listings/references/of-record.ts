import { handleParts } from '../../core/handle.ts';
import { Holder, namespaceIdentity, repositoryIdentity, websiteDomain } from '../../core/identity.ts';
import { isPlaceholder, ownerLabel } from '../../search/query.ts';
import { type Listing, type ListingPackage, type NewPlace, newPlace } from '../listing.ts';
import type { ListingRow, ListingSchema } from '../schema.ts';
import { withoutV } from './command.ts';
import {
  fileForm,
  isDigest,
  isSameReference,
  isTelling,
  keyOfReference,
  type Reference,
  shortestWord,
  toAddressKey,
  toCalled,
  toFolderReference,
  toHost,
  toPackageReference,
  toReferenceKey,
} from './references.ts';
import { startedBeside } from './started-beside.ts';
import { templateReferences } from './templates.ts';

/** Shorter texts may be equal by chance. */
const shortestDescription = 40;

/** A short one counts only with a telling name after the slash, a placeholder never. */
function descriptionOf({ handle, description }: Pick<Listing, 'handle' | 'description'>): Reference[] {
  const key = description.toLowerCase().replaceAll(/\s+/g, ' ').trim().replace(/\.$/, '');
  if (key === '' || isPlaceholder(description)) return [];
  if (key.length >= shortestDescription) return [{ kind: 'description', key }];
  const name = handle.slice(handle.indexOf('/') + 1).toLowerCase();
  return isTelling(name) ? [{ kind: 'namesake', key: `${name} ${key}` }] : [];
}

/** Of a file or an image also the digest, as security tools name it, and the name under which it is saved. */
function packageReferences(recorded: ListingPackage): Reference[] {
  const { identifier, file_sha256 } = recorded;
  const [digest = file_sha256] = /(?<=@sha256:)[\da-f]{64}$/.exec(identifier) ?? [];
  const saved = identifier.split('/').at(-1) ?? '';
  const keys = [digest, fileForm.test(saved) ? saved.toLowerCase() : undefined];
  const others = keys.filter((key) => key !== undefined).map((key) => ({ kind: 'package' as const, key }));
  return [toPackageReference(recorded), ...others];
}

export const isNamedBy = (references: readonly Reference[]) => (recorded: ListingPackage) =>
  packageReferences(recorded).some((one) => references.some((other) => isSameReference(other, one)));

type RecordedPlaces = Pick<Listing, 'remotes' | 'packages' | 'repository_key' | 'repository_folder'>;

function recordedPlaces({
  remotes,
  packages,
  repository_key,
  repository_folder,
}: RecordedPlaces): Reference[] {
  const endpoints = remotes.flatMap(({ url }) => toAddressKey(url) ?? []);
  return [
    ...endpoints.map((key) => ({ kind: 'endpoint' as const, key })),
    ...endpoints.map((key) => ({ kind: 'host' as const, key: toHost(key) })),
    ...(repository_key === undefined ? [] : [{ kind: 'repository' as const, key: repository_key }]),
    ...(repository_key && repository_folder ? [toFolderReference(repository_key, repository_folder)] : []),
    ...packages.flatMap(packageReferences),
    ...packages.flatMap(startedBeside).map(({ key }) => ({ kind: 'started' as const, key })),
  ];
}

export const inputsOf = ({ inputs = [], environment = {} }: Pick<ListingPackage, 'inputs' | 'environment'>) =>
  [...inputs.map(({ name }) => name), ...Object.keys(environment)].map((key) => ({
    kind: 'input' as const,
    key,
  }));

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
  listing: RecordedPlaces & Pick<Listing, 'handle' | 'title' | 'description' | 'website'>,
): Reference[] {
  const word = ownerLabel(listing.handle);
  return [
    ...toCalled(handleParts(listing.handle).name, listing.title ?? '', word),
    ...holdersOf(listing),
    ...recordedPlaces(listing),
    ...templateReferences(listing.remotes),
    ...[...listing.remotes, ...listing.packages].flatMap(inputsOf),
    ...descriptionOf(listing),
    ...(word.length < shortestWord ? [] : [{ kind: 'word' as const, key: word }]),
  ];
}

const referenceKeys = (
  all: readonly Reference[],
): Pick<ListingSchema['listing_reference'], 'kind' | 'key'>[] =>
  all.flatMap((one) => [
    { kind: one.kind, key: keyOfReference(one) },
    ...(one.kind === 'package' && one.registry !== undefined && !one.isElsewhere
      ? [{ kind: 'name' as const, key: toReferenceKey('name', one.key) }]
      : []),
  ]);

export const placeKeysOf = (recorded: RecordedPlaces): ReadonlySet<string> =>
  new Set(referenceKeys(recordedPlaces(recorded)).map(({ key }) => key));

/** Of a package at a version, however it is written, as JSON has it; the keys of longer ones begin so. */
export const keyAtVersion = (key: string, version: string): string =>
  JSON.stringify(`${key} ${withoutV(version)}`).slice(1, -1);

/** Of each package, at its version, or tag and digest, and at the version of the record. */
export const versionKeysOf = ({ packages }: Pick<Listing, 'packages'>, recorded: string): string[] =>
  packages.flatMap((one) =>
    referenceKeys(packageReferences(one)).flatMap(({ key }) =>
      [...(one.version ?? '').split('@'), recorded].map((version) => `${key} ${withoutV(version)}`),
    ),
  );

const mostNew = 5;

/** Endpoints, packages and the repository whose keys are not among these. */
export const placesBeyond = (
  recorded: Pick<Listing, 'remotes' | 'packages' | 'repository_key'>,
  keys: ReadonlySet<string>,
): NewPlace[] =>
  recordedPlaces(recorded)
    .filter((one) => !keys.has(keyOfReference(one)) && !isDigest(one))
    .flatMap(({ kind, key }) => newPlace.safeParse({ kind, key }).data ?? [])
    .slice(0, mostNew);

export function rowReferences(row: ListingRow): ListingSchema['listing_reference'][] {
  const { handle, published_at } = row;
  const all = referencesOf({
    handle,
    title: (row.hidden === 1 ? undefined : row.title) ?? undefined,
    description: row.hidden === 1 ? '' : row.description,
    remotes: JSON.parse(row.remotes) as Listing['remotes'],
    packages: JSON.parse(row.packages) as Listing['packages'],
    repository_key: row.repository_key ?? undefined,
    repository_folder: row.repository_folder ?? undefined,
    website: row.website ?? undefined,
  });
  const same = { handle, published_at, publisher: namespaceIdentity(handle), as_of: '' };
  return [...new Map(referenceKeys(all).map((one) => [one.key, { ...one, ...same }])).values()];
}
