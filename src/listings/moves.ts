import { isDeepStrictEqual } from 'node:util';
import compare from 'semver/functions/compare.js';
import valid from 'semver/functions/valid.js';
import { z } from 'zod';
import { Holder, repositoryIdentity } from '../core/identity.ts';
import { toRepositoryKey } from '../net/repository-place.ts';
import type { Listing, ListingInput, ListingPackage, VersionSummary } from './listing.ts';
import { isAddress } from './references/package.ts';
import { toPackageReference } from './references/references.ts';

/** At most this many names of each list are kept, because a record may have thousands. */
const mostNames = 10;
const names = z.array(z.string()).max(mostNames);

/**
 * Names in one record that are not in the other, both ways; `is_within` if all new ones have a domain or
 * account that was named before.
 */
const replaced = z.strictObject({ from: names, to: names, is_within: z.boolean() });

/** The difference between two records in where callers go, what they run and who gets their secrets. */
export const moveSchema = z.strictObject({
  endpoints: replaced.optional(),
  /** Packages without their versions. */
  packages: replaced.optional(),
  /** Without `to`, the record no longer names a repository. */
  repository: z
    .strictObject({ from: z.string(), to: z.string().optional(), is_within: z.boolean() })
    .optional(),
  /** Names of secrets that are new and required (`needs`) or optional (`takes`), or gone. */
  secrets: z
    .strictObject({
      needs: names,
      takes: names,
      gone: names,
      /** The hosts and packages that get the new ones; `is_same` if each secret goes to all of these. */
      sent: z.strictObject({ hosts: names, packages: names, is_same: z.boolean() }).optional(),
    })
    .optional(),
  /** Secrets that were named before, and hosts or packages that did not get them before. */
  passed: z
    .array(z.strictObject({ secrets: names, to: names }))
    .max(mostNames)
    .optional(),
});
export type VersionMove = z.infer<typeof moveSchema>;

export type Naming = Pick<Listing, 'remotes' | 'packages' | 'repository_key'>;

/** A host in the form in which addresses are compared; for a template, the text in the place of the host. */
function writtenHost(address: string): string {
  const [, scheme, written = address] =
    /^([a-z][a-z0-9+.-]*):\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(address) ?? [];
  const isTemplate = /[{}]/.test(written);
  const host = (isTemplate ? undefined : URL.parse(address)?.host) ?? written;
  const usualPort = isTemplate && (scheme?.toLowerCase() === 'http' ? /:80$/ : /:443$/);
  // A name that ends with the dot of the root is the same name.
  return (usualPort ? host.replace(usualPort, '') : host).toLowerCase().replace(/\.(?=:\d+$|$)/, '');
}

/** The holder of a host; a template may have any text before its domain. */
export const holderOfHost = (host: string): string =>
  Holder.ofHost(host.replace(/\{[^{}]*\}/g, 'x').replace(/:\d+$/, '')).id;

/**
 * A package without its version; a package that is a file is named by the host or repository of its address.
 */
function packageOf(recorded: ListingPackage): string {
  const { key, registry = '' } = toPackageReference(recorded);
  return isAddress(recorded.identifier)
    ? `${registry}:${toRepositoryKey(recorded.identifier) ?? writtenHost(recorded.identifier)}`
    : `${registry}:${key}`;
}

/** The scope or account in the name of a package; undefined if it has none. */
function ownerOfPackage(name: string): string | undefined {
  const scope = /^(npm(?: [^:]+(?::\/\/[^:]+)?)?:@[^/]+)\//.exec(name)?.[1];
  if (scope !== undefined) return scope;
  const [, type, path = ''] = /^(oci|mcpb):(.*)$/s.exec(name) ?? [];
  if (type === undefined || !path.includes('/')) return undefined;
  return /^[^/]*[.:]/.test(path) ? repositoryIdentity(path) : path.split('/')[0];
}

interface Secret {
  /** The name as it was written first. */
  readonly name: string;
  required: boolean;
  readonly to: Set<string>;
  readonly hosts: Set<string>;
}

/** The secrets that a record names, by their names in lower case, because names of headers ignore case. */
export function secretsOf({ remotes, packages }: Pick<Naming, 'remotes' | 'packages'>): Map<string, Secret> {
  const secrets = new Map<string, Secret>();
  const add = (to: string, isHost: boolean, inputs: readonly ListingInput[] = []) => {
    for (const { name, secret, required } of inputs) {
      if (!secret) continue;
      const none = { name, required: false, to: new Set<string>(), hosts: new Set<string>() };
      const known = secrets.get(name.toLowerCase()) ?? none;
      known.required ||= required;
      known.to.add(to);
      if (isHost) known.hosts.add(to);
      secrets.set(name.toLowerCase(), known);
    }
  };
  for (const { url, inputs } of remotes) add(writtenHost(url), true, inputs);
  for (const recorded of packages) add(packageOf(recorded), false, recorded.inputs);
  return secrets;
}

