import { asMembers } from '../../core/json.ts';
import { coded, codedList } from '../../core/text.ts';
import type { NoAnswer } from '../../net/answer.ts';
import { defineKind } from '../kind.ts';
import type { Finding } from '../observation.ts';
import type { Found } from '../remotes.ts';
import type { Run } from '../run.ts';
import { memberOf, ofPublished, type Published, packagesOn, toShort } from './package-record.ts';

type Manifest = Published['document'];

/** What is read of a version; undefined if it does not state it. */
type Read = (document: Manifest) => string | undefined;

/**
 * What the recorded version of each npm package states, and what the version before it did if that was something else:
 * `details.before`. Nothing of a version that does not state it.
 */
const ofVersions = (run: Run, read: Read, more: (document: Manifest) => object = () => ({})) =>
  ofPublished(run, ['npm'], ({ version, document, earlier }): Found | NoAnswer => {
    const value = read(document);
    if (value === undefined)
      return { result: 'not_checked', reason: `npm does not state this of version ${version}.` };
    const [before] = 'result' in earlier ? [] : earlier;
    const was = before && read(before.document);
    const differs = before && was !== undefined && was !== value;
    const details = { version, ...more(document) };
    return {
      ...{ value, state: 'observed' },
      details: differs ? { ...details, before: { version: before.version, value: was } } : details,
    };
  });

/** What `details.before` says: the version before the recorded one, and what it had; undefined if that was the same, or is not known. */
export function versionBefore({ details }: Pick<Finding, 'details'>) {
  const { version, value } = asMembers(details?.before);
  return typeof version === 'string' && typeof value === 'string' ? { version, value } : undefined;
}

const withBefore = (show: (value: string) => string) => (found: Finding) => {
  const before = versionBefore(found);
  const shown = show(String(found.value));
  return before ? `${shown}; of version ${coded(before.version)} before it: ${show(before.value)}` : shown;
};

/** Scripts that npm runs when a package is installed as a dependency (npm docs, "scripts", Life Cycle Operation Order). */
const installScripts = ['preinstall', 'install', 'postinstall'];

const scriptsOf = (document: Manifest): [string, string][] =>
  installScripts.flatMap((name) => {
    const script = toShort(memberOf(document, 'scripts')[name]);
    return script === undefined ? [] : [[name, script]];
  });

/** The scripts that a package runs on the machine that installs it. */
export const packageScripts = defineKind({
  kind: 'package.install_scripts',
  question: 'code',
  title: 'Scripts that run when the package is installed',
  means:
    'Which of preinstall, install and postinstall the recorded version of an npm package has, beside the version before it: npm runs them on the machine that installs it.',
  doesNotMean:
    'Many packages build themselves so, and Dossier does not read what a script does. A package without one may do anything once it runs.',
  shows: withBefore((value) => (value === 'none' ? value : codedList(value))),
  method_version: 'package/1',
  about: packagesOn('npm'),
  isOptional: true,
  check: (run) =>
    ofVersions(
      run,
      (document) =>
        scriptsOf(document)
          .map(([name]) => name)
          .join(', ') || 'none',
      (document) => ({ scripts: Object.fromEntries(scriptsOf(document)) }),
    ),
});

/** Who published a version of a package. */
export const packagePublishedBy = defineKind({
  kind: 'package.published_by',
  question: 'publisher',
  title: 'Account that published the version',
  means:
    'The npm account that published the recorded version of the package, and the one that published the version before it if that is another.',
  doesNotMean:
    'It does not say who holds the account. GitHub Actions and GitLab CI/CD are names of builds that publish without an account.',
  shows: withBefore(coded),
  method_version: 'package/1',
  about: packagesOn('npm'),
  isOptional: true,
  check: (run) => ofVersions(run, (document) => toShort(memberOf(document, '_npmUser').name)),
});

/** Most names that are published. */
const mostNames = 20;

const dependenciesOf = (document: Manifest) => Object.keys(memberOf(document, 'dependencies'));

/** What a version needs that the one before it did not. */
export const packageDependencies = defineKind({
  kind: 'package.new_dependencies',
  question: 'code',
  title: 'Dependencies that the version before did not have',
  means:
    'How many packages the recorded version of an npm package depends on directly that the version before it did not, with up to twenty of their names.',
  doesNotMean: 'New dependencies are common. Dossier does not look at them, or at what they depend on.',
  unit: 'packages',
  shows: ({ value, details }) => {
    const names = Array.isArray(details?.added) ? details.added.map((name) => coded(String(name))) : [];
    return names.length === 0 ? 'none' : `${value}: ${names.join(', ')}`;
  },
  method_version: 'package/1',
  about: packagesOn('npm'),
  isOptional: true,
  check: (run) =>
    ofPublished(run, ['npm'], ({ version, document, earlier }) => {
      if ('result' in earlier) return earlier;
      const [before] = earlier;
      if (!before) return { result: 'not_checked', reason: `npm has no version before ${version}.` };
      const known = new Set(dependenciesOf(before.document));
      const added = dependenciesOf(document).filter((name) => !known.has(name));
      const names = added.slice(0, mostNames).flatMap((name) => toShort(name) ?? []);
      return {
        ...{ value: added.length, state: 'observed' },
        details: { version, before: before.version, added: names },
      };
    }),
});
