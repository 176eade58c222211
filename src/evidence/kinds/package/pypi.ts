import { type Fetched, type NoAnswer, type Registered, toRegistered } from '../../observation/answer.ts';
import type { Look } from '../../observation/look.ts';
import { asMembers } from '../../text/json-object.ts';
import { memberOf, sourceOf, toShort, toTime } from './foreign-json.ts';
import type { Missing, Published } from './published.ts';
import type { RecordedPackage } from './recorded-packages.ts';

const notStated = (what: string): NoAnswer => ({
  result: 'not_checked',
  reason: `The JSON of PyPI does not state ${what}.`,
});

/** The files of a release as PyPI lists them. */
export const filesOf = ({ urls }: Published['document']): Published['document'][] =>
  Array.isArray(urls) ? urls.map(asMembers) : [];

const yankedText = ({ yanked, yanked_reason }: Published['document']): string | undefined =>
  yanked === true ? (toShort(yanked_reason) ?? 'yanked without a reason') : undefined;

/** PEP 592: a release is yanked by its files; PyPI also says it of the release. */
function toPublished({ response, document }: Extract<Registered, { result: 'document' }>): Published {
  const info = memberOf(document, 'info');
  const times = filesOf(document).flatMap((file) => toTime(file.upload_time_iso_8601) ?? []);
  return {
    result: 'published',
    version: toShort(info.version) ?? '',
    ...sourceOf(response),
    published_at: times.toSorted()[0] ?? notStated('when this version was published'),
    deprecated: yankedText(info),
    maintainers: notStated('which accounts may publish'),
    document,
  };
}

const missing = (response: Fetched, what: string): Missing => {
  const source = sourceOf(response);
  return { result: 'missing', reason: `${source.source} has no ${what}.`, ...source };
};

/** What PyPI says of a package: the JSON of the release, which lists only its own files. */
export async function readPypi(
  look: Look,
  { name, version }: RecordedPackage,
): Promise<Published | Missing | NoAnswer> {
  const answer = toRegistered(
    await look.registry('pypi', `/pypi/${name}/${version === undefined ? '' : `${version}/`}json`),
    (document) => typeof memberOf(document, 'info').version === 'string' && Array.isArray(document.urls),
  );
  if (answer.result === 'document') return toPublished(answer);
  if (answer.result !== 'absent') return answer;
  return missing(
    answer.response,
    version === undefined ? `package ${name}` : `version ${version} of a package ${name}`,
  );
}
