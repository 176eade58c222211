import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { asMembers, type Json } from '../../../../core/json.ts';
import { code, codes, join, own, quote, say, type Words } from '../../../../core/words.ts';
import { type NoAnswer, noAnswer, notAsked } from '../../../../net/answer.ts';
import { type Earlier, memberOf, namesWords, type Published } from '../../../asked/published/document.ts';
import { publisherOfManifest, scriptNames, scriptsOfManifest } from '../../../asked/published/stated.ts';
import { defineKind, type ShownFinding, type StandingOut } from '../../kind.ts';
import type { RemoteFinding } from '../remotes.ts';
import { ofPublished, versionOf } from './packages.ts';

type Manifest = Published['document'];

interface VersionReading<Value extends Json> {
  readonly value: (document: Manifest) => Value | undefined;
  /** Only a value that no settled earlier version has is new (`isSettled`). */
  readonly isOfAll?: true;
  readonly what: Words;
}

/** Settled ones first, because somebody who takes over a package may publish several versions in a row. */
const toCompare = (earlier: readonly Earlier[]) => earlier.find((one) => one.isSettled) ?? earlier[0];

/** A new version with the same value is no change. `before`: the newest earlier version with its value. */
const ofVersions = <Value extends Json>({ value: read, isOfAll, what }: VersionReading<Value>) =>
  ofPublished(['npm'], ({ version, document, earlier }): RemoteFinding<Value> | NoAnswer => {
    const value = read(document);
    if (value === undefined)
      return noAnswer('nothing', say`For version ${code(version)}, npm does not state ${what}.`);
    const known = 'result' in earlier ? [] : earlier;
    const compared = toCompare(known);
    const was = compared && read(compared.document);
    const isLike = (like: Value | undefined) => (one: Earlier) => isDeepStrictEqual(read(one.document), like);
    const isNew =
      !isDeepStrictEqual(was, value) &&
      !(isOfAll && known.some((one) => one.isSettled && isLike(value)(one)));
    const before = isNew && was !== undefined && known.find(isLike(was));
    return {
      value,
      outcome: 'seen',
      ...('result' in earlier && { why: say`It is not known what earlier versions had. ${earlier.why}` }),
      details: { version, ...(before && { before: { version: before.version, value: was } }) },
    };
  });

function versionBefore<Value extends Json>(
  { details }: Pick<ShownFinding, 'details'>,
  schema: z.ZodType<Value>,
) {
  const { version, value, is_recorded } = asMembers(details?.before);
  const was = schema.safeParse(value);
  if (typeof version !== 'string' || !was.success) return undefined;
  const which = is_recorded ? say`version ${code(version)}` : say`an earlier version, ${code(version)},`;
  return { version, value: was.data, which };
}

const withBefore =
  <Value extends Json>(schema: z.ZodType<Value>, toWords: (value: Value) => Words) =>
  (found: ShownFinding<Value>) => {
    const before = versionBefore(found, schema);
    const now = toWords(found.value);
    return before ? say`${now}; an earlier version, ${code(before.version)}: ${toWords(before.value)}` : now;
  };

const scripts = z.partialRecord(z.enum(scriptNames), z.string());
type Scripts = z.infer<typeof scripts>;

const standsOutWithBefore =
  <Value extends Json>(
    schema: z.ZodType<Value>,
    toWords: (now: Value, before: { which: Words; value: Value } | undefined) => Words | undefined,
  ) =>
  (found: StandingOut<Value>) => {
    const words = toWords(found.value, versionBefore(found, schema));
    return words && say`${versionOf(found)} ${words}${found.by}`;
  };

const longestScript = 100;

function scriptsWords(stated: Scripts): Words {
  const said = scriptNames.flatMap((name) => {
    const { [name]: text } = stated;
    return text === undefined ? [] : [say`${code(name)} ${quote(text.slice(0, longestScript))}`];
  });
  return said.length === 0 ? own('none') : join(said, ', ');
}

