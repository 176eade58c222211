import { z } from 'zod';
import { difference, isGone, isNew, type ValueDifference } from '../core/difference/difference.ts';
import { namespaceIdentity, repositoryIdentity } from '../core/identity.ts';
import type { DerivedVersion, InputChange } from './listing.ts';
import { firstOfEach, type Naming, type Secret, type Setting } from './naming.ts';

/** A record may have thousands. */
const mostNames = 10;
const names = z.array(z.string()).max(mostNames);
const cuts = z.record(z.string(), z.int()).optional();

/**
 * `is_within`: each owner of an added name had an earlier one too. `left_out` counts names that are not
 * kept, `of_others` the added ones whose owner neither the earlier record nor the namespace names; absent
 * if at most two.
 */
const replaced = z.strictObject({
  from: names,
  to: names,
  is_within: z.boolean(),
  of_others: z.int().optional(),
  left_out: cuts,
});

export const moveSchema = z.strictObject({
  /** At hosts that serve many publishers, with the part of the path that may name one. */
  endpoints: replaced.optional(),
  /**
   * At hosts that both records name, and new http addresses beside earlier https ones. `is_within` is false
   * if an address left https.
   */
  addresses: replaced.optional(),
  /** Types, at places that both records name or of all endpoints. Changes before 30 November 2026 lack it. */
  transports: replaced.optional(),
  packages: replaced.optional(),
  /** `is_within`: no setting of a runtime changed and no host of a new owner is named. */
  starts: replaced.extend({ packages: names, hosts: names }).optional(),
  /** Without `from` the first repository, without `to` none any more. */
  repository: z
    .strictObject({ from: z.string().optional(), to: z.string().optional(), is_within: z.boolean() })
    .optional(),
  secrets: z
    .strictObject({
      needs: names,
      takes: names,
      gone: names,
      now_needed: names.optional(),
      now_optional: names.optional(),
      /** Asked for before and after, called secrets in one of both. */
      now_plain: names.optional(),
      now_secret: names.optional(),
      /** Who gets new secrets. `is_same`: each gets every new secret. */
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
   * Secrets asked for before, with those that get them only now. `is_within`: each of these is a package of
   * the earlier record, or its owner already got the secrets. Changes before 28 November 2026 lack it.
   */
  passed: z
    .array(z.strictObject({ secrets: names, to: names, is_within: z.boolean().optional(), left_out: cuts }))
    .max(mostNames)
    .optional(),
  passed_left_out: z.int().optional(),
});
export type VersionMove = z.infer<typeof moveSchema>;

const longest = 240;
/** Both ends are kept, because a host may end with its owner. */
export const shortened = (name: string): string =>
  name.length <= longest ? name : `${name.slice(0, 140).toWellFormed()}…${name.slice(-90).toWellFormed()}`;

/**
 * In the order of the conditions. Among equals, one name of each owner comes first, so that many of one
 * owner hide no other.
 */
function keepNames<K extends string>(
  lists: Readonly<Record<K, Iterable<string>>>,
  conditions: readonly ((name: string) => boolean)[],
  ownerOf: (name: string) => string | undefined = () => '',
) {
  const left: Record<string, number> = {};
  const kept = Object.entries<Iterable<string>>(lists).map(([key, all]) => {
    const names = firstOfEach([...new Set(all)].sort(), (name) => ownerOf(name) ?? name);
    for (const isSo of conditions.toReversed()) names.sort((a, b) => Number(isSo(b)) - Number(isSo(a)));
    if (names.length > mostNames) left[key] = names.length - mostNames;
    return [key, names.slice(0, mostNames).map(shortened)];
  });
  return {
    ...(Object.fromEntries(kept) as Record<K, string[]>),
    ...(Object.keys(left).length > 0 && { left_out: left }),
  };
}

type NamingPair = ReturnType<typeof toPair>;

const ownerIn =
  ({ endpoints, packages }: Naming) =>
  (name: string) =>
    endpoints.get(name) ?? packages.get(name);

const toCompared = ({ starts: _, plainInputs: __, ...compared }: Naming) => compared;

function toPair(before: Naming, after: Naming, handle: string) {
  const { endpoints, packages, starts, repository_key } = before;
  const settings = [...starts.values()].flat(2);
  const known = new Set([
    ...[endpoints, packages, ...settings.map(({ hosts }) => hosts)].flatMap((owned) => [...owned.values()]),
    ...(repository_key === undefined ? [] : [repositoryIdentity(repository_key)]),
    namespaceIdentity(handle),
  ]);
  /** Unknown, or named by neither the earlier record nor the namespace. */
  const isOther = (owner: string | undefined) => owner === undefined || !known.has(owner);
  const ownerOf = ownerIn(after);
  /** A new place or package of another owner. */
  const isOfOther = (name: string) => !endpoints.has(name) && !packages.has(name) && isOther(ownerOf(name));
  const found = difference(toCompared(before), toCompared(after));
  return { before, after, found, isOther, isOfOther, ownerOf };
}

function namesOf(part: keyof Naming, found: readonly ValueDifference[]) {
  const all = found.filter(({ path }) => path.length === 2 && path[0] === part);
  const namesIf = (isSo: (one: ValueDifference) => boolean) =>
    all.filter(isSo).map(({ path: [, name = ''] }) => name);
  return { gone: namesIf(isGone), added: namesIf(isNew) };
}

/** Only more than two are counted, because a text may then leave one out. */
const countOthers = (others: readonly string[]) => ({
  ...(others.length > 2 && { of_others: others.length }),
});

function replacedNames(
  part: 'endpoints' | 'packages',
  { before, after, found, isOther }: NamingPair,
): VersionMove['endpoints'] {
  const isOfOther = (name: string) => isOther(after[part].get(name));
  const names = namesOf(part, found);
  const gone = after.mayNameMore[part] ? [] : names.gone;
  // The earlier record may have had this name, so only a new owner makes it added.
  const added = before.mayNameMore[part] ? names.added.filter(isOfOther) : names.added;
  if (gone.length + added.length === 0) return undefined;
  const owners = new Set([...before[part].values()].filter((owner) => owner !== undefined));
  const receives = new Set([...after.secrets.values()].flatMap(({ to }) => [...to]));
  return {
    is_within: added.every((name) => owners.has(after[part].get(name) ?? '')),
    ...countOthers(added.filter(isOfOther)),
    ...keepNames(
      { from: gone, to: added },
      [isOfOther, (name) => receives.has(name)],
      (name) => after[part].get(name) ?? before[part].get(name),
    ),
  };
}

function replacedAddresses({ before, after, found }: NamingPair): VersionMove['addresses'] {
  const atBoth = (name: string) => {
    const { place = '' } = after.addresses.get(name) ?? before.addresses.get(name) ?? {};
    return before.endpoints.has(place) && after.endpoints.has(place);
  };
  const all = [...before.addresses.values()];
  const plainBefore = new Set(all.flatMap((one) => (one.isPlain ? one.place : [])));
  const leavesHttps = (name: string) => {
    const { isPlain = false, place = '' } = after.addresses.get(name) ?? {};
    return isPlain && !plainBefore.has(place) && all.some((one) => !one.isPlain);
  };
  const names = namesOf('addresses', found);
  const gone = after.mayNameMore.endpoints ? [] : names.gone.filter(atBoth);
  const added = names.added.filter(
    (name) => (atBoth(name) && !before.mayNameMore.endpoints) || leavesHttps(name),
  );
  if (gone.length + added.length === 0) return undefined;
  return { is_within: !added.some(leavesHttps), ...keepNames({ from: gone, to: added }, [leavesHttps]) };
}

/** At places that both name, with their names if a type is also that of another; or else of all endpoints. */
function replacedTransports({ before, after, found }: NamingPair): VersionMove['transports'] {
  const differing = found.filter(({ path: [part], name }) => part === 'transports' && name !== undefined);
  const all = [...before.transports, ...after.transports];
  const isOfMany = differing.some(({ path: [, place], name = '' }) =>
    all.some(([other, types]) => other !== place && types.has(name)),
  );
  const typesIf = (isSo: (one: ValueDifference) => boolean) =>
    differing.filter(isSo).map(({ path, name = '' }) => (isOfMany ? `${name}:${path[1]}` : name));
  const ofEndpoints = ({ addresses, transports }: Naming) =>
    new Set([...addresses.keys()].flatMap((place) => [...(transports.get(place) ?? [])]));
  const was = ofEndpoints(before);
  const is = ofEndpoints(after);
  const areOther = differing.length === 0 && was.size > 0 && is.size > 0;
  const mayMiss = ({ mayNameMore }: Naming) => mayNameMore.endpoints || mayNameMore.packages;
  const from = mayMiss(after) ? [] : areOther ? was.difference(is) : typesIf(isGone);
  const to = mayMiss(before) ? [] : areOther ? is.difference(was) : typesIf(isNew);
  return [...from, ...to].length > 0 ? { is_within: true, ...keepNames({ from, to }, []) } : undefined;
}

const textsOf = (settings: readonly Setting[]): string[] => settings.map(({ text }) => text);

/**
 * If only the order differs, or how often one is given, they count as one setting, but not across several
 * packages. None is gone if the later record was read in part.
 */
function differingSettings(
  allBefore: readonly (readonly Setting[])[],
  allAfter: readonly (readonly Setting[])[],
  isPartlyRead: boolean,
) {
  const before = allBefore.flat();
  const after = allAfter.flat();
  const was = new Set(textsOf(before));
  const is = new Set(textsOf(after));
  const added = after.filter(({ text }) => !was.has(text));
  const gone = isPartlyRead ? [] : before.filter(({ text }) => !is.has(text));
  const [other] =
    isPartlyRead || allBefore.length + allAfter.length > 2 ? [] : difference(textsOf(before), textsOf(after));
  if (!other || gone.length + added.length > 0) return { gone, added };
  const [old, now] = [before, after].map((all) => ({
    text: textsOf(all).join(' '),
    hosts: new Map<string, string>(),
    isOfRuntime: all.some(({ isOfRuntime }) => isOfRuntime),
  }));
  return { gone: old ? [old] : [], added: now ? [now] : [] };
}

function replacedSettings({ before, after, isOther }: NamingPair): VersionMove['starts'] {
  const allBefore = new Set(textsOf([...before.starts.values()].flat(2)));
  const isOfOther = ({ hosts }: Setting) => [...hosts.values()].some(isOther);
  const differences = [...after.starts].map(([name, settings]) => {
    const was = before.starts.get(name);
    if (was) return { name, ...differingSettings(was, settings, after.isPartlyRead) };
    // A new package is named in any case, so of its settings only those count that can start other code or
    // name a new owner's host.
    const added = settings
      .flat()
      .filter((one) => !allBefore.has(one.text) && (one.isOfRuntime || isOfOther(one)));
    return { name, gone: [], added };
  });
  const different = differences.filter(({ gone, added }) => gone.length + added.length > 0);
  if (different.length === 0) return undefined;
  const added = different.flatMap((one) => one.added);
  const gone = different.flatMap((one) => one.gone);
  const others = new Set(textsOf(added.filter(isOfOther)));
  const ofRuntime = new Set(textsOf(added.filter((one) => one.isOfRuntime)));
  const hosts = added.flatMap((one) => [...one.hosts]).filter(([, owner]) => isOther(owner));
  const texts = {
    from: textsOf(gone),
    to: textsOf(added),
    packages: different.map(({ name }) => name),
    hosts: hosts.map(([host]) => host),
  };
  return {
    is_within: others.size === 0 && ![...added, ...gone].some((one) => one.isOfRuntime),
    ...countOthers([...others]),
    ...keepNames(texts, [(text) => others.has(text), (text) => ofRuntime.has(text)]),
  };
}

function repositoryMove({ before, after, isOther }: NamingPair): VersionMove['repository'] {
  const { repository_key: from } = before;
  const { repository_key: to } = after;
  if (from === to) return undefined;
  const account = to === undefined ? undefined : repositoryIdentity(to);
  const is_within =
    from === undefined ? !isOther(account) : to !== undefined && repositoryIdentity(from) === account;
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }), is_within };
}

