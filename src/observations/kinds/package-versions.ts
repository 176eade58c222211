import { z } from 'zod';
import { asMembers } from '../../core/json.ts';
import { code, codes, join, own, say, type Words } from '../../core/words.ts';
import { type NoAnswer, noAnswer } from '../../net/answer.ts';
import { defineKind, type ShownFinding } from '../kind.ts';
import type { Found } from '../remotes.ts';
import { memberOf, ofPublished, type Published, toShort } from './package-record.ts';

type Manifest = Published['document'];

interface Reading {
  /** Undefined if the version does not state it. */
  readonly value: (document: Manifest) => string | undefined;
  /** What is compared, if that is more than the value. */
  readonly compared?: (document: Manifest) => string | undefined;
  readonly more?: (document: Manifest) => object;
  /** The value is new only if no earlier version that is settled has it. */
  readonly isOfAll?: true;
  /** What a version does not state. */
  readonly what: Words;
}

/**
 * What the recorded version of each npm package states, and in `as_seen.before` what the version before it did if that was something
 * else. A version is no part of the fact: another one that states the same is no change.
 */
const ofVersions = ({ value: read, compared = read, more, isOfAll, what }: Reading) =>
  ofPublished(['npm'], ({ version, document, earlier }): Found | NoAnswer => {
    const value = read(document);
    if (value === undefined)
      return noAnswer('nothing', say`npm does not state ${what} of version ${code(version)}.`);
    const known = 'result' in earlier ? [] : earlier;
    const [before] = known;
    const was = before && read(before.document);
    const isNew = isOfAll
      ? was !== value && known.every((one) => !one.isSettled || compared(one.document) !== compared(document))
      : before && compared(before.document) !== compared(document);
    return {
      ...{ value, outcome: 'seen' },
      ...('result' in earlier && { why: say`What versions before it had is not known. ${earlier.why}` }),
      as_seen: {
        ...{ version, ...more?.(document) },
        ...(isNew && was !== undefined && { before: { version: before?.version, value: was } }),
      },
    };
  });

/** The version before the recorded one, and what it had; undefined if that was the same, or is not known. */
export function versionBefore({ as_seen }: Pick<ShownFinding, 'as_seen'>) {
  const { version, value } = asMembers(as_seen?.before);
  return typeof version === 'string' && typeof value === 'string' ? { version, value } : undefined;
}

const withBefore = (toWords: (value: string) => Words) => (found: ShownFinding<string>) => {
  const before = versionBefore(found);
  const now = toWords(found.value);
  return before ? say`${now}; of version ${code(before.version)} before it: ${toWords(before.value)}` : now;
};

// Scripts that npm runs when a package is installed as a dependency (npm docs, "scripts", Life Cycle Operation Order).
const scriptsOf = (document: Manifest): [string, string][] =>
  ['preinstall', 'install', 'postinstall'].flatMap((name) => {
    const script = memberOf(document, 'scripts')[name];
    const text = typeof script === 'string' ? script.trim() : '';
    return text === '' ? [] : [[name, text]];
  });

/** The scripts that a package runs on the machine that installs it. */
export const packageScripts = defineKind({
  kind: 'package.install_scripts',
  value: z.string(),
  question: 'code',
  title: 'Scripts that run when the package is installed',
  means:
    'Which of preinstall, install and postinstall npm lists for the recorded version of a package, and for the version before it if that had others: npm runs them on the machine that installs it.',
  doesNotMean:
    'Many packages build themselves so, and Dossier does not read what a script does. A package without one may do anything once it runs.',
  say: withBefore((value) => (value === 'none' ? own('none') : codes(value.split(', ')))),
  method_version: 'package/1',
  isOptional: true,
  ...ofVersions({
    value: (document) =>
      scriptsOf(document)
        .map(([name]) => name)
        .join(', ') || 'none',
    compared: (document) => JSON.stringify(scriptsOf(document)),
    more: (document) => ({
      scripts: Object.fromEntries(scriptsOf(document).map(([name, text]) => [name, toShort(text) ?? ''])),
    }),
    what: own('the scripts'),
  }),
});

/** Who published a version of a package. */
export const packagePublishedBy = defineKind({
  kind: 'package.published_by',
  value: z.string(),
  question: 'publisher',
  title: 'Account that published the version',
  means:
    'The npm account that published the recorded version of the package, and the one that published the version before it if no earlier version is by the same.',
  doesNotMean:
    'It does not say who holds the account. GitHub Actions, GitLab CI/CD and CircleCI are names of builds that publish without an account.',
  say: withBefore((value) => code(value)),
  method_version: 'package/1',
  isOptional: true,
  ...ofVersions({
    value: (document) => toShort(memberOf(document, '_npmUser').name),
    isOfAll: true,
    what: own('the account that published it'),
  }),
});

const mostNames = 20;

const dependenciesOf = (document: Manifest) => Object.keys(memberOf(document, 'dependencies'));

/** What a version needs that the one before it did not. */
export const packageDependencies = defineKind({
  kind: 'package.new_dependencies',
  value: z.number(),
  question: 'code',
  title: 'Dependencies that the version before did not have',
  means:
    'How many packages the recorded version of an npm package depends on directly that the version before it did not, with up to twenty of their names.',
  doesNotMean: 'New dependencies are common. Dossier checks neither them nor what they depend on.',
  unit: 'packages',
  say: ({ value, as_seen }) => {
    const names = Array.isArray(as_seen?.added)
      ? as_seen.added.map((name: unknown) => code(String(name)))
      : [];
    return names.length === 0 ? own('none') : say`${Number(value)}: ${join(names, ', ')}`;
  },
  method_version: 'package/1',
  isOptional: true,
  ...ofPublished(['npm'], ({ version, document, earlier }) => {
    if ('result' in earlier) return earlier;
    const [before] = earlier;
    if (!before) return noAnswer('nothing', say`npm has no version before ${code(version)}.`);
    const known = new Set(dependenciesOf(before.document));
    const added = dependenciesOf(document).filter((name) => !known.has(name));
    const names = added.slice(0, mostNames).flatMap((name) => toShort(name) ?? []);
    return {
      ...{ value: added.length, outcome: 'seen' },
      as_seen: { version, before: before.version, added: names },
    };
  }),
});
