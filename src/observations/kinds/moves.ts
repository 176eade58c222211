import { z } from 'zod';
import { ownerAt } from '../../core/identity.ts';
import { code, count, day, dayOf, join, listed, own, say, type Words } from '../../core/words.ts';
import type { VersionMove } from '../../listings/moves.ts';
import { type DatedMove, datedMove } from '../../listings/version-moves.ts';
import { defineRecord } from '../kind.ts';

const mostNamed = 2;

/** `of_others` is the number of items with other owners; these come first. */
function listNames(all: readonly string[], left_out = 0, of_others = 0): Words {
  const total = all.length + left_out;
  if (total <= mostNamed + 1) return listed(all.map((one) => code(one)));
  const shown = all.slice(0, mostNamed).map((one) => code(one));
  const hidden = of_others - mostNamed;
  const others = hidden > 0 ? say`, ${hidden} of them of other domains or accounts` : say``;
  return say`${join(shown, ', ')} and ${total - mostNamed} more${others}`;
}

const nouns = {
  endpoint: 'endpoints',
  address: 'addresses',
  host: 'hosts',
  package: 'packages',
  secret: 'secrets',
} as const;
const noun = (one: keyof typeof nouns, all: readonly unknown[]): Words =>
  own(all.length === 1 ? one : nouns[one]);

/** Returns no words if the hosts have several registrable domains. */
function underDomain(hosts: readonly string[]): Words {
  const owners = new Set(hosts.map((host) => ownerAt(host, '')));
  const [only] = owners;
  return owners.size === 1 && only ? say`, under the same domain ${code(only)}` : say``;
}

type Replaced = NonNullable<VersionMove['endpoints']>;
const fromOf = ({ from, left_out }: Replaced) => listNames(from, left_out?.from);
const toOf = ({ to, left_out, of_others }: Replaced) => listNames(to, left_out?.to, of_others);

function endpointWords(part: Replaced): Words {
  const { from, to, is_within } = part;
  if (to.length === 0) return say`no longer names the ${noun('endpoint', from)} ${fromOf(part)}`;
  const within = is_within ? underDomain([...from, ...to]) : say``;
  return from.length === 0
    ? say`added the ${noun('endpoint', to)} ${toOf(part)}${within}`
    : say`moved the ${noun('endpoint', from)} from ${fromOf(part)} to ${toOf(part)}${within}`;
}

function addressWords(part: Replaced): Words {
  const { from, to, is_within } = part;
  if (to.length === 0) return say`no longer names the ${noun('address', from)} ${fromOf(part)}`;
  const plain = is_within ? say`` : own(', without encryption');
  return from.length === 0
    ? say`added the ${noun('address', to)} ${toOf(part)}${plain}`
    : say`changed the ${noun('address', from)} from ${fromOf(part)} to ${toOf(part)}${plain}`;
}

function packageWords(part: Replaced): Words {
  const { from, to, is_within } = part;
  if (to.length === 0) return say`no longer names the ${noun('package', from)} ${fromOf(part)}`;
  const owner = is_within ? own(', of the same owner') : say``;
  return from.length === 0
    ? say`added the ${noun('package', to)} ${toOf(part)}${owner}`
    : say`replaced the ${noun('package', from)} ${fromOf(part)} with ${toOf(part)}${owner}`;
}

function startWords(part: NonNullable<VersionMove['starts']>): Words {
  const { from, to, packages, hosts, left_out } = part;
  const started = listNames(packages, left_out?.packages);
  if (to.length === 0) return say`no longer starts ${started} with ${fromOf(part)}`;
  const hidden = hosts.filter((host) => !to.slice(0, mostNamed).some((text) => text.includes(host)));
  const others =
    hidden.length > 0
      ? say`, which names the ${noun('host', hidden)} ${listNames(hidden, left_out?.hosts)}`
      : say``;
  return from.length === 0
    ? say`newly starts ${started} with ${toOf(part)}${others}`
    : say`starts ${started} with ${toOf(part)} instead of ${fromOf(part)}${others}`;
}

function repositoryWords({ from, to, is_within }: NonNullable<VersionMove['repository']>): Words {
  if (from === undefined) return say`newly names the repository ${code(to ?? '')}`;
  if (to === undefined) return say`no longer names the repository ${code(from)}`;
  return say`changed the repository from ${code(from)} to ${code(to)}${is_within ? own(', of the same account') : say``}`;
}

function sentWords(sent: NonNullable<VersionMove['secrets']>['sent']): Words {
  if (!sent) return say``;
  const { hosts, packages, is_same, of_others, left_out } = sent;
  const places = [
    hosts.length > 0 ? say`to ${listNames(hosts, left_out?.hosts, of_others)}` : say``,
    packages.length > 0
      ? say`to the ${noun('package', packages)} ${listNames(packages, left_out?.packages)} that you start`
      : say``,
  ];
  return say`, sent ${join(places, ' and ')}${is_same ? say`` : own(', not each to all of them')}`;
}

function secretWords(part: NonNullable<VersionMove['secrets']>): Words {
  const { needs, takes, gone, now_needed = [], now_optional = [], now_plain = [] } = part;
  const { sent, left_out } = part;
  const secretsIn = (all: readonly string[], list: keyof NonNullable<VersionMove['secrets']>) =>
    say`${noun('secret', all)} ${listNames(all, left_out?.[list])}`;
  const asked = [
    needs.length > 0 ? say`newly asks for the ${secretsIn(needs, 'needs')}` : say``,
    takes.length > 0 ? say`newly names the optional ${secretsIn(takes, 'takes')}` : say``,
  ];
  const others = [
    now_needed.length > 0
      ? say`now requires the ${secretsIn(now_needed, 'now_needed')}, optional before`
      : say``,
    now_optional.length > 0 ? say`no longer requires the ${secretsIn(now_optional, 'now_optional')}` : say``,
    now_plain.length > 0
      ? say`no longer marks ${listNames(now_plain, left_out?.now_plain)} as secret`
      : say``,
    gone.length > 0 && sent ? say`no longer names ${listNames(gone, left_out?.gone)}` : say``,
    gone.length > 0 && !sent ? say`no longer names the ${secretsIn(gone, 'gone')}` : say``,
  ];
  return join([say`${join(asked, ' and ')}${sentWords(sent)}`, ...others], ', and ');
}