const few = (all: Iterable<string>): string[] => [...new Set(all)].sort().slice(0, mostNames);

/** The names that were added and removed; undefined if there are none. */
function replacedBy(
  before: readonly string[],
  after: readonly string[],
  ownerOf: (name: string) => string | undefined,
): VersionMove['endpoints'] {
  const gone = before.filter((one) => !after.includes(one));
  const added = after.filter((one) => !before.includes(one));
  if (gone.length + added.length === 0) return undefined;
  const owners = new Set(before.map(ownerOf));
  const is_within = added.every((one) => ownerOf(one) !== undefined && owners.has(ownerOf(one)));
  return { from: few(gone), to: few(added), is_within };
}

function repositoryMove(from: string | undefined, to: string | undefined): VersionMove['repository'] {
  if (from === undefined || from === to) return undefined;
  const is_within = to !== undefined && repositoryIdentity(from) === repositoryIdentity(to);
  return { from, ...(to !== undefined && { to }), is_within };
}

type Secrets = ReadonlyMap<string, Secret>;

function sentTo(some: readonly Secret[]) {
  const all = new Set(some.flatMap(({ to }) => [...to]));
  const hosts = new Set(some.flatMap((one) => [...one.hosts]));
  return {
    hosts: few(hosts),
    packages: few(all.difference(hosts)),
    is_same: some.every(({ to }) => to.size === all.size),
  };
}

function newSecrets(before: Secrets, after: Secrets): VersionMove['secrets'] {
  const notIn = (others: Secrets, all: Secrets) =>
    [...all].flatMap(([key, one]) => (others.has(key) ? [] : one));
  const added = notIn(before, after);
  const namesOf = (some: readonly Secret[]) => few(some.map(({ name }) => name));
  return added.length === 0
    ? undefined
    : {
        needs: namesOf(added.filter(({ required }) => required)),
        takes: namesOf(added.filter(({ required }) => !required)),
        gone: namesOf(notIn(after, before)),
        sent: sentTo(added),
      };
}

function passedOn(before: Secrets, after: Secrets): VersionMove['passed'] {
  const byPlaces = new Map<string, { names: string[]; to: string[] }>();
  for (const [key, { name, to }] of after) {
    const known = before.get(key)?.to;
    const added = known ? [...to].filter((place) => !known.has(place)).sort() : [];
    if (added.length === 0) continue;
    const group = byPlaces.get(added.join('\n')) ?? { names: [], to: added };
    group.names.push(name);
    byPlaces.set(added.join('\n'), group);
  }
  const groups = [...byPlaces].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, mostNames);
  return groups.length === 0
    ? undefined
    : groups.map(([, one]) => ({ secrets: few(one.names), to: few(one.to) }));
}

const distinct = (all: readonly string[]): string[] => [...new Set(all)];

/** The difference between a record and the one before it; undefined if there is none. */
export function moveBetween(before: Naming, after: Naming): VersionMove | undefined {
  const [hostsBefore, hosts] = [before, after].map(({ remotes }) =>
    distinct(remotes.map(({ url }) => writtenHost(url))),
  );
  const [packagesBefore, packages] = [before, after].map((one) => distinct(one.packages.map(packageOf)));
  const secretsBefore = secretsOf(before);
  const secrets = secretsOf(after);
  const found = {
    endpoints: replacedBy(hostsBefore ?? [], hosts ?? [], holderOfHost),
    packages: replacedBy(packagesBefore ?? [], packages ?? [], ownerOfPackage),
    repository: repositoryMove(before.repository_key, after.repository_key),
    secrets: newSecrets(secretsBefore, secrets),
    passed: passedOn(secretsBefore, secrets),
  };
  const parts = Object.entries(found).filter(([, part]) => part !== undefined);
  return parts.length === 0 ? undefined : (Object.fromEntries(parts) as VersionMove);
}

export interface Edition extends Pick<VersionSummary, 'version' | 'status' | 'published_at' | 'undated'> {
  readonly naming: Naming;
}

/**
 * How many endpoint addresses, or else hosts, and how many packages (without versions) are the same as in the
 * record before; 0 if any of them differs.
 */
const keptSchema = z.strictObject({
  endpoints: z.int(),
  hosts: z.int(),
  packages: z.int(),
  repository: z.boolean(),
});