function scriptsAtInstallation(now: Scripts, before: { which: Words; value: Scripts } | undefined) {
  const names = Object.keys(now);
  if (names.length === 0) return undefined;
  const runs = say`names ${scriptsWords(now)}, which npm runs at installation`;
  if (!before) return runs;
  const old = Object.keys(before.value);
  const had = isDeepStrictEqual(names, old)
    ? say`has a different text for ${own(names.length === 1 ? 'this script' : 'at least one of these scripts')}`
    : say`names ${old.length > 0 ? codes(old) : own('none')}`;
  return say`${runs}; ${before.which} ${had}`;
}

export const packageScripts = defineKind({
  kind: 'package.install_scripts',
  value: scripts,
  question: 'code',
  title: 'Scripts that run when the package is installed',
  means:
    'Which of the scripts preinstall, install and postinstall npm lists for the recorded version of a package. If an earlier version (the newest that is at least a week older, or else the newest) had different scripts, these are named too, with the newest earlier version that had them. npm runs such scripts on the machine that installs the package.',
  doesNotMean:
    'Many packages build themselves in this way, and Dossier does not look at what a script does. A package without such a script may do anything once it runs.',
  say: withBefore(scripts, scriptsWords),
  saidIn: 'kept_up',
  // Those that it names stand out.
  sayInLine: ({ value }) =>
    Object.keys(value).length === 0
      ? own('the package names no script that npm runs at installation')
      : undefined,
  standsOutAs: 'package_version',
  sayStandsOut: standsOutWithBefore(scripts, scriptsAtInstallation),
  method_version: 'package/2',
  ...ofVersions({ value: scriptsOfManifest, what: own('the scripts') }),
});

const account = z.string();

const builds = ['GitHub Actions', 'GitLab CI/CD', 'CircleCI'];

export const packagePublishedBy = defineKind({
  kind: 'package.published_by',
  value: account,
  question: 'publisher',
  title: 'Account that published the version',
  means:
    'The npm account that published the recorded version of the package. If this account published none of the versions that are at least a week older, the account that published the newest of these is named too, with the newest earlier version that it published.',
  doesNotMean:
    'It does not say who holds the account. GitHub Actions, GitLab CI/CD and CircleCI are build services that publish without an account.',
  say: withBefore(account, (value) => code(value)),
  standsOutAs: 'package_version',
  sayStandsOut: standsOutWithBefore(account, (now, before) =>
    before && !builds.includes(now)
      ? say`was published by ${code(now)}, and ${before.which} by ${code(before.value)}`
      : undefined,
  ),
  method_version: 'package/1',
  ...ofVersions({ value: publisherOfManifest, isOfAll: true, what: own('the account that published it') }),
});

const dependenciesOf = (document: Manifest) => Object.keys(memberOf(document, 'dependencies'));

export const packageDependencies = defineKind({
  kind: 'package.new_dependencies',
  value: z.strictObject({ count: z.number(), names: z.array(z.string()) }),
  say: ({ value: { count, names } }) => namesWords(count, names),
  question: 'code',
  title: 'Dependencies that an earlier version did not have',
  means:
    'The number and names of the direct dependencies that the recorded version of an npm package has, and an earlier version did not have: the newest that is at least a week older, or else the newest.',
  doesNotMean: 'New dependencies are common. Dossier checks neither them nor what they depend on.',
  method_version: 'package/2',
  isSeldom: true,
  ...ofPublished(['npm'], ({ version, document, earlier }) => {
    if ('result' in earlier) return notAsked(earlier.why);
    const before = toCompare(earlier);
    if (!before) return notAsked(say`npm has no earlier release to compare ${code(version)} with.`);
    const known = new Set(dependenciesOf(before.document));
    const names = dependenciesOf(document)
      .filter((name) => !known.has(name))
      .sort();
    return {
      value: { count: names.length, names },
      outcome: 'seen',
      details: { version, before: before.version },
    };
  }),
});
