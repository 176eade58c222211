import { z } from 'zod';
import { code, day, dayOf, own, say, type Words } from '../../../../core/words.ts';
import { toRange } from '../../../asked/packages/version-order.ts';
import type { Newest, OfPackage } from '../../../asked/published/document.ts';
import { type PackageRegistry, registryOf } from '../../../asked/published/recorded.ts';
import { defineKind, factsOf, type ShownFinding } from '../../kind.ts';
import type { ObservationChange } from '../../observation.ts';
import { keepVersions, readKept } from './kept-versions.ts';
import { type CheckedPackage, sayOtherVersion } from './other-version.ts';
import { ofNamed, packageExists, packageRegistries } from './packages.ts';

const newest = z.strictObject({ version: z.string(), published_at: z.string().optional() });

const newestWords = ({ version, published_at }: z.infer<typeof newest>, as = say``) =>
  say`${code(version)}${as}${published_at !== undefined && say`, published ${day(published_at)}`}`;

type OfNewest = Pick<ShownFinding<z.infer<typeof newest>>, 'value' | 'details' | 'subject'>;

const statedBy = z.object({ recorded_version: z.string(), stated: z.record(z.string(), z.unknown()) });

/** What would be said of the newest version if a command asked for it. */
export function noticesOfNewest({ value: { version }, details, subject = '' }: OfNewest, by: Words) {
  const { data } = statedBy.safeParse(details);
  if (!data) return [];
  const checked = { value: { version: data.recorded_version }, as_seen: data.stated };
  return sayOtherVersion(checked, { subject, version, by }).notices;
}

/** Of what is kept of the versions, as much as decides; nothing if nothing stands out. */
function whatStandsOut(
  named: OfPackage,
  value: Newest,
  { type, subject }: { readonly type: PackageRegistry; readonly subject: string },
) {
  const { versions = [] } = readKept({ subject, as_seen: keepVersions(named, type) }) ?? {};
  const [place = -1, base = -1] = [value.version, named.version].map((version) =>
    versions.findIndex((one) => one.version === version),
  );
  const account = versions[place]?.stated.published_by;
  const before = versions.slice(base + 1).find((one) => one.stated.published_by === account);
  const names = [value.version, named.version, before?.version];
  const some = { ...named, versions: named.versions.filter((one) => names.includes(one.version)) };
  const details = { recorded_version: named.version, stated: keepVersions(some, type) };
  return noticesOfNewest({ value, details, subject }, say``).length > 0 ? { stated: details.stated } : {};
}

export const packageNewestVersion = defineKind({
  kind: 'package.newest_version',
  value: newest,
  say({ value, details }) {
    const recorded = details?.recorded_version;
    return recorded === value.version || typeof recorded !== 'string'
      ? newestWords(value)
      : say`${newestWords(value)}; the record names ${code(recorded)}`;
  },
  saidIn: 'kept_up',
  sayInLine({ value, details, subject = '' }) {
    const recorded = details?.recorded_version;
    if (typeof recorded !== 'string') return undefined;
    const { registry } = registryOf(subject);
    return recorded === value.version
      ? say`${registry} names no newer version`
      : say`${registry} names ${newestWords(value, own(' as the newest version'))}`;
  },
  question: 'upkeep',
  title: 'Version that the registry names as newest',
  means:
    'The version that the registry names as the newest of the package, and the date on which it was published. On npm this is the version with the tag latest. On PyPI it is the release that PyPI describes if no version is named. On NuGet and crates.io it is the highest version that is not a pre-release, if there is one.',
  doesNotMean:
    'If the record names another version, Dossier checks the recorded version. A pre-release may be newer than this version.',
  method_version: 'package/1',
  ...ofNamed(packageRegistries, (named, { version: recorded, type, subject }) => {
    const { newest: found, version } = named;
    if ('result' in found) return found;
    if (recorded === undefined) return { value: found, outcome: 'seen' };
    const told = found.version === version ? {} : whatStandsOut(named, found, { type, subject });
    return { value: found, outcome: 'seen', details: { recorded_version: version, ...told } };
  }),
});

/** What a command without a version starts, if its registry was asked. */
export function newestInRegistry(observations: readonly CheckedPackage[]) {
  const [fact] = factsOf(packageNewestVersion, observations);
  if (fact?.value == null) return undefined;
  const { value, subject = '', observed_at = '' } = fact;
  const { version } = value;
  const { registry } = registryOf(subject);
  return {
    version,
    words: say`Your request means the newest version, which was ${code(version)} in ${registry} on ${dayOf(observed_at)}`,
  };
}

/** What a range starts, if its registry was asked: `latest` of npm, or else the highest that fits. */
export function fittingInRegistry(asked: string, registry: string, observations: readonly CheckedPackage[]) {
  const fits = toRange(registry, asked);
  if (!fits) return undefined;
  const there = factsOf(packageExists, observations)[0];
  const newest = factsOf(packageNewestVersion, observations)[0];
  const { versions = [], hasAllFrom } = (there && readKept(there)) ?? {};
  const kept = versions.map((one) => one.version).filter((one) => hasAllFrom?.(one));
  const [version] = [newest?.value?.version ?? [], kept].flat().filter(fits);
  const at = (version === newest?.value?.version ? newest : there)?.observed_at ?? '';
  const { registry: name } = registryOf(registry);
  const words =
    version === undefined
      ? say`You asked about ${code(asked)}; which version fits, the registry decides when it is installed`
      : say`You asked about ${code(asked)}, which means ${code(version)}, the version that fits of those that ${name} had on ${dayOf(at)}`;
  return { version, words };
}

/** Empty if the change is none of a newest version of which something stands out. */
export function noticesOfArrival({
  kind,
  subject,
  after,
}: Pick<ObservationChange, 'kind' | 'subject' | 'after'>) {
  const [fact] = factsOf(packageNewestVersion, [{ ...after, kind, subject }]);
  return fact?.value ? noticesOfNewest({ ...fact, value: fact.value }, say``) : [];
}
