import { z } from 'zod';
import { handleParts, handleWords } from '../../../../core/handle.ts';
import { code, join, own, quote, say, type Words } from '../../../../core/words.ts';
import { type NoAnswer, noAnswer } from '../../../../net/answer.ts';
import { toRepositoryKey } from '../../../../net/repository-place.ts';
import type { Published } from '../../../asked/published/document.ts';
import type { RecordedPackage } from '../../../asked/published/recorded.ts';
import type { CheckRun } from '../../../asked/run.ts';
import { defineKind } from '../../kind.ts';
import type { RemoteFinding } from '../remotes.ts';
import { besideRepository, describedTypes, ofPublished, packageOf, versionOf } from './packages.ts';

const mostNames = 5;

const namespaceOf = (handle: string) => handleParts(handle).namespace.toLowerCase();

const names = z.strictObject({
  names: z.array(z.string()),
  names_this: z.boolean(),
});

function namesOfOthers({ names: all, names_this }: z.infer<typeof names>, handle: unknown): string[] {
  if (names_this || typeof handle !== 'string') return [];
  const isOther = all.every((one) => namespaceOf(one) !== namespaceOf(handle));
  return isOther ? [...all] : [];
}

const handles = (all: readonly string[]): Words => join(all.map(handleWords), ', ');

export const packageNames = defineKind({
  kind: 'package.names',
  value: names,
  say({ value: { names: all, names_this } }) {
    if (!names_this) return handles(all);
    return all.length === 1 ? own('this listing') : say`this listing, among ${handles(all)}`;
  },
  saidIn: 'whose',
  sayInLine({ value, details }) {
    const { names: all, names_this } = value;
    if (names_this) return own('the package names this listing itself');
    if (namesOfOthers(value, details?.handle).length > 0) return undefined;
    const where = own(
      all.length === 1
        ? ', in the namespace of this listing'
        : ', at least one of them in the namespace of this listing',
    );
    return say`the package names itself ${handles(all)}${where}`;
  },
  standsOutAs: 'contradiction',
  sayStandsOut({ value, details, subject, by }) {
    const { handle } = details ?? {};
    const others = namesOfOthers(value, handle);
    return typeof handle === 'string' && others.length > 0
      ? say`${packageOf(subject)} names itself ${handles(others)}; this record is ${code(handle)}${by}`
      : undefined;
  },
  isSeldom: true,
  isLocked: true,
  question: 'publisher',
  title: 'Listing that the package names',
  means:
    'The listings to which the recorded version of the package says that it belongs, at most five. It names them by mcpName in package.json (npm), by lines “mcp-name: …” in the README (PyPI, NuGet) or by the label io.modelcontextprotocol.server.name (images). Names are compared exactly, as the registry compares them.',
  doesNotMean:
    'The publisher of the package wrote the name, and may not be the publisher of the listing. The registry requires the name when a listing is published, and does not check it again.',
  method_version: 'package/1',
  ...ofPublished(
    ['npm', 'pypi', 'nuget', 'oci'],
    ({ names: all, version }, { subject }, { listing: { handle } }) => {
      if ('result' in all) return all;
      if (all.length === 0)
        return noAnswer('nothing', say`Version ${code(version)} of ${code(subject)} names no listing.`);
      const names_this = all.includes(handle);
      const first = names_this ? [handle, ...all.filter((one) => one !== handle)] : all;
      return {
        value: { names: first.slice(0, mostNames), names_this },
        outcome: 'seen',
        details: { version, handle },
      };
    },
  ),
});

async function movedTo(run: CheckRun, recorded: string): Promise<string | undefined> {
  const head = await run.head();
  const path = head.result === 'head' ? undefined : head.there?.moved_to;
  const [host] = recorded.split('/');
  return path === undefined ? undefined : toRepositoryKey(`https://${host}/${path}`);
}

const stated = z.strictObject({
  result: z.enum(['match', 'other', 'not_comparable']),
  repository: z.string(),
});

async function compareStated(
  { repository, version }: Published,
  { subject }: Pick<RecordedPackage, 'subject'>,
  run: CheckRun,
): Promise<RemoteFinding<z.infer<typeof stated>> | NoAnswer> {
  if (repository === undefined)
    return noAnswer('nothing', say`Version ${code(version)} of ${code(subject)} states no repository.`);
  const recorded = toRepositoryKey(run.listing.repository ?? '');
  if (recorded === undefined)
    return { value: { result: 'not_comparable', repository }, outcome: 'seen', details: { version } };
  const isSame = recorded === repository || (await movedTo(run, recorded)) === repository;
  return {
    value: { result: isSame ? 'match' : 'other', repository },
    outcome: 'seen',
    details: { version, recorded },
  };
}

export const packageRepository = defineKind({
  kind: 'package.repository',
  value: stated,
  say({ value: { result, repository } }) {
    if (result === 'not_comparable')
      return say`${code(repository)}; the listing records none to compare it with`;
    return result === 'match'
      ? say`${code(repository)}, the recorded one`
      : say`${code(repository)}, not the recorded one`;
  },
  standsOutAs: 'contradiction',
  sayStandsOut({ value: { result, repository }, details: { recorded } = {}, subject, by }) {
    const named = typeof recorded === 'string' ? code(recorded) : own('another');
    return result === 'other'
      ? say`${packageOf(subject)} states ${code(repository)} as its repository; the record names ${named}${by}`
      : undefined;
  },
  isSeldom: true,
  isLocked: true,
  question: 'code',
  title: 'Repository that the package states',
  means:
    'The repository that the recorded version of the package states in its registry, and whether it is the recorded one. Another spelling, or the address to which the recorded repository redirects, counts as the same repository.',
  doesNotMean:
    'The publisher of the package wrote the address, so it does not show that the package was built from there.',
  method_version: 'package/1',
  isOptional: true,
  ...besideRepository(ofPublished(describedTypes, compareStated)),
});

const identifier = /^[A-Za-z\d][A-Za-z\d.+-]*$/;
const licenceWords = (licence: string): Words => (identifier.test(licence) ? code(licence) : quote(licence));

const recordedBeside = z.object({ before: z.object({ version: z.string(), value: z.string() }) });

export const packageLicence = defineKind({
  kind: 'package.licence',
  value: z.string(),
  answers: 'licence',
  name: 'licence of the package',
  say: ({ value }) => licenceWords(value),
  sayChange: ({ value: was }, { value }, between) =>
    was === null
      ? undefined
      : say`The package’s licence changed from ${licenceWords(was)} to ${licenceWords(value)} (${between})`,
  isLocked: true,
  saidIn: 'whose',
  sayInLine: ({ value }) => say`licence ${licenceWords(value)} (package)`,
  // Only of another version than the recorded one.
  sayStandsOut: ({ value, by, ...of }) => {
    const before = recordedBeside.safeParse(of.details).data?.before;
    return (
      before &&
      say`${versionOf(of)} states the licence ${licenceWords(value)}, and version ${code(before.version)} ${licenceWords(before.value)}${by}`
    );
  },
  question: 'terms',
  title: 'Licence of the package',
  means:
    'The licence that the recorded version of the package states in its registry, at most 100 characters of it.',
  doesNotMean:
    'Dossier has not read the licence, and does not compare it with that of the repository. The licence says nothing about a service that the package connects to.',
  method_version: 'package/1',
  ...ofPublished(describedTypes, ({ licence, version }, { subject }) =>
    licence === undefined
      ? noAnswer('nothing', say`Version ${code(version)} of ${code(subject)} states no licence.`)
      : { value: licence, outcome: 'seen', details: { version } },
  ),
});
