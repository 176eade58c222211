import { z } from 'zod';
import { code, day, dayOf, join, listed, own, say, type Words } from '../../core/words.ts';
import { type DatedMove, datedMove, holderOfHost, type Move } from '../../listings/moves.ts';
import { defineRecord } from '../kind.ts';

const mostNamed = 2;
const mostKept = 10;

/** Two names, and how many more there are; of very many not all are kept. */
function named(all: readonly string[]): Words {
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

const nouns = { endpoint: 'endpoints', package: 'packages', secret: 'secrets' } as const;
const noun = (one: keyof typeof nouns, all: readonly unknown[]): Words =>
  own(all.length === 1 ? one : nouns[one]);

/** Under whose domain all of some hosts are; nothing if they are under several. */
function underDomain(hosts: readonly string[]): Words {
  const holders = new Set(hosts.map(holderOfHost));
  const [only] = holders;
  return holders.size === 1 && only ? say`, under the same domain ${code(only)}` : say``;
}

function endpointWords({ from, to, is_within }: NonNullable<Move['endpoints']>): Words {
  if (to.length === 0) return say`no longer names the ${noun('endpoint', from)} ${named(from)}`;
  const within = is_within ? underDomain([...from, ...to]) : say``;
  return from.length === 0
    ? say`added the ${noun('endpoint', to)} ${named(to)}${within}`
    : say`moved the ${noun('endpoint', from)} from ${named(from)} to ${named(to)}${within}`;
}

function packageWords({ from, to, is_within }: NonNullable<Move['packages']>): Words {
  if (to.length === 0) return say`no longer names the ${noun('package', from)} ${named(from)}`;
  const owner = is_within ? own(', of the same owner') : say``;
  return from.length === 0
    ? say`added the ${noun('package', to)} ${named(to)}${owner}`
    : say`replaced the ${noun('package', from)} ${named(from)} with ${named(to)}${owner}`;
}

function repositoryWords({ from, to, is_within }: NonNullable<Move['repository']>): Words {
  if (to === undefined) return say`no longer names the repository ${code(from)}`;
  return say`changed the repository from ${code(from)} to ${code(to)}${is_within ? own(', of the same account') : say``}`;
}

function secretWords({ needs, takes, gone }: NonNullable<Move['secrets']>): Words {
  const asked = [
    needs.length > 0 ? say`newly asks for the ${noun('secret', needs)} ${named(needs)}` : say``,
    takes.length > 0 ? say`newly names the optional ${noun('secret', takes)} ${named(takes)}` : say``,
  ];
  return say`${join(asked, ' and ')}${gone.length > 0 ? say`, and no longer names ${named(gone)}` : say``}`;
}

/** What of a record became other, in words that follow its subject. */
export function moveWords({ endpoints, packages, repository, secrets, passed = [] }: Move): Words {
  // A secret that was asked for before goes to another host in place of the one that is named no longer, or
  // to it too.
  const instead = (endpoints?.from.length ?? 0) + (packages?.from.length ?? 0) > 0;
  const parts = [
    endpoints && endpointWords(endpoints),
    packages && packageWords(packages),
    repository && repositoryWords(repository),
    secrets && secretWords(secrets),
    ...passed.map(
      (one) =>
        say`asks callers to send the ${noun('secret', one.secrets)} ${named(one.secrets)} to ${named(one.to)} ${instead ? own('now') : own('too')}`,
    ),
  ];
  const said = parts.filter((part) => part !== undefined);
  const isSplit = [endpoints, packages].some((part) => part?.is_within && part.to.length > 0);
  const isLong = said.length > 2 || isSplit || repository?.is_within;
  return isLong ? join(said, '; ') : listed(said);
}

/** The same with the version that made it, and when that was published. */
export function versionMoveWords({ version, published_at, ...move }: DatedMove): Words {
  const date = published_at === undefined ? own('without a date') : say`published ${day(published_at)}`;
  return say`Version ${code(version)} (${date}) ${moveWords(move)}`;
}

/** What versions of the record changed of where callers go, what they run and who gets their secrets. */
export const recordMoves = defineRecord({
  kind: 'record.moves',
  question: 'publisher',
  title: 'What versions of the record moved',
  means:
    'Which of the newest thirty versions named another host, package or repository than the one before, or asked for another secret.',
  doesNotMean: 'Publishers move for many reasons; it does not say why. Deleted versions are left out.',
  value: z.strictObject({
    /** How many versions were compared, and when the oldest of them was published. */
    versions: z.int(),
    since: z.string().optional(),
    /** Newest first, ten at most, those to another owner before others. */
    moves: z.array(datedMove),
  }),
  say({ value: { versions, since, moves } }) {
    const oldest = since === undefined ? say`` : say`, the oldest of ${dayOf(since)}`;
    return moves.length === 0
      ? say`nothing; ${versions} were compared${oldest}`
      : join(moves.map(versionMoveWords), '. ');
  },
  stated: ({ moves }) => moves,
});