function keptBetween(before: Naming, after: Naming): z.infer<typeof keptSchema> {
  const sameOf = (namesOf: (one: Naming) => readonly string[]) => {
    const old = new Set(namesOf(before));
    const now = new Set(namesOf(after));
    return isDeepStrictEqual(old, now) ? now.size : 0;
  };
  const endpoints = sameOf(({ remotes }) => remotes.map(({ url }) => url));
  return {
    endpoints,
    hosts: endpoints > 0 ? 0 : sameOf(({ remotes }) => remotes.map(({ url }) => writtenHost(url))),
    packages: sameOf(({ packages }) =>
      packages.map(toPackageReference).map(({ key, registry }) => `${registry}:${key}`),
    ),
    repository: after.repository_key !== undefined && before.repository_key === after.repository_key,
  };
}

/** A move, with the version that made it and when that was published; the registry may state no date. */
export const datedMove = moveSchema.extend({
  version: z.string(),
  published_at: z.string().optional(),
  kept: keptSchema.optional(),
});
export type DatedMove = z.infer<typeof datedMove>;

const loose = { loose: true };
const isSemantic = ({ version }: Edition) => valid(version, loose) !== null;
const byText = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

/**
 * The versions that are not deleted, oldest first; undefined if their order is not known. They are ordered by
 * publication or, if the registry states no dates, by semantic version, never by when they were read here.
 */
function editionsInOrder(editions: readonly Edition[]): Edition[] | undefined {
  const listed = editions.filter(({ status }) => status !== 'deleted');
  const areSemantic = listed.every(isSemantic);
  const isUndated = listed.some(({ undated }) => undated);
  if (isUndated && !areSemantic) return undefined;
  return listed.sort(
    (a, b) =>
      (isUndated ? 0 : byText(a.published_at, b.published_at)) ||
      (areSemantic ? compare(a.version, b.version, loose) : 0) ||
      byText(a.version, b.version),
  );
}

const mostMoves = 10;

/**
 * The moves to keep, newest first. Moves to a different owner and new secrets are preferred, so that many
 * small moves after one do not hide it.
 */
function keepMoves(moves: readonly DatedMove[]): DatedMove[] {
  const weightyFirst = moves.toSorted((a, b) => Number(isWeighty(b)) - Number(isWeighty(a)));
  const kept = new Set(weightyFirst.slice(0, mostMoves));
  return moves.filter((one) => kept.has(one));
}

/** The moves of the versions of a record up to the shown one, newest first. */
export interface Moves {
  /** The number of versions that were compared. */
  readonly versions: number;
  /** The time at which the oldest of them was published, if it has a date. */
  readonly since?: string;
  readonly moves: DatedMove[];
}

/**
 * The moves of the given editions, which may be in any order; undefined if there are not two to compare, or
 * their order is not known.
 */
export function toMoves(editions: readonly Edition[], shown: string): Moves | undefined {
  const ordered = editionsInOrder(editions);
  const compared = ordered?.slice(0, ordered.findIndex(({ version }) => version === shown) + 1) ?? [];
  const [oldest] = compared;
  if (oldest === undefined || compared.length < 2) return undefined;
  const dateOf = ({ undated, published_at }: Edition) => (undated ? {} : { published_at });
  let repository_key: string | undefined;
  const moves = compared.flatMap((edition, at): DatedMove[] => {
    const before = compared[at - 1];
    repository_key = before?.naming.repository_key ?? repository_key;
    // A version that names a repository again is compared with the last one that did.
    const isNamed = edition.naming.repository_key !== undefined;
    const move =
      before && moveBetween(isNamed ? { ...before.naming, repository_key } : before.naming, edition.naming);
    if (!move) return [];
    const kept = keptBetween(before.naming, edition.naming);
    return [{ ...move, version: edition.version, ...dateOf(edition), kept }];
  });
  return {
    versions: compared.length,
    ...(!oldest.undated && { since: oldest.published_at }),
    moves: keepMoves(moves.reverse()),
  };
}

/**
 * Tells whether a move leads to something new, or removes the repository. An endpoint or package that is gone
 * does not count.
 */
export const leadsElsewhere = ({ endpoints, packages, ...others }: VersionMove): boolean =>
  [endpoints, packages].some((part) => part !== undefined && part.to.length > 0) ||
  [others.repository, others.secrets, others.passed].some((part) => part !== undefined);

/** Tells whether a move names a host, package or repository of a different owner, or a new secret. */
export const isWeighty = ({ endpoints, packages, repository, secrets }: VersionMove): boolean =>
  [endpoints, packages].some((part) => part?.is_within === false) ||
  (repository?.to !== undefined && !repository.is_within) ||
  secrets !== undefined;

/** Tells whether a change of the record is the same move as that of a version. */
export const isSameMove = (told: unknown, dated: DatedMove): boolean => {
  const { version: _, published_at: __, kept: ___, ...move } = dated;
  return isDeepStrictEqual(told, move);
};