function sentTo(some: readonly Secret[], { isOfOther, ownerOf }: NamingPair) {
  const all = new Set(some.flatMap(({ to }) => [...to]));
  const hosts = new Set(some.flatMap((one) => [...one.places]));
  return {
    is_same: some.every(({ to }) => to.size === all.size),
    ...countOthers([...hosts].filter(isOfOther)),
    ...keepNames({ hosts, packages: all.difference(hosts) }, [isOfOther], ownerOf),
  };
}

function newSecrets(compared: NamingPair): VersionMove['secrets'] {
  const { before, after, found, isOfOther, ownerOf } = compared;
  const { gone, added } = namesOf('secrets', found);
  const isNeeded = (key: string) => after.secrets.get(key)?.required === true;
  const keysWith = (member: keyof Secret, value?: boolean) =>
    found.flatMap(({ path: [part, key, name], is }) =>
      part === 'secrets' && key !== undefined && name === member && is === value ? key : [],
    );
  const secretsOf = (keys: readonly string[]) =>
    keys.flatMap((key) => after.secrets.get(key) ?? before.secrets.get(key) ?? []);
  const namesIn = (keys: readonly string[]) => secretsOf(keys).map(({ name }) => name);
  const recipientsOf = (name: string) => [...(after.secrets.get(name.toLowerCase())?.to ?? [])];
  const { now_needed, now_optional, now_plain, now_secret, ...kept } = keepNames(
    {
      needs: namesIn(added.filter(isNeeded)),
      takes: namesIn(added.filter((key) => !isNeeded(key))),
      // A record read in part may still name a missing secret.
      gone: after.isPartlyRead ? [] : namesIn(gone),
      now_needed: namesIn(keysWith('required', true)),
      now_optional: namesIn(keysWith('required', false)),
      now_plain: namesIn(keysWith('isPlain', true)),
      now_secret: namesIn(keysWith('isPlain')),
    },
    [(name) => recipientsOf(name).some(isOfOther)],
    (name) =>
      recipientsOf(name)
        .map((place) => ownerOf(place) ?? place)
        .join(' '),
  );
  const now = Object.entries({ now_needed, now_optional, now_plain, now_secret });
  const move = {
    ...kept,
    ...Object.fromEntries(now.filter(([, all]) => all.length > 0)),
    ...(added.length > 0 && { sent: sentTo(secretsOf(added), compared) }),
  };
  return Object.values(move).some((one) => !Array.isArray(one) || one.length > 0) ? move : undefined;
}

