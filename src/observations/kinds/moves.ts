import { z } from 'zod';
import { code, day, dayOf, join, listed, own, say, type Words } from '../../core/words.ts';
import { type DatedMove, datedMove, holderOfHost, type VersionMove } from '../../listings/moves.ts';
import { defineRecord } from '../kind.ts';

const mostNamed = 2;
const mostKept = 10;

/**
 * Names all if there are at most three, otherwise the first two. A list of ten may have been cut, so its rest
 * is not counted.
 */
function listNames(all: readonly string[]): Words {
  if (all.length < mostKept)
    return listed(
      all.map((one) => code(one)),
      all.length > mostNamed + 1 ? mostNamed : all.length,
    );
  return say`${join(
    all.slice(0, mostNamed).map((one) => code(one)),
    ', ',
  )} and others`;
}

const nouns = {
  endpoint: 'endpoints',
  host: 'hosts',
  package: 'packages',
  secret: 'secrets',
} as const;
const noun = (one: keyof typeof nouns, all: readonly unknown[]): Words =>
  own(all.length === 1 ? one : nouns[one]);

/** Names the registrable domain that all of the hosts share; empty if they have several. */
function underDomain(hosts: readonly string[]): Words {
  const holders = new Set(hosts.map(holderOfHost));
  const [only] = holders;
  return holders.size === 1 && only ? say`, under the same domain ${code(only)}` : say``;
}

function endpointWords({ from, to, is_within }: NonNullable<VersionMove['endpoints']>): Words {
  if (to.length === 0) return say`no longer names the ${noun('endpoint', from)} ${listNames(from)}`;
  const within = is_within ? underDomain([...from, ...to]) : say``;
  return from.length === 0
    ? say`added the ${noun('endpoint', to)} ${listNames(to)}${within}`
    : say`moved the ${noun('endpoint', from)} from ${listNames(from)} to ${listNames(to)}${within}`;
}

function packageWords({ from, to, is_within }: NonNullable<VersionMove['packages']>): Words {
  if (to.length === 0) return say`no longer names the ${noun('package', from)} ${listNames(from)}`;
  const owner = is_within ? own(', of the same owner') : say``;
  return from.length === 0
    ? say`added the ${noun('package', to)} ${listNames(to)}${owner}`
    : say`replaced the ${noun('package', from)} ${listNames(from)} with ${listNames(to)}${owner}`;
}

function repositoryWords({ from, to, is_within }: NonNullable<VersionMove['repository']>): Words {
  if (to === undefined) return say`no longer names the repository ${code(from)}`;
  return say`changed the repository from ${code(from)} to ${code(to)}${is_within ? own(', of the same account') : say``}`;
}

/** Where new secrets go, in words that follow their names; empty if a stored move does not tell it. */
function sentWords(sent: NonNullable<VersionMove['secrets']>['sent']): Words {
  if (!sent) return say``;
  const { hosts, packages, is_same } = sent;
  const places = [
    hosts.length > 0 ? say`to ${listNames(hosts)}` : say``,
    packages.length > 0
      ? say`to the ${noun('package', packages)} ${listNames(packages)} that you start`
      : say``,
  ];
  return say`, sent ${join(places, ' and ')}${is_same ? say`` : own(', not each to all of them')}`;
}

function secretWords({ needs, takes, gone, sent }: NonNullable<VersionMove['secrets']>): Words {
  const asked = [
    needs.length > 0 ? say`newly asks for the ${noun('secret', needs)} ${listNames(needs)}` : say``,
    takes.length > 0 ? say`newly names the optional ${noun('secret', takes)} ${listNames(takes)}` : say``,
  ];
  return say`${join(asked, ' and ')}${sentWords(sent)}${gone.length > 0 ? say`, and no longer names ${listNames(gone)}` : say``}`;
}

/** Says what a record changed, in words that follow its subject. */
export function moveWords({ endpoints, packages, repository, secrets, passed = [] }: VersionMove): Words {
  // If the version dropped a host or package, the secret goes to the new one instead (“now”), otherwise to
  // both (“too”).
  const instead = (endpoints?.from.length ?? 0) + (packages?.from.length ?? 0) > 0;
  const parts = [
    endpoints && endpointWords(endpoints),
    packages && packageWords(packages),
    repository && repositoryWords(repository),
    secrets && secretWords(secrets),
    ...passed.map(
      (one) =>
        say`asks callers to send the ${noun('secret', one.secrets)} ${listNames(one.secrets)} to ${listNames(one.to)} ${instead ? own('now') : own('too')}`,
    ),
  ];
  const said = parts.filter((part) => part !== undefined);
  const isSplit = [endpoints, packages].some((part) => part?.is_within && part.to.length > 0);
  const isLong = said.length > 2 || isSplit || repository?.is_within;
  return isLong ? join(said, '; ') : listed(said);
}

const counted = (one: 'endpoint' | 'host', number: number): Words[] =>
  number > 0 ? [own(number === 1 ? one : nouns[one])] : [];

/** Names what a version left as it was; a package may have another version. */
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

/** Says what a version changed, with its publication date, and what it did not. */
export function versionMoveWords({ version, published_at, kept, ...move }: DatedMove): Words {
  const date = published_at === undefined ? own('without a date') : say`published ${day(published_at)}`;
  return say`Version ${code(version)} (${date}) ${moveWords(move)}${keptWords(kept)}`;
}

export const recordMoves = defineRecord({
  kind: 'record.moves',
  question: 'publisher',
  title: 'Moves between versions of the record',
  means:
    'Which of the newest thirty versions named a different host, package or repository from the version before it, or asked for a new secret.',
  doesNotMean:
    'Publishers make such changes for many reasons, which are not known. Deleted versions are left out.',
  value: z.strictObject({
    /** How many versions were compared. */
    versions: z.int(),
    since: z.string().optional(),
    /** Newest first. At most ten are kept, those to a different owner before others. */
    moves: z.array(datedMove),
  }),
  say({ value: { versions, since, moves } }) {
    const oldest = since === undefined ? say`` : say`, the oldest published on ${dayOf(since)}`;
    return moves.length === 0
      ? say`none; ${versions} versions were compared${oldest}`
      : join(moves.map(versionMoveWords), '. ');
  },
  stated: ({ moves }) => moves,
});
