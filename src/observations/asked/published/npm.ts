import compare from 'semver/functions/compare.js';
import prerelease from 'semver/functions/prerelease.js';
import valid from 'semver/functions/valid.js';
import { asMembers, type JsonObject } from '../../../core/json.ts';
import { day_ms } from '../../../core/text.ts';
import { code, own, say, name as term } from '../../../core/words.ts';
import { type Fetched, type NoAnswer, noAnswer, notAsked, toRegistered } from '../../../net/answer.ts';
import type { CheckRun } from '../run.ts';
import {
  type Earlier,
  freeNameWarning,
  memberOf,
  notFound,
  notStated,
  type Published,
  sourceOf,
  toShort,
  toTime,
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
  const published_at = toTime(memberOf(document, 'time')[version]);
  return { version, ...(published_at !== undefined && { published_at }) };
}

/** npm marks a version with a message; an empty message removes the mark. */
function toDeprecation(stated: unknown): Published['deprecated'] {
  if (stated && typeof stated !== 'string')
    return noAnswer(
      'nothing',
      say`${npm} states the deprecation of this version in a form that Dossier does not read.`,
    );
  const message = toShort(stated);
  return message === undefined ? { deprecated: false } : { deprecated: true, message };
}

const toPublishedOnNpm = (
  response: Fetched,
  document: Published['document'],
  ofPackage: Pick<Published, 'name' | 'published_at' | 'maintainers' | 'earlier' | 'newest'>,
): Published => ({
  result: 'published',
  version: toShort(document.version) ?? '',
  ...sourceOf(response),
  deprecated: toDeprecation(document.deprecated),
  names: namesOfManifest(document),
  repository: repositoryOfManifest(document),
  licence: licenceOfManifest(document),
  ...ofPackage,
  document,
});

/** The document of the whole package may be larger than Dossier reads. */
async function readVersion(run: CheckRun, { name, version = 'latest' }: RecordedPackage) {
  const answer = toRegistered(
    await run.registry('npm', `${npmPath(name)}/${version}`),
    (document) => document.name === name && typeof document.version === 'string',
  );
  if (answer.result === 'absent')
    return notFound(npm, answer.response, say`has no version ${code(version)} of ${code(name)}`);
  if (answer.result !== 'document') return answer;
  const tooLarge = notAsked(
    say`The npm document of ${code(name)} that states this is larger than Dossier reads.`,
  );
  return toPublishedOnNpm(answer.response, answer.document, {
    name,
    published_at: tooLarge,
    maintainers: tooLarge,
    earlier: tooLarge,
    newest: tooLarge,
  });
}

export async function readNpm(run: CheckRun, named: RecordedPackage): Promise<Published | NoAnswer> {
  const { name } = named;
  // npm installs 1.0.0 if v1.0.0 is named.
  const recorded = { ...named, version: valid(named.version) ?? named.version };
  const answer = toRegistered(
    await run.registry('npm', npmPath(name)),
    (sent) => sent.name === name && ('versions' in sent || 'time' in sent),
  );
  if (answer.result === 'absent')
    return notFound(npm, answer.response, say`has no package ${code(name)}${freeNameWarning(name)}`);
  if (answer.result !== 'document') return answer.cause === 'too_large' ? readVersion(run, recorded) : answer;
  const { document, response } = answer;
  const newest = newestNpm(document);
  const times = memberOf(document, 'time');
  if (recorded.version === undefined && 'result' in newest && !times.unpublished) return newest;
  const version = recorded.version ?? ('version' in newest ? newest.version : '');
  if (!Object.hasOwn(memberOf(document, 'versions'), version))
    return notFound(
      npm,
      response,
      times.unpublished
        ? say`says that ${code(name)} was unpublished`
        : say`has no version ${code(version)} of ${code(name)}`,
    );
  const published_at = toTime(times[version]);
  return toPublishedOnNpm(response, memberOf(document.versions, version), {
    name,
    published_at: published_at ?? notStated(npm, own('when this version was published')),
    maintainers: npmNames(document.maintainers),
    newest,
    earlier:
      published_at === undefined
        ? notStated(npm, own('when this version was published'))
        : publishedBefore(version, published_at, document),
  });
}