function passedOn(compared: NamingPair): Pick<VersionMove, 'passed' | 'passed_left_out'> {
  const { before, after, found, ownerOf } = compared;
  const ownerBefore = ownerIn(before);
  const passed = found.filter((one) => one.path[0] === 'secrets' && one.path[2] === 'to' && isNew(one));
  const all = [...Map.groupBy(passed, ({ path: [, key = ''] }) => key)].flatMap(([key, recipients]) => {
    const owners = new Set([...(before.secrets.get(key)?.to ?? [])].map(ownerBefore));
    owners.delete(undefined);
    const isSame = (place: string) => before.packages.has(place) || owners.has(ownerOf(place));
    const mayBeAdded = (place: string) =>
      !before.plainInputs.get(key)?.to.has(place) &&
      (!before.mayNameMore.endpoints || before.packages.has(place) || !isSame(place));
    const to = recipients.flatMap(({ name = '' }) => (mayBeAdded(name) ? name : []));
    const others = to.filter((place) => !isSame(place));
    const id = `${others.length > 0 ? 0 : 1}\n${[...others, '', ...to].join('\n')}`;
    return to.length === 0 ? [] : [{ id, secret: after.secrets.get(key)?.name ?? '', to, others }];
  });
  const groups = [...Map.groupBy(all, ({ id }) => id)].sort(([a], [b]) => (a < b ? -1 : 1));
  if (groups.length === 0) return {};
  return {
    passed: groups.slice(0, mostNames).map(([, group]) => {
      const others = new Set(group.flatMap((one) => one.others));
      const lists = { secrets: group.map(({ secret }) => secret), to: group.flatMap(({ to }) => to) };
      return { is_within: others.size === 0, ...keepNames(lists, [(name) => others.has(name)], ownerOf) };
    }),
    ...(groups.length > mostNames && { passed_left_out: groups.length - mostNames }),
  };
}

