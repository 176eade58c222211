import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { namespaceIdentity, repositoryIdentity } from '../core/identity.ts';
import { firstOfEach, type Naming, type Secret, type Setting } from './naming.ts';

/** At most this many names of each list are kept, because a record may have thousands. */
const mostNames = 10;
const names = z.array(z.string()).max(mostNames);
const cuts = z.record(z.string(), z.int()).optional();

/**
 * Names that were removed (`from`) and added (`to`). For endpoints, `is_within` is true if the owner of each
 * added endpoint also had an earlier endpoint. For packages, the same holds. `left_out` counts the names of
 * each list that are not kept. `of_others` counts the added names, kept or not, whose owner neither the
 * earlier record nor the namespace names. It is absent if there are at most two.
 */
const replaced = z.strictObject({
  from: names,
  to: names,
  is_within: z.boolean(),
  of_others: z.int().optional(),
  left_out: cuts,
});

export const moveSchema = z.strictObject({
  /**
   * Hosts of endpoints. A host that serves many publishers is followed by the part of the path that may name
   * the publisher.
   */
  endpoints: replaced.optional(),
  /**
   * Addresses at hosts that both records name, and new http addresses if the earlier record had https
   * addresses. `is_within` is false if an address left https.
   */
  addresses: replaced.optional(),
  /** Packages without their versions. */
  packages: replaced.optional(),
  /**
   * The arguments and variables with which packages are started. `is_within` is true if no setting of a
   * runtime changed and no host of a new owner is named.
   */
  starts: replaced.extend({ packages: names, hosts: names }).optional(),
  /** Without `from`, the record names its first repository. Without `to`, it no longer names one. */
  repository: z
    .strictObject({ from: z.string().optional(), to: z.string().optional(), is_within: z.boolean() })
    .optional(),
  /** Names of new secrets, required (`needs`) or optional (`takes`), and of secrets that are gone. */
  secrets: z
    .strictObject({
      needs: names,
      takes: names,
      gone: names,
      /** Secrets that became required, and secrets that became optional. */
      now_needed: names.optional(),
      now_optional: names.optional(),
      /** Secrets that the record still asks for and does not call secrets any more. */
      now_plain: names.optional(),
      /** `hosts` and `packages` get new secrets. `is_same` is true if each of them gets every new secret. */
      sent: z
        .strictObject({
          hosts: names,
          packages: names,
          is_same: z.boolean(),
          of_others: z.int().optional(),
          left_out: cuts,
        })
        .optional(),
      left_out: cuts,
    })
    .optional(),
  /**
   * Secrets that were named before, with the places and packages that get them only now. `is_within` is true
   * if each of these recipients is a package of the earlier record or has an owner who already got the
   * secrets. Changes that were stored before 28 November 2026 lack `is_within`.
   */
  passed: z
    .array(z.strictObject({ secrets: names, to: names, is_within: z.boolean().optional(), left_out: cuts }))
    .max(mostNames)
    .optional(),
  /** The number of items of `passed` that are not kept. */
  passed_left_out: z.int().optional(),
});
export type VersionMove = z.infer<typeof moveSchema>;

const longest = 240;
/** Both ends of a long name are kept, because a host may end with its owner. */
const shortened = (name: string): string =>
  name.length <= longest ? name : `${name.slice(0, 140).toWellFormed()}…${name.slice(-90).toWellFormed()}`;

/** Lower ranks are kept first. */
type Rank = (name: string) => number;

/**
 * Within one rank, one name of each owner comes first, and then the other names in their order, so that many
 * names of one owner hide no other owner.
 */
function keepNames<K extends string>(
  lists: Readonly<Record<K, Iterable<string>>>,
  rankOf: Rank,
  ownerOf: OwnerOf = () => '',
) {
  const left: Record<string, number> = {};
  const kept = Object.entries<Iterable<string>>(lists).map(([key, all]) => {
    const byName = [...new Set(all)].sort();
    const sorted = firstOfEach(byName, (name) => ownerOf(name) ?? name).sort((a, b) => rankOf(a) - rankOf(b));
    if (sorted.length > mostNames) left[key] = sorted.length - mostNames;
    return [key, sorted.slice(0, mostNames).map(shortened)];
  });
  return {
    ...(Object.fromEntries(kept) as Record<K, string[]>),
    ...(Object.keys(left).length > 0 && { left_out: left }),
  };
}

type Owners = ReadonlySet<string | undefined>;
type OwnerOf = (name: string) => string | undefined;

interface NamingPair {
  readonly before: Naming;
  readonly after: Naming;
  /** The owners of everything that the earlier record names, and the owner of the namespace. */
  readonly known: Owners;
}

