import compare from 'semver/functions/compare.js';
import prerelease from 'semver/functions/prerelease.js';
import valid from 'semver/functions/valid.js';
import { asMembers, type JsonObject } from '../../../core/json.ts';
import { day_ms } from '../../../core/text.ts';
import { code, own, say, name as term } from '../../../core/words.ts';
import { type NoAnswer, noAnswer, notAsked, toRegistered } from '../../../net/answer.ts';
import type { CheckRun } from '../run.ts';
import {
  chosenVersion,
  type Earlier,
  memberOf,
  noPackage,
  notDated,
  notFound,
  notStated,
  noVersion,
  type Published,
  toNewest,
  toPublished,
  toShort,
  toTime,
  withdrawn,
} from './document.ts';
import type { RecordedPackage } from './recorded.ts';
import { licenceOfManifest, namesOfManifest, repositoryOfManifest } from './stated.ts';

/** This name stays in lower case at the beginning of a sentence. */
const npm = term('npm');

export const npmPath = (name: string): string => `/${name.replace('/', '%2f')}`;

function npmNames(maintainers: unknown): string[] | NoAnswer {
  const list = Array.isArray(maintainers) ? (maintainers as unknown[]) : [];
  const names = list.map((one) =>
    toShort(typeof one === 'string' ? one.replace(/\s*[<(].*$/s, '') : asMembers(one).name),
  );
  if (list.length === 0 || names.includes(undefined))
    return noAnswer(
      'nothing',
      say`${npm} names no maintainers of this package in a form that Dossier reads.`,
    );
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

export const isAttested = (version: unknown): boolean =>
  Object.keys(memberOf(memberOf(version, 'dist'), 'attestations')).length > 0;

const settled_ms = 7 * day_ms;

/** Settled ones first, because somebody who takes over a package may publish several versions in a row. */
function publishedBefore(version: string, time: string, document: JsonObject): Earlier[] {
  const times = memberOf(document, 'time');
  const settled = new Date(Date.parse(time) - settled_ms).toISOString();
  return Object.entries(memberOf(document, 'versions'))
    .flatMap(([name, one]) => {
      const published_at = toTime(times[name]);
      if (published_at === undefined || published_at >= time || name.length > 100) return [];
      if (!valid(name) || prerelease(name) || (valid(version) && compare(name, version) >= 0)) return [];
      return [{ version: name, isSettled: published_at <= settled, document: asMembers(one) }];
    })
    .sort((a, b) => Number(b.isSettled) - Number(a.isSettled) || compare(b.version, a.version));
}

/** npm installs the version with the tag `latest` by default. */
function newestNpm(document: JsonObject): Published['newest'] {
  const version = toShort(memberOf(document, 'dist-tags').latest);
  if (version === undefined) return notStated(npm, own('which version is the newest'));
  return toNewest(version, toTime(memberOf(document, 'time')[version]));
}

/** npm marks a version with a message; an empty message removes the mark. */
function toDeprecation(stated: unknown): Published['deprecated'] {
  if (stated && typeof stated !== 'string')
    return noAnswer(
      'nothing',
      say`${npm} states the deprecation of this version in a form that Dossier does not read.`,
    );
  return withdrawn(toShort(stated) !== undefined, stated);
}

const ofVersion = (document: Published['document']) => ({
  version: toShort(document.version) ?? '',
  deprecated: toDeprecation(document.deprecated),
  names: namesOfManifest(document),
  repository: repositoryOfManifest(document),
  licence: licenceOfManifest(document),
  document,
});

/** The document of the whole package may be larger than Dossier reads. */
async function readVersion(run: CheckRun, { name, version = 'latest' }: RecordedPackage) {
  const answer = toRegistered(
    await run.registry('npm', `${npmPath(name)}/${version}`),
    (document) => document.name === name && typeof document.version === 'string',
  );
  if (answer.result === 'absent') return noVersion(npm, answer.response, { name, version });
  if (answer.result !== 'document') return answer;
  const tooLarge = notAsked(
    say`The npm document of ${code(name)} that states this is larger than Dossier reads.`,
  );
  return toPublished(answer.response, tooLarge, { name, ...ofVersion(answer.document) });
}

export async function readNpm(run: CheckRun, named: RecordedPackage): Promise<Published | NoAnswer> {
  const { name } = named;
  // npm installs 1.0.0 if v1.0.0 is named.
  const recorded = { ...named, version: valid(named.version) ?? named.version };
  const answer = toRegistered(
    await run.registry('npm', npmPath(name)),
    (sent) => sent.name === name && ('versions' in sent || 'time' in sent),
  );
  if (answer.result === 'absent') return noPackage(npm, answer.response, name);
  if (answer.result !== 'document') return answer.cause === 'too_large' ? readVersion(run, recorded) : answer;
  const { document, response } = answer;
  const newest = newestNpm(document);
  const times = memberOf(document, 'time');
  const isThere = (version: string) => Object.hasOwn(memberOf(document, 'versions'), version);
  const version = chosenVersion(recorded.version, newest);
  if (times.unpublished && !(typeof version === 'string' && isThere(version)))
    return notFound(npm, response, say`says that ${code(name)} was unpublished`);
  if (typeof version !== 'string') return version;
  if (!isThere(version)) return noVersion(npm, response, { name, version });
  const published_at = toTime(times[version]);
  return toPublished(response, notDated(npm), {
    name,
    ...ofVersion(memberOf(document.versions, version)),
    ...(published_at !== undefined && {
      published_at,
      earlier: publishedBefore(version, published_at, document),
    }),
    maintainers: npmNames(document.maintainers),
    newest,
    versions: Object.keys(memberOf(document, 'versions')),
  });
}
