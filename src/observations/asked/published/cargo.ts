import { asMembers } from '../../../core/json.ts';
import { code, own, say, name as term } from '../../../core/words.ts';
import { type NoAnswer, notAsked, toRegistered } from '../../../net/answer.ts';
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
import { toLicence, toStatedRepository } from './stated.ts';

const crates = term('crates.io');

type Version = Published['document'];

/** Crate names ignore case, and do not tell `-` from `_`. */
const toCrateKey = (name: unknown) => String(name).toLowerCase().replaceAll('_', '-');

function newestCrate(crate: Published['document'], versions: readonly Version[]): Published['newest'] {
  const version = toShort(crate.max_stable_version) ?? toShort(crate.newest_version);
  if (version === undefined) return notStated(crates, own('which version is the newest'));
  const published_at = toTime(versions.find(({ num }) => num === version)?.created_at);
  return { version, ...(published_at !== undefined && { published_at }) };
}

export async function readCargo(run: CheckRun, recorded: RecordedPackage): Promise<Published | NoAnswer> {
  const { name } = recorded;
  const answer = toRegistered(
    await run.registry('cargo', `/api/v1/crates/${name}`),
    (sent) => toCrateKey(memberOf(sent, 'crate').name) === toCrateKey(name) && Array.isArray(sent.versions),
  );
  if (answer.result === 'absent')
    return notFound(crates, answer.response, say`has no crate ${code(name)}${freeNameWarning(name)}`);
  if (answer.result !== 'document') return answer;
  const { response, document } = answer;
  const crate = memberOf(document, 'crate');
  const versions = (document.versions as readonly unknown[]).map(asMembers);
  const newest = newestCrate(crate, versions);
  if (recorded.version === undefined && 'result' in newest) return newest;
  const version = recorded.version ?? ('version' in newest ? newest.version : '');
  const one = versions.find(({ num }) => num === version);
  if (!one) return notFound(crates, response, say`has no version ${code(version)} of ${code(name)}`);
  const isYanked = one.yanked === true;
  const message = toShort(one.yank_message);
  const other = notAsked(own('Dossier does not ask crates.io for this.'));
  return {
    result: 'published',
    name: String(crate.name),
    version,
    ...sourceOf(response),
    published_at: toTime(one.created_at) ?? notStated(crates, own('when this version was published')),
    deprecated: { deprecated: isYanked, ...(isYanked && message !== undefined && { message }) },
    maintainers: other,
    newest,
    names: other,
    repository: toStatedRepository(crate.repository),
    licence: toLicence(one.license),
    earlier: other,
    document: one,
  };
}