const isKnown = (owner: string | undefined, known: Owners): boolean =>
  owner !== undefined && known.has(owner);

function knownOwners({ endpoints, packages, starts, repository_key }: Naming, handle: string): Owners {
  const hosts = [...starts.values()].flat().flatMap((one) => [...one.hosts.values()]);
  const repository = repository_key === undefined ? undefined : repositoryIdentity(repository_key);
  const named = [
    ...endpoints.values(),
    ...packages.values(),
    ...hosts,
    repository,
    namespaceIdentity(handle),
  ];
  return new Set(named.filter((owner) => owner !== undefined));
}

/** The number of other owners' names if there are more than two, because a text may then leave one out. */
const countOthers = (all: Iterable<string>, isOther: (name: string) => boolean) => {
  const others = [...all].filter(isOther).length;
  return { ...(others > 2 && { of_others: others }) };
};

const notIn = (others: ReadonlyMap<string, unknown>, all: ReadonlyMap<string, unknown>): string[] =>
  [...all.keys()].filter((name) => !others.has(name));

const ownerIn =
  ({ endpoints, packages }: Naming): OwnerOf =>
  (name) =>
    endpoints.get(name) ?? packages.get(name);

/** Ranks a place or package of a new owner first. */
function othersFirst({ before, after, known }: NamingPair): Rank {
  const ownerOf = ownerIn(after);
  const isNamed = (name: string) => before.endpoints.has(name) || before.packages.has(name);
  return (name) => (isNamed(name) || isKnown(ownerOf(name), known) ? 1 : 0);
}

function replacedNames(
  part: 'endpoints' | 'packages',
  { before, after, known }: NamingPair,
): VersionMove['endpoints'] {
  const gone = after.mayNameMore[part] ? [] : notIn(after[part], before[part]);
  const isOther = (name: string) => !isKnown(after[part].get(name), known);
  // A name that the earlier record may have had counts as added only if its owner is new.
  const added = notIn(before[part], after[part]).filter((name) => !before.mayNameMore[part] || isOther(name));
  if (gone.length + added.length === 0) return undefined;
  const owners = new Set(before[part].values());
  const receives = new Set([...after.secrets.values()].flatMap(({ to }) => [...to]));
  const rankOf = (name: string) => (isOther(name) ? 0 : 2) + (receives.has(name) ? 0 : 1);
  return {
    is_within: added.every((name) => isKnown(after[part].get(name), owners)),
    ...countOthers(added, isOther),
    ...keepNames(
      { from: gone, to: added },
      rankOf,
      (name) => after[part].get(name) ?? before[part].get(name),
    ),
  };
}

/** Compares addresses at places that both records name, and adds those at new places that leave https. */
function replacedAddresses({ before, after }: NamingPair): VersionMove['addresses'] {
  const atBoth = (of: Naming, name: string) => {
    const place = of.addresses.get(name)?.place ?? '';
    return before.endpoints.has(place) && after.endpoints.has(place);
  };
  const notNamed = after.mayNameMore.endpoints ? [] : notIn(after.addresses, before.addresses);
  const gone = notNamed.filter((name) => atBoth(before, name));
  const all = [...before.addresses.values()];
  const plainBefore = new Set(all.flatMap((one) => (one.isPlain ? one.place : [])));
  const leavesHttps = (name: string) => {
    const { isPlain = false, place = '' } = after.addresses.get(name) ?? {};
    return isPlain && !plainBefore.has(place) && all.some((one) => !one.isPlain);
  };
  const isCompared = (name: string) =>
    (atBoth(after, name) && !before.mayNameMore.endpoints) || leavesHttps(name);
  const added = notIn(before.addresses, after.addresses).filter(isCompared);
  if (gone.length + added.length === 0) return undefined;
  return {
    is_within: !added.some(leavesHttps),
    ...keepNames({ from: gone, to: added }, (name) => (leavesHttps(name) ? 0 : 1)),
  };
}

const textsOf = (settings: readonly Setting[]): string[] => settings.map(({ text }) => text);

const settingInOrder = (settings: readonly Setting[]): Setting => ({
  text: textsOf(settings).join(' '),
  hosts: new Map(),
  isOfRuntime: settings.some(({ isOfRuntime }) => isOfRuntime),
});

/**
 * If settings differ only in their order, or in how often one is given, they count as one setting. No
 * setting counts as gone if the later record was read in part.
 */