/** Adds inputs that another record of the listing calls secrets, by their keys. */
export function withSecretsOfOther(secrets: Iterable<string>, naming: Naming): Naming {
  const others = [...secrets].flatMap((key) => {
    const plain = naming.secrets.has(key) ? undefined : naming.plainInputs.get(key);
    return plain ? [[key, { ...plain, isPlain: true as const }] as const] : [];
  });
  return { ...naming, secrets: new Map([...naming.secrets, ...others]) };
}

/** As `DerivedVersion.inputs`. */
export function inputsBetween(before: Naming, after: Naming): DerivedVersion['inputs'] {
  const namesIf = (of: Naming, other: Naming, isSo: (one: Secret, was?: Secret) => boolean) =>
    [...of.plainInputs].flatMap(([key, one]) => {
      const isSecret = of.secrets.has(key) || other.secrets.has(key);
      return !isSecret && !other.isPartlyRead && isSo(one, other.plainInputs.get(key)) ? one.name : [];
    });
  const needsMore = (one: Secret, was?: Secret) => one.required && was?.required === false;
  const changes: Record<InputChange, string[]> = {
    needed: namesIf(after, before, (one, was) => !was && one.required),
    added: namesIf(after, before, (one, was) => !was && !one.required),
    now_needed: namesIf(after, before, needsMore),
    now_optional: namesIf(before, after, needsMore),
    gone: namesIf(before, after, (_, now) => !now),
  };
  const isPartly = before.isPartlyRead || after.isPartlyRead;
  return { ...keepNames(changes, []), ...(isPartly && { partly_read: true }) };
}

export function moveBetween(before: Naming, now: Naming, handle: string): VersionMove | undefined {
  const was = withSecretsOfOther(now.secrets.keys(), before);
  const compared = toPair(was, withSecretsOfOther(before.secrets.keys(), now), handle);
  const found = {
    endpoints: replacedNames('endpoints', compared),
    addresses: replacedAddresses(compared),
    transports: replacedTransports(compared),
    packages: replacedNames('packages', compared),
    starts: replacedSettings(compared),
    repository: repositoryMove(compared),
    secrets: newSecrets(compared),
    ...passedOn(compared),
  };
  const parts = Object.entries(found).filter(([, part]) => part !== undefined);
  return parts.length === 0 ? undefined : (Object.fromEntries(parts) as VersionMove);
}