const mostPassed = 3;

/** These secrets were named before. `instead` means that an earlier recipient is gone. */
function passedWords({ passed = [], passed_left_out = 0 }: VersionMove, instead: boolean): Words[] {
  const said = passed.slice(0, mostPassed).map(({ secrets, to, left_out }) => {
    const names = say`${noun('secret', secrets)} ${listNames(secrets, left_out?.secrets)}`;
    return say`asks callers to send the ${names} to ${listNames(to, left_out?.to)} ${instead ? own('now') : own('too')}`;
  });
  const more = passed.length - said.length + passed_left_out;
  return more > 0 ? [...said, say`sends other secrets to ${count(more, 'more group')} of recipients`] : said;
}

/** The words follow their subject. */
export function moveWords(move: VersionMove): Words {
  const { endpoints, addresses, packages, starts, repository, secrets } = move;
  const instead = (endpoints?.from.length ?? 0) + (packages?.from.length ?? 0) > 0;
  const parts = [
    endpoints && endpointWords(endpoints),
    addresses && addressWords(addresses),
    packages && packageWords(packages),
    starts && startWords(starts),
    repository && repositoryWords(repository),
    secrets && secretWords(secrets),
    ...passedWords(move, instead),
  ];
  const said = parts.filter((part) => part !== undefined);
  const isSplit = [endpoints, packages].some((part) => part?.is_within && part.to.length > 0);
  const hasOwnLists = [addresses, starts].some((part) => part !== undefined);
  const isLong = said.length > 2 || isSplit || hasOwnLists || repository?.is_within;
  return isLong ? join(said, '; ') : listed(said);
}

const counted = (one: 'endpoint' | 'host', number: number): Words[] =>
  number > 0 ? [own(number === 1 ? one : nouns[one])] : [];

/** A package of the same name may have another version. */
function keptWords(kept: DatedMove['kept']): Words {
  if (!kept) return say``;
  const { endpoints, hosts, packages, repository } = kept;
  const same = [
    ...counted('endpoint', endpoints),
    ...counted('host', hosts),
    ...(packages > 0 ? [own(packages === 1 ? 'package name' : 'package names')] : []),
    ...(repository ? [own('repository')] : []),
  ];
  return same.length === 0 ? say`` : say`; ${listed(same)} as before`;
}

export function versionMoveWords({ version, published_at, kept, ...move }: DatedMove): Words {
  const date = published_at === undefined ? own('without a date') : say`published ${day(published_at)}`;
  return say`Version ${code(version)} (${date}) ${moveWords(move)}${keptWords(kept)}`;
}

/** The compared part of a record for each part of a move, in words that follow “none changed”. */
const comparedParts = {
  endpoints: undefined,
  addresses: 'an endpoint address',
  packages: 'package name',
  starts: 'argument value, host in a variable',
  repository: 'repository',
  secrets: 'secret',
  passed: undefined,
  passed_left_out: undefined,
} as const satisfies Record<keyof VersionMove, string | undefined>;

/** Returns no words if all versions were compared as a whole and one moved, or if none could be compared. */
export function comparedWords(versions: number, moved: Moved | undefined): Words {
  if (!moved) return say``;
  const isAll = moved.versions === versions;
  const some = isAll ? say`` : say`, of which ${moved.versions} were compared`;
  if (moved.partly_read) return isAll ? own(', not compared as a whole') : say`${some}, not as a whole`;
  if (moved.moves.length > 0) return some;
  const parts = Object.values(comparedParts).flatMap((part) => (part === undefined ? [] : own(part)));
  const none = isAll ? own(', of which none changed') : say`${some} and none of these changed`;
  return say`${none} ${join(parts.slice(0, -1), ', ')} or ${parts.at(-1) ?? say``}`;
}

type Moved = z.output<typeof value>;
const value = z.strictObject({
  /** The number of compared versions. */
  versions: z.int(),
  since: z.string().optional(),
  /** A compared part of a record has a form that is not read. */
  partly_read: z.literal(true).optional(),
  /** The newest comes first. At most ten are kept, those to a different owner before others. */
  moves: z.array(datedMove),
  left_out: z.int().optional(),
});

export const recordMoves = defineRecord({
  kind: 'record.moves',
  question: 'publisher',
  title: 'Moves between versions of the record',
  means:
    'Which of the newest thirty versions changed the addresses of endpoints, the packages, the arguments that start these, the repository or the secrets.',
  doesNotMean:
    'Publishers make such changes for many reasons, which are not known. Deleted versions are left out, and versions of packages, values of headers and variables that name no host are not compared.',
  value,
  say({ value: { versions, since, partly_read, moves, left_out = 0 } }) {
    const oldest = since === undefined ? say`` : say`, the oldest published on ${dayOf(since)}`;
    const unread = partly_read ? own('; parts of their records were not read') : say``;
    const more = left_out > 0 ? [count(left_out, 'more')] : [];
    return moves.length === 0
      ? say`none; ${versions} versions were compared${oldest}${unread}`
      : join([...moves.map(versionMoveWords), ...more], '. ');
  },
  stated: ({ moves }) => moves,
});