function differingSettings(before: readonly Setting[], after: readonly Setting[], isPartlyRead: boolean) {
  const was = new Set(textsOf(before));
  const is = new Set(textsOf(after));
  const added = after.filter(({ text }) => !was.has(text));
  if (isPartlyRead) return { gone: [], added };
  const gone = before.filter(({ text }) => !is.has(text));
  const isReordered = gone.length + added.length === 0 && !isDeepStrictEqual(textsOf(before), textsOf(after));
  return isReordered ? { gone: [settingInOrder(before)], added: [settingInOrder(after)] } : { gone, added };
}

function replacedSettings({ before, after, known }: NamingPair): VersionMove['starts'] {
  const allBefore = new Set([...before.starts.values()].flatMap(textsOf));
  const isOther = ({ hosts }: Setting) => [...hosts.values()].some((owner) => !isKnown(owner, known));
  const differences = [...after.starts].map(([name, settings]) => {
    const was = before.starts.get(name);
    if (was) return { name, ...differingSettings(was, settings, after.isPartlyRead) };
    // A new package is named in any case. Of its settings, only those that can start other code or name a new
    // owner's host are added.
    const added = settings.filter((one) => !allBefore.has(one.text) && (one.isOfRuntime || isOther(one)));
    return { name, gone: [], added };
  });
  const different = differences.filter(({ gone, added }) => gone.length + added.length > 0);
  if (different.length === 0) return undefined;
  const added = different.flatMap((one) => one.added);
  const gone = different.flatMap((one) => one.gone);
  const others = new Set(added.filter(isOther).map(({ text }) => text));
  const ofRuntime = new Set(added.filter((one) => one.isOfRuntime).map(({ text }) => text));
  const hosts = added.flatMap((one) => [...one.hosts]).filter(([, owner]) => !isKnown(owner, known));
  const rankOf = (text: string) => (others.has(text) ? 0 : ofRuntime.has(text) ? 1 : 2);
  const packages = different.map(({ name }) => name);
  const texts = { from: textsOf(gone), to: textsOf(added), packages, hosts: hosts.map(([host]) => host) };
  return {
    is_within: others.size === 0 && ![...added, ...gone].some((one) => one.isOfRuntime),
    ...countOthers(others, () => true),
    ...keepNames(texts, rankOf),
  };
}

function repositoryMove({ before, after, known }: NamingPair): VersionMove['repository'] {
  const { repository_key: from } = before;
  const { repository_key: to } = after;
  if (from === to) return undefined;
  const account = to === undefined ? undefined : repositoryIdentity(to);
  const is_within =
    from === undefined ? isKnown(account, known) : to !== undefined && repositoryIdentity(from) === account;
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }), is_within };
}

function sentTo(some: readonly Secret[], rankOf: Rank, ownerOf: OwnerOf) {
  const all = new Set(some.flatMap(({ to }) => [...to]));
  const places = new Set(some.flatMap((one) => [...one.places]));
  return {
    is_same: some.every(({ to }) => to.size === all.size),
    ...countOthers(places, (name) => rankOf(name) === 0),
    ...keepNames({ hosts: places, packages: all.difference(places) }, rankOf, ownerOf),
  };
}

function newSecrets(compared: NamingPair): VersionMove['secrets'] {
  const { secrets: was } = compared.before;
  const { secrets: is } = compared.after;
  const ofOther = othersFirst(compared);
  const added = [...is].flatMap(([key, one]) => (was.has(key) ? [] : one));
  // A record that was read only in part may still name a missing secret.
  const isWhole = !compared.after.isPartlyRead;
  const gone = [...was].flatMap(([key, one]) => (is.has(key) || !isWhole ? [] : one));
  const changed = [...is].flatMap(([key, one]) =>
    (was.get(key) ?? one).required === one.required ? [] : one,
  );
  const plain = [...is].flatMap(([key, one]) => (one.isPlain && !was.get(key)?.isPlain ? one : []));
  if (added.length + gone.length + changed.length + plain.length === 0) return undefined;
  const rankOf = (name: string) => {
    const to = is.get(name.toLowerCase())?.to ?? [];
    return [...to].some((place) => ofOther(place) === 0) ? 0 : 1;
  };
  const ownerOf = ownerIn(compared.after);
  const recipientsOf = (name: string) =>
    [...(is.get(name.toLowerCase())?.to ?? [])].map((place) => ownerOf(place) ?? place).join(' ');
  const namesOf = (some: readonly Secret[], required?: boolean) =>
    some.filter((one) => required === undefined || one.required === required).map(({ name }) => name);
  const lists = {
    needs: namesOf(added, true),
    takes: namesOf(added, false),
    gone: namesOf(gone),
    now_needed: namesOf(changed, true),
    now_optional: namesOf(changed, false),
    now_plain: namesOf(plain),
  };
  const { now_needed, now_optional, now_plain, ...kept } = keepNames(lists, rankOf, recipientsOf);
  return {
    ...kept,
    ...(now_needed.length > 0 && { now_needed }),
    ...(now_optional.length > 0 && { now_optional }),
    ...(now_plain.length > 0 && { now_plain }),
    ...(added.length > 0 && { sent: sentTo(added, ofOther, ownerOf) }),
  };
}

