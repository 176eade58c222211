import { z } from 'zod';
import { registrableDomain } from '../../../core/identity.ts';
import {
  code,
  count,
  day,
  dayOf,
  isEmpty,
  join,
  listed,
  ours,
  own,
  say,
  type Words,
} from '../../../core/words.ts';
import type { DerivedVersion, InputChange } from '../../../listings/listing.ts';
import type { VersionMove } from '../../../listings/moves.ts';
import { type DatedMove, datedMove, type Unchanged } from '../../../listings/version-moves.ts';
import { defineRecord } from '../kind.ts';

const mostNamed = 2;

interface Others {
  readonly count: number | undefined;
  readonly whose: Words;
}
const ofOtherHosts = own('of other domains or accounts');
/** The name of a package does not always tell its owner. */
const ofOtherPackages = own('of other or unknown owners');

/** A secret value in src/imports/naming.ts is hosts and a digest, which are not the publisher's words. */
const hiddenForm = /^(?:([^\s=]+)[ =])?((?:[^\s#]+#)*)(sha256-[0-9a-f]{64})$/;

function settingWords(text: string): Words {
  const [, name, hosts = '', digest] = hiddenForm.exec(text) ?? [];
  if (digest === undefined) return code(text);
  const named = hosts.split('#').filter(Boolean);
  const at = named.length > 0 && say`names ${listed(named.map((host) => code(host)))}; `;
  return say`${name !== undefined && say`${code(name)} and `}a value that is not shown (${at}${ours(digest)})`;
}

/** `others` counts the names of other owners, which come first in `all`. */
function listNames(all: readonly string[], left_out = 0, others?: Others, most = mostNamed): Words {
  const total = all.length + left_out;
  if (total <= most + 1) return listed(all.map(settingWords));
  const shown = all.slice(0, most).map(settingWords);
  const hidden = (others?.count ?? 0) - most;
  const whose = others && hidden > 0 && say`, ${hidden} of them ${others.whose}`;
  return say`${join(shown, ', ')} and ${total - most} more${whose}`;
}

const nouns = {
  endpoint: 'endpoints',
  address: 'addresses',
  transport: 'transports',
  host: 'hosts',
  package: 'packages',
  secret: 'secrets',
} as const;
const noun = (one: keyof typeof nouns, all: readonly unknown[]): Words =>
  own(all.length === 1 ? one : nouns[one]);

type Replaced = NonNullable<VersionMove['endpoints']>;

function ofNamed({ is_within, from, to, left_out }: Replaced): Words {
  if (!is_within) return say``;
  const all = [...from, ...to];
  const [domain = '', other] = new Set(all.map(registrableDomain));
  // Packages and publishers at a host of many are no names of hosts.
  const isPair = from.length === 1 && to.length === 1 && !left_out && !all.some((name) => /[:/]/.test(name));
  return isPair && other === undefined
    ? say`, both of ${code(domain)}`
    : own(', of a domain or account that the record named before');
}

const replacing = {
  endpoint: { verb: own('moved'), before: own(' from'), between: own(' to'), whose: ofOtherHosts },
  address: { verb: own('changed'), before: own(' from'), between: own(' to'), whose: ofOtherHosts },
  transport: { verb: own('changed'), before: own(' from'), between: own(' to'), whose: ofOtherHosts },
  package: { verb: own('replaced'), before: own(''), between: own(' with'), whose: ofOtherPackages },
};

function replacedWords(what: keyof typeof replacing, part: Replaced, behind: Words): Words {
  const { from, to, left_out, of_others } = part;
  const { verb, before, between, whose } = replacing[what];
  const old = listNames(from, left_out?.from);
  if (to.length === 0) return say`no longer names the ${noun(what, from)} ${old}`;
  const now = say`${listNames(to, left_out?.to, { count: of_others, whose })}${behind}`;
  return from.length === 0
    ? say`added the ${noun(what, to)} ${now}`
    : say`${verb} the ${noun(what, from)}${before} ${old}${between} ${now}`;
}

function addressWords(part: Replaced): Words {
  const plain = own(part.to.length === 1 ? ', without encryption' : ', some of them without encryption');
  return replacedWords('address', part, part.is_within ? say`` : plain);
}

function hiddenHosts({ to, hosts, left_out }: NonNullable<VersionMove['starts']>): Words {
  const total = to.length + (left_out?.to ?? 0);
  const shown = total <= mostNamed + 1 ? to : to.slice(0, mostNamed);
  const hidden = hosts.filter((host) => !shown.some((text) => text.includes(host)));
  if (hidden.length === 0) return say``;
  const verb = own(total === 1 ? 'names' : 'name');
  return say`, which ${verb} the ${noun('host', hidden)} ${listNames(hidden, left_out?.hosts)}`;
}

/** Of several packages, it is not known which one has which setting. */
function startWords(part: NonNullable<VersionMove['starts']>): Words {
  const { from, to, packages, left_out } = part;
  const started = listNames(packages, left_out?.packages);
  const gone = listNames(from, left_out?.from);
  const hosts = hiddenHosts(part);
  const added = say`${listNames(to, left_out?.to)}${hosts}`;
  const pause = isEmpty(hosts) ? say`` : own(',');
  if (packages.length > 1) {
    if (to.length === 0) return say`removed ${gone} from the settings that start ${started}`;
    return from.length === 0
      ? say`added ${added}${pause} to the settings that start ${started}`
      : say`changed settings that start ${started} from ${gone} to ${added}`;
  }
  if (to.length === 0) return say`no longer starts ${started} with ${gone}`;
  return from.length === 0
    ? say`newly starts ${started} with ${added}`
    : say`starts ${started} with ${added}${pause} instead of ${gone}`;
}

function repositoryWords({ from, to, is_within }: NonNullable<VersionMove['repository']>): Words {
  if (from === undefined) return say`newly names the repository ${code(to ?? '')}`;
  if (to === undefined) return say`no longer names the repository ${code(from)}`;
  return say`changed the repository from ${code(from)} to ${code(to)}${is_within && own(', of the same account')}`;
}

function sentWords(sent: NonNullable<VersionMove['secrets']>['sent']): Words {
  if (!sent) return say``;
  const { hosts, packages, is_same, of_others, left_out } = sent;
  const toHosts = say`to ${listNames(hosts, left_out?.hosts, { count: of_others, whose: ofOtherHosts })}`;
  const toPackages = say`to the ${noun('package', packages)} ${listNames(packages, left_out?.packages)} that you start`;
  const places = join([hosts.length > 0 && toHosts, packages.length > 0 && toPackages], ' and ');
  return say`, sent ${places}${!is_same && own(', not every secret to each of these')}`;
}

function secretWords(part: NonNullable<VersionMove['secrets']>): Words {
  const { sent, left_out, ...lists } = part;
  const names = (list: keyof typeof lists) => listNames(lists[list] ?? [], left_out?.[list]);
  const secrets = (list: keyof typeof lists) => say`${noun('secret', lists[list] ?? [])} ${names(list)}`;
  const ifAny = (list: keyof typeof lists, words: Words) => lists[list]?.length !== 0 && lists[list] && words;
  const asked = [
    ifAny('needs', say`newly asks for the ${secrets('needs')}`),
    ifAny('takes', say`newly names the optional ${secrets('takes')}`),
  ];
  const others = [
    ifAny('now_needed', say`now requires the ${secrets('now_needed')}, optional before`),
    ifAny('now_optional', say`no longer requires the ${secrets('now_optional')}`),
    ifAny('now_plain', say`no longer marks ${names('now_plain')} as secret`),
    ifAny('now_secret', say`now marks ${names('now_secret')} as secret`),
    ifAny('gone', say`no longer names ${sent ? names('gone') : say`the ${secrets('gone')}`}`),
  ];
  return join([say`${join(asked, ' and ')}${sentWords(sent)}`, ...others], ', and ');
}

const mostPassed = 3;

/** It is not known whether earlier recipients still get these secrets. */
function passedWords({ passed = [], passed_left_out = 0 }: VersionMove): Words[] {
  const said = passed.slice(0, mostPassed).map(({ secrets, to, left_out }) => {
    const names = say`${noun('secret', secrets)} ${listNames(secrets, left_out?.secrets)}`;
    return say`now asks callers to send the ${names}, named before, to ${listNames(to, left_out?.to)}`;
  });
  const more = passed.length - said.length + passed_left_out;
  const others = say`now asks callers to send other secrets, named before, to ${count(more, 'more group')} of recipients`;
  return more > 0 ? [...said, others] : said;
}

export function moveWords(move: VersionMove): Words {
  const { endpoints, addresses, transports, packages, starts, repository, secrets } = move;
  const parts = [
    endpoints && replacedWords('endpoint', endpoints, ofNamed(endpoints)),
    addresses && addressWords(addresses),
    transports && replacedWords('transport', transports, say``),
    packages && replacedWords('package', packages, ofNamed(packages)),
    starts && startWords(starts),
    repository && repositoryWords(repository),
    secrets && secretWords(secrets),
    ...passedWords(move),
  ];
  const said = parts.filter((part) => part !== undefined);
  const isSplit = [endpoints, packages].some((part) => part?.is_within && part.to.length > 0);
  const hasOwnLists = [addresses, starts].some((part) => part !== undefined);
  const isLong = said.length > 2 || isSplit || hasOwnLists || repository?.is_within;
  return isLong ? join(said, '; ') : listed(said);
}

const counted = (one: 'endpoint' | 'host', number: number): Words[] =>
  number > 0 ? [own(number === 1 ? one : nouns[one])] : [];

/** The version of a kept package may have changed, so “package name”. */
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

/** The words about a part of a move already cover these fields. */
const told = [
  ['endpoints', ['endpoint', 'remotes']],
  ['addresses', ['endpoint', 'remotes']],
  ['transports', ['remotes', 'package_transport']],
  ['packages', ['packages']],
  ['starts', ['package_settings']],
  ['repository', ['repository']],
  ['secrets', ['inputs']],
] as const;

type ChangedFields = Pick<DerivedVersion, 'fields' | 'inputs' | 'values'>;
const orNone = (text: string | null): Words => (text === null ? own('none') : code(text));
const mostInputs = 9;

const inputChanges: readonly (readonly [InputChange, Words])[] = [
  ['needed', own('new and required, not called secret')],
  ['added', own('new, not called secret')],
  ['now_needed', own('now required')],
  ['now_optional', own('no longer required')],
  ['gone', own('gone')],
];

function inputNames(inputs: ChangedFields['inputs']): Words {
  const said = inputChanges.map(([change, title]) => {
    const names = inputs?.[change] ?? [];
    const most = listNames(names, inputs?.left_out?.[change], undefined, mostInputs);
    return names.length > 0 && say`${title}: ${most}`;
  });
  return join(said, '; ');
}

/** Of the fields that differ, those of which the move says nothing. */
export function otherFields(
  { fields = [], inputs, values = {} }: ChangedFields,
  move: VersionMove | undefined,
): Words {
  const inMove = new Set(told.flatMap(([part, names]): readonly string[] => (move?.[part] ? names : [])));
  const named = inputNames(inputs);
  if (!isEmpty(named)) inMove.delete('inputs');
  const others = fields.filter((field) => !inMove.has(field));
  const isOfSame = inputs?.needed && isEmpty(named) && !inputs.partly_read;
  const toWords = (field: string) => {
    if (field === 'inputs')
      return say`${isOfSame && own('wording or place of ')}inputs${!isEmpty(named) && say` (${named})`}`;
    const name = field.replaceAll('_', ' ').replace('sha256', 'SHA-256');
    const pairs = Object.entries(values).filter(([key]) => key.split(' ', 1)[0] === field);
    if (pairs.length === 0) return ours(name);
    const alike = Map.groupBy(pairs, ([, pair]) => JSON.stringify(pair)).values();
    const said = [...alike].map((all) => {
      const parts = all.map(([key]) => key.slice(field.length + 1)).filter(Boolean);
      const [, [was, is]] = all[0] ?? ['', [null, null]];
      return say`${ours(name.replace('versions', 'version'))}${parts.length > 0 && say` of ${listNames(parts)}`} from ${orNone(was)} to ${orNone(is)}`;
    });
    const more = said.length - mostNamed;
    return join([...said.slice(0, mostNamed), more > 0 && say`${ours(name)} of ${more} more`], ', ');
  };
  return join(others.map(toWords), ', ');
}

const unchangedWords: Readonly<Record<Unchanged, Words>> = {
  not_compared: own('was not compared'),
  first: own('was not compared, because no version before it was read'),
  after_deleted: own('was not compared with the version before it, which the registry had deleted'),
  after_other: own(
    'was not compared with the version before it, which the registry had deleted; it names an endpoint, package or repository that the deleted one did not',
  ),
  partly_read: own('was not compared as a whole'),
  same: own(
    'changed only the version of the record; all else that is compared, package versions too, is as before',
  ),
};

type ToldVersion = DatedMove & ChangedFields & { readonly unchanged?: Unchanged };

/** What a version changed besides itself. */
export function changedVersionWords(one: ToldVersion): Words {
  const { version: _1, published_at: _2, later: _3, deleted_at: _4, is_left: _5, kept: _6, ...rest } = one;
  const { fields, inputs, values, unchanged, ...move } = rest;
  if (unchanged) return unchangedWords[unchanged];
  const others = otherFields({ fields, inputs, values }, move);
  if (Object.keys(move).length === 0) return say`changed ${others}`;
  return isEmpty(others) ? moveWords(move) : say`${moveWords(move)}; changed ${others} besides`;
}

export function standingWords({ later, deleted_at }: Pick<DatedMove, 'later' | 'deleted_at'>): Words {
  if (deleted_at !== undefined) return say`, deleted in the registry on ${day(deleted_at)}`;
  return own(later === 'listed' ? ', not the version shown' : later ? ', deleted since' : '');
}

export function versionMoveWords(one: ToldVersion): Words {
  const { version, published_at, is_left, kept } = one;
  const date = published_at === undefined ? own('without a date') : say`published ${day(published_at)}`;
  return say`Version ${code(version)} (${date}${standingWords(one)}) ${changedVersionWords(one)}${keptWords(kept)}${is_left && own('; the record shown names nothing of that place')}`;
}

/** After “none changed”; undefined if the words of another part include it. */
const comparedParts = {
  endpoints: undefined,
  addresses: 'an endpoint address',
  transports: 'transport',
  packages: 'package name',
  starts: 'argument value, host in a variable',
  repository: 'repository',
  secrets: 'secret',
  passed: undefined,
  passed_left_out: undefined,
} as const satisfies Record<keyof VersionMove, string | undefined>;

export function comparedWords(versions: number, moved: Moved | null | undefined): Words {
  // Only an upgraded database lacks the comparison.
  if (moved === null) return own(', which were not compared yet');
  if (!moved) return versions > 1 ? own(', which were not compared with each other') : say``;
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
  versions: z.int(),
  since: z.string().optional(),
  partly_read: z.literal(true).optional(),
  /** Ten at most, the newest first. */
  moves: z.array(datedMove),
  left_out: z.int().optional(),
  newer: z
    .object({
      version: z.string(),
      packages: z.array(z.string().nullable()).optional(),
      is_marked: z.boolean().optional(),
    })
    .optional(),
  all: z.object({ moved: z.int(), changed: z.int(), same: z.int().optional() }).optional(),
});

export const recordMoves = defineRecord({
  kind: 'record.moves',
  question: 'publisher',
  title: 'Moves between versions of the record',
  means:
    'Which versions changed the addresses or transports of endpoints, the packages, the arguments that packages are started with, the repository or the secrets.',
  doesNotMean:
    'Publishers make such changes for many reasons, and Dossier does not know them. A version that was deleted before Dossier read it is left out. Dossier does not compare versions of packages, paths of package files, values of headers, or environment variables that neither name a host nor steer the runtime.',
  value,
  say({ value: { versions, since, partly_read, moves, left_out = 0 } }) {
    const oldest = since !== undefined && say`, the oldest published on ${dayOf(since)}`;
    const unread = partly_read && own('; parts of their records were not read');
    const more = left_out > 0 && say`${count(left_out, 'more version')} moved something`;
    return moves.length === 0
      ? say`none; ${versions} versions were compared${oldest}${unread}`
      : join([...moves.map(versionMoveWords), more], '. ');
  },
  isDerived: true,
  stated: ({ moves }) => moves,
});
