import { asMembers } from '../../../core/json.ts';
import { own, name as term } from '../../../core/words.ts';
import { type NoAnswer, notAsked, toRegistered } from '../../../net/answer.ts';
import type { CheckRun } from '../run.ts';
import {
  chosenVersion,
  memberOf,
  noPackage,
  notDated,
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
import { toLicence, toStatedRepository } from './stated.ts';

const crates = term('crates.io');

type Version = Published['document'];

/** Crate names ignore case, and do not tell `-` from `_`. */
const toCrateKey = (name: unknown) => String(name).toLowerCase().replaceAll('_', '-');

function newestCrate(crate: Published['document'], versions: readonly Version[]): Published['newest'] {
  const version = toShort(crate.max_stable_version) ?? toShort(crate.newest_version);
  if (version === undefined) return notStated(crates, own('which version is the newest'));
  return toNewest(version, toTime(versions.find(({ num }) => num === version)?.created_at));
}

export async function readCargo(run: CheckRun, recorded: RecordedPackage): Promise<Published | NoAnswer> {
  const { name } = recorded;
  const answer = toRegistered(
    await run.registry('cargo', `/api/v1/crates/${name}`),
    (sent) => toCrateKey(memberOf(sent, 'crate').name) === toCrateKey(name) && Array.isArray(sent.versions),
  );
  if (answer.result === 'absent') return noPackage(crates, answer.response, name, own('crate'));
  if (answer.result !== 'document') return answer;
  const { response, document } = answer;
  const crate = memberOf(document, 'crate');
  const versions = (document.versions as readonly unknown[]).map(asMembers);
  const newest = newestCrate(crate, versions);
  const version = chosenVersion(recorded.version, newest);
  if (typeof version !== 'string') return version;
  const one = versions.find(({ num }) => num === version);
  if (!one) return noVersion(crates, response, { name, version });
  return toPublished(response, notAsked(own('Dossier does not ask crates.io for this.')), {
    name: String(crate.name),
    version,
    published_at: toTime(one.created_at) ?? notDated(crates),
    deprecated: withdrawn(one.yanked === true, one.yank_message),
    newest,
    versions: versions.map(({ num }) => String(num)),
    repository: toStatedRepository(crate.repository),
    licence: toLicence(one.license),
    document: one,
  });
}
