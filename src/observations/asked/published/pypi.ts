import { asMembers } from '../../../core/json.ts';
import { code, own, say } from '../../../core/words.ts';
import { type NoAnswer, type Registered, toRegistered } from '../../../net/answer.ts';
import type { CheckRun } from '../run.ts';
import {
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
import { licenceOfPypi, namesIn, repositoryOfPypi } from './stated.ts';

export const filesOf = ({ urls }: Published['document']): Published['document'][] =>
  Array.isArray(urls) ? urls.map(asMembers) : [];

const pypi = own('PyPI');
const json = own('The JSON of PyPI');

const uploadedAt = (document: Published['document']): string | undefined =>
  filesOf(document)
    .flatMap((file) => toTime(file.upload_time_iso_8601) ?? [])
    .toSorted()[0];

const newestVersion = (document: Published['document']) => toShort(memberOf(document, 'info').version) ?? '';

/** By default PyPI describes the newest release that is neither yanked nor a pre-release. */
function newestPypi(document: Published['document']): Published['newest'] {
  const published_at = uploadedAt(document);
  return { version: newestVersion(document), ...(published_at !== undefined && { published_at }) };
}

function toPublished(
  { response, document }: Extract<Registered, { result: 'document' }>,
  { name, newest }: Pick<Published, 'name' | 'newest'>,
): Published {
  const info = memberOf(document, 'info');
  const message = toShort(info.yanked_reason);
  const isYanked = info.yanked === true;
  return {
    result: 'published',
    name,
    version: newestVersion(document),
    ...sourceOf(response),
    published_at: uploadedAt(document) ?? notStated(json, own('when this version was published')),
    deprecated: { deprecated: isYanked, ...(isYanked && message !== undefined && { message }) },
    maintainers: notStated(json, own('which accounts may publish')),
    newest,
    names: namesIn(typeof info.description === 'string' ? info.description : ''),
    repository: repositoryOfPypi(info),
    licence: licenceOfPypi(info),
    earlier: [],
    document,
  };
}

const askPypi = async (run: CheckRun, path: string) =>
  toRegistered(
    await run.registry('pypi', `/pypi/${path}/json`),
    (document) => typeof memberOf(document, 'info').version === 'string' && Array.isArray(document.urls),
  );

export async function readPypi(
  run: CheckRun,
  { name, version }: RecordedPackage,
): Promise<Published | NoAnswer> {
  const ofPackage = await askPypi(run, name);
  if (ofPackage.result === 'absent')
    return notFound(pypi, ofPackage.response, say`has no package ${code(name)}${freeNameWarning(name)}`);
  const isDocument = ofPackage.result === 'document';
  if (!isDocument && (ofPackage.cause !== 'too_large' || version === undefined)) return ofPackage;
  const newest = isDocument ? newestPypi(ofPackage.document) : ofPackage;
  if (isDocument && (version === undefined || version === newestVersion(ofPackage.document)))
    return toPublished(ofPackage, { name, newest });
  const ofRelease = await askPypi(run, `${name}/${version}`);
  if (ofRelease.result === 'document') return toPublished(ofRelease, { name, newest });
  if (ofRelease.result !== 'absent') return ofRelease;
  return notFound(pypi, ofRelease.response, say`has no version ${code(version ?? '')} of ${code(name)}`);
}
