import { asMembers } from '../../core/json.ts';
import { code, own, say } from '../../core/words.ts';
import { type NoAnswer, type Registered, toRegistered } from '../../net/answer.ts';
import type { Run } from '../run.ts';
import {
  free,
  memberOf,
  notFound,
  notStated,
  type Published,
  sourceOf,
  toShort,
  toTime,
} from './document.ts';
import type { RecordedPackage } from './recorded.ts';

/** The files of a release. */
export const filesOf = ({ urls }: Published['document']): Published['document'][] =>
  Array.isArray(urls) ? urls.map(asMembers) : [];

/** PEP 592: a release is yanked by its files; PyPI also says it of the release. */
function toPublishedOnPypi({ response, document }: Extract<Registered, { result: 'document' }>): Published {
  const info = memberOf(document, 'info');
  const message = toShort(info.yanked_reason);
  const isYanked = info.yanked === true;
  const times = filesOf(document).flatMap((file) => toTime(file.upload_time_iso_8601) ?? []);
  return {
    result: 'published',
    version: toShort(info.version) ?? '',
    ...sourceOf(response),
    published_at:
      times.toSorted()[0] ?? notStated(own('The JSON of PyPI'), own('when this version was published')),
    deprecated: { deprecated: isYanked, ...(isYanked && message !== undefined && { message }) },
    maintainers: notStated(own('The JSON of PyPI'), own('which accounts may publish')),
    earlier: [],
    document,
  };
}

/** What PyPI says of a package: the JSON of the release, which lists only its own files. */
export async function readPypi(run: Run, { name, version }: RecordedPackage): Promise<Published | NoAnswer> {
  const answer = toRegistered(
    await run.registry('pypi', `/pypi/${name}/${version === undefined ? '' : `${version}/`}json`),
    (document) => typeof memberOf(document, 'info').version === 'string' && Array.isArray(document.urls),
  );
  if (answer.result === 'document') return toPublishedOnPypi(answer);
  if (answer.result !== 'absent') return answer;
  return notFound(
    own('PyPI'),
    answer.response,
    version === undefined
      ? say`has no package ${code(name)}${free(name)}`
      : say`has no version ${code(version)} of a package ${code(name)}`,
  );
}