/** Groups secrets by the places and packages that get them only now. */
function passedOn(compared: NamingPair): Pick<VersionMove, 'passed' | 'passed_left_out'> {
  const { before, after } = compared;
  const ownerBefore = ownerIn(before);
  const ownerOf = ownerIn(after);
  const groups = new Map<string, { names: string[]; to: string[]; others: Set<string> }>();
  for (const [key, { name, to }] of after.secrets) {
    const was = before.secrets.get(key)?.to;
    if (!was) continue;
    const owners = new Set([...was].map(ownerBefore));
    const isSame = (place: string) => before.packages.has(place) || isKnown(ownerOf(place), owners);
    const mayBeAdded = (place: string) =>
      !before.mayNameMore.endpoints || before.packages.has(place) || !isSame(place);
    const added = [...to].filter((place) => !was.has(place) && mayBeAdded(place)).sort();
    if (added.length === 0) continue;
    const others = new Set(added.filter((place) => !isSame(place)));
    const id = `${others.size > 0 ? 0 : 1}\n${[...others, '', ...added].join('\n')}`;
    const group = groups.get(id) ?? { names: [], to: added, others };
    group.names.push(name);
    groups.set(id, group);
  }
  if (groups.size === 0) return {};
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  return {
    passed: sorted.slice(0, mostNames).map(({ names: secrets, to, others }) => ({
      is_within: others.size === 0,
      ...keepNames({ secrets, to }, (name) => (others.has(name) ? 0 : 1), ownerOf),
    })),
    ...(sorted.length > mostNames && { passed_left_out: sorted.length - mostNames }),
  };
}

/** Adds inputs that the record still asks for and that an earlier record called secrets, by their keys. */
export function withFormerSecrets(secrets: Iterable<string>, after: Naming): Naming {
  const former = [...secrets].flatMap((key) => {
    const plain = after.secrets.has(key) ? undefined : after.plainInputs.get(key);
    return plain ? [[key, { ...plain, isPlain: true as const }] as const] : [];
  });
  return former.length === 0 ? after : { ...after, secrets: new Map([...after.secrets, ...former]) };
}

/** Returns undefined if no compared part differs. The handle tells the owner of the namespace. */
export function moveBetween(before: Naming, now: Naming, handle: string): VersionMove | undefined {
  const after = withFormerSecrets(before.secrets.keys(), now);
  const compared = { before, after, known: knownOwners(before, handle) };
  const found = {
    endpoints: replacedNames('endpoints', compared),
    addresses: replacedAddresses(compared),
    packages: replacedNames('packages', compared),
    starts: replacedSettings(compared),
    repository: repositoryMove(compared),
    secrets: newSecrets(compared),
    ...passedOn(compared),
  };
  const parts = Object.entries(found).filter(([, part]) => part !== undefined);
  return parts.length === 0 ? undefined : (Object.fromEntries(parts) as VersionMove);
}

/**
 * Tells whether a move adds an endpoint, an address, a package or a secret, passes a secret on, makes a
 * secret required, changes how a package is started, or replaces or removes the repository. A first
 * repository does not count, and neither does the mere removal of an address, package or secret.
 */
export const leadsElsewhere = (move: VersionMove): boolean =>
  [move.endpoints, move.addresses, move.packages].some((part) => part !== undefined && part.to.length > 0) ||
  [move.starts, move.passed, move.secrets?.sent, move.secrets?.now_needed].some(
    (part) => part !== undefined,
  ) ||
  move.repository?.from !== undefined;

/**
 * Tells whether a move leads to a host, package or repository of a different owner, passes a secret on to a
 * different owner, changes a runtime, or leaves https.
 */
export const leadsToOthers = ({ repository, passed = [], ...move }: VersionMove): boolean =>
  [move.endpoints, move.addresses, move.packages, move.starts].some((part) => part?.is_within === false) ||
  (repository?.from !== undefined && repository.to !== undefined && !repository.is_within) ||
  passed.some((one) => one.is_within === false);

/** Tells whether a move leads to other owners, or names a new secret. */
export const isWeighty = (move: VersionMove): boolean =>
  leadsToOthers(move) || move.secrets?.sent !== undefined;
