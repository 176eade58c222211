import { asMembers } from '../../../core/json.ts';
import { own } from '../../../core/words.ts';
import { type Registered, toRegistered } from '../../../net/answer.ts';
import type { CheckRun } from '../run.ts';
import {
  memberOf,
  noPackage,
  notDated,
  notStated,
  noVersion,
  type OfPackage,
  type OfVersion,
  type PackageAnswer,
  type Published,
  toNewest,
  toPublished,
  toShort,
  toTime,
  withdrawn,
} from './document.ts';
import type { RecordedPackage } from './recorded.ts';
import { licenceOfPypi, namesIn, repositoryOfPypi } from './stated.ts';

export const filesOf = ({ urls }: Published['document']): Published['document'][] =>
  Array.isArray(urls) ? urls.map(asMembers) : [];

const pypi = own('PyPI');
const json = own('The JSON of PyPI');
const noAccounts = notStated(json, own('which accounts may publish'));

const uploadedAt = (document: Published['document']): string | undefined =>
  filesOf(document)
    .flatMap((file) => toTime(file.upload_time_iso_8601) ?? [])
    .toSorted()[0];

const newestVersion = (document: Published['document']) => toShort(memberOf(document, 'info').version) ?? '';

/** By default PyPI describes the newest release that is neither yanked nor a pre-release. */
const newestPypi = (document: Published['document']) =>
  toNewest(newestVersion(document), uploadedAt(document));

function toPublishedOnPypi(
  { response, document }: Extract<Registered, { result: 'document' }>,
  stated: OfPackage,
): Published {
  const info = memberOf(document, 'info');
  return toPublished(response, noAccounts, {
    ...stated,
    version: newestVersion(document),
    published_at: uploadedAt(document) ?? notDated(json),
    deprecated: withdrawn(info.yanked === true, info.yanked_reason),
    names: namesIn(typeof info.description === 'string' ? info.description : ''),
    repository: repositoryOfPypi(info),
    licence: licenceOfPypi(info),
    earlier: [],
    document,
  });
}

/** A release is yanked if all its files are (PEP 592). */
function ofRelease([version, list]: [string, unknown]): OfVersion {
  const files = filesOf({ urls: list });
  const isYanked = files.every(({ yanked }) => yanked === true);
  return { version, ...(files.length > 0 && { deprecated: withdrawn(isYanked, files[0]?.yanked_reason) }) };
}

const askPypi = async (run: CheckRun, path: string) =>
  toRegistered(
    await run.registry('pypi', `/pypi/${path}/json`),
    (document) => typeof memberOf(document, 'info').version === 'string' && Array.isArray(document.urls),
  );

export async function readPypi(run: CheckRun, { name, version }: RecordedPackage): Promise<PackageAnswer> {
  const ofPackage = await askPypi(run, name);
  if (ofPackage.result === 'absent') return noPackage(pypi, ofPackage.response, name);
  const isDocument = ofPackage.result === 'document';
  if (!isDocument && (ofPackage.cause !== 'too_large' || version === undefined)) return ofPackage;
  const newest = isDocument ? newestPypi(ofPackage.document) : ofPackage;
  const versions = isDocument ? Object.entries(memberOf(ofPackage.document, 'releases')).map(ofRelease) : [];
  const stated = { name, version: version ?? '', maintainers: noAccounts, newest, versions };
  if (isDocument && (version === undefined || version === newestVersion(ofPackage.document)))
    return toPublishedOnPypi(ofPackage, stated);
  const named = await askPypi(run, `${name}/${version}`);
  if (named.result === 'document') return toPublishedOnPypi(named, stated);
  if (named.result !== 'absent') return named;
  return noVersion(pypi, named.response, stated);
}
