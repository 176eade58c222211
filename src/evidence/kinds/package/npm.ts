import { type Fetched, type NoAnswer, toRegistered } from '../../observation/answer.ts';
import type { Look } from '../../observation/look.ts';
import { asMembers } from '../../text/json-object.ts';
import { memberOf, sourceOf, toShort, toTime } from './foreign-json.ts';
import type { Missing, Published } from './published.ts';
import type { RecordedPackage } from './recorded-packages.ts';

/** Most maintainers whose names are read. */
const mostMaintainers = 100;

/** The path of a package; a scope's slash is encoded. */
export const npmPath = (name: string): string => `/${name.replace('/', '%2f')}`;

const notStated = (what: string): NoAnswer => ({
  result: 'not_checked',
  reason: `npm does not state ${what}.`,
});

function namesOf(maintainers: unknown): string[] | NoAnswer {
  if (!Array.isArray(maintainers)) return notStated('who maintains this package');
  const names = maintainers.slice(0, mostMaintainers).map((one) => toShort(asMembers(one).name));
  return names.filter((name) => name !== undefined);
}

const missing = (response: Fetched, what: string): Missing => {
  const source = sourceOf(response);
  return { result: 'missing', reason: `${source.source} ${what}.`, ...source };
};

/** Whether npm has attestations of a version. */
export const isAttested = (version: unknown): boolean =>
  Object.keys(memberOf(memberOf(version, 'dist'), 'attestations')).length > 0;

/** The newest version with attestations that was published before this one. */
function lastProvenBefore(version: string, document: Published['document']): string | undefined {
  const times = memberOf(document, 'time');
  const at = toTime(times[version]) ?? '';
  const earlier = Object.entries(memberOf(document, 'versions'))
    .map(([name, one]) => ({ name, at: toTime(times[name]) ?? '', isProven: isAttested(one) }))
    .filter((one) => one.isProven && one.at !== '' && one.at < at);
  return toShort(earlier.toSorted((a, b) => (a.at < b.at ? 1 : -1))[0]?.name);
}

/** What a version's own document says, with what only the package's document says. */
function toPublished(
  response: Fetched,
  document: Published['document'],
  ofPackage: Pick<Published, 'published_at' | 'maintainers' | 'provenBefore'>,
): Published {
  const { version, deprecated } = document;
  const result = 'published';
  return {
    result,
    version: toShort(version) ?? '',
    ...sourceOf(response),
    deprecated: toShort(deprecated),
    ...ofPackage,
    document,
  };
}

/** Reads the version's own document where that of the whole package is too large. */
async function readVersion(
  look: Look,
  { name, version = 'latest' }: RecordedPackage,
): Promise<Published | Missing | NoAnswer> {
  const answer = toRegistered(
    await look.registry('npm', `${npmPath(name)}/${version}`),
    (document) => document.name === name && typeof document.version === 'string',
  );
  if (answer.result === 'absent') return missing(answer.response, `has no version ${version} of ${name}`);
  if (answer.result !== 'document') return answer;
  const tooLarge: NoAnswer = {
    result: 'not_checked',
    reason: `The npm document of ${name} that states this is larger than the 2 MiB that Dossier reads.`,
  };
  return toPublished(answer.response, answer.document, { published_at: tooLarge, maintainers: tooLarge });
}

/** What npm says of a package: from the document of the package, or of the version where that is over 2 MiB. */
export async function readNpm(
  look: Look,
  recorded: RecordedPackage,
): Promise<Published | Missing | NoAnswer> {
  const { name } = recorded;
  const answer = toRegistered(
    await look.registry('npm', npmPath(name)),
    (sent) => sent.name === name && ('versions' in sent || 'time' in sent),
  );
  if (answer.result === 'absent') return missing(answer.response, `has no package ${name}`);
  if (answer.result !== 'document')
    return answer.cause === 'too_large' ? readVersion(look, recorded) : answer;
  const { document, response } = answer;
  const version = recorded.version ?? toShort(memberOf(document, 'dist-tags').latest) ?? '';
  const times = memberOf(document, 'time');
  if (!Object.hasOwn(memberOf(document, 'versions'), version))
    return missing(
      response,
      times.unpublished ? `says that ${name} was unpublished` : `has no version ${version} of ${name}`,
    );
  return toPublished(response, memberOf(document.versions, version), {
    published_at: toTime(times[version]) ?? notStated('when this version was published'),
    maintainers: namesOf(document.maintainers),
    provenBefore: lastProvenBefore(version, document),
  });
}
