import { z } from 'zod';
import { ecosystemOf, orderOf } from '../../../asked/packages/version-order.ts';
import type { OfPackage, OfVersion } from '../../../asked/published/document.ts';
import type { PackageRegistry } from '../../../asked/published/recorded.ts';
import type { Observation } from '../../observation.ts';
import { sizeOf } from '../../shorten.ts';

const mostVersions = 20;
const mostStated_bytes = 4 * 1024;

/** What is stated of most versions is the same. */
const group = z.looseObject({ of: z.array(z.string()) });
const kept = z.object({
  versions: z.array(group),
  count: z.number(),
  /** Of the versions from this one on, all are kept; if it is absent, all versions. */
  all_from: z.string().optional(),
});

/** Of the highest versions, the checked one and the newest. */
export function keepVersions({ versions, version, newest }: OfPackage, registry: PackageRegistry) {
  const { isVersion, compare } = orderOf(ecosystemOf(registry));
  const named = ['result' in newest ? [] : newest.version, version].flat();
  const isNamed = (one: OfVersion) => named.includes(one.version);
  const all = versions.filter((one) => isVersion(one.version));
  all.sort((a, b) => compare(b.version, a.version));
  const some = all.filter((one, at) => at < mostVersions || isNamed(one));
  const first = [...some.filter(isNamed), ...some.filter((one) => !isNamed(one))];
  const all_from = all[mostVersions] && all[mostVersions - 1]?.version;
  let left_bytes = mostStated_bytes;
  const groups = Map.groupBy(first, ({ version: _, ...stated }) => JSON.stringify(stated));
  const shown = [...groups].map(([text, same]): z.infer<typeof group> => {
    const of = same.map((one) => one.version);
    left_bytes -= Buffer.byteLength(text) + sizeOf(of);
    return left_bytes < 0 ? { of } : { ...JSON.parse(text), of };
  });
  return { versions: shown, count: some.length, ...(all_from !== undefined && { all_from }) };
}

type KeptFact = Pick<Observation, 'subject' | 'as_seen'>;

/** What the registry states of each version, by the names of `OfVersion`; the highest first. */
export function readKept({ subject = '', as_seen }: KeptFact) {
  const ecosystem = ecosystemOf(subject.split(':')[0] ?? '');
  const { data } = kept.safeParse(as_seen);
  if (!ecosystem || !data) return undefined;
  const order = orderOf(ecosystem);
  const versions = data.versions.flatMap(({ of, ...stated }) =>
    of.filter(order.isVersion).map((version) => ({ version, stated })),
  );
  versions.sort((a, b) => order.compare(b.version, a.version));
  const { count, all_from } = data;
  /** Whether no version from this one on is missing. */
  const hasAllFrom = (version: string) =>
    versions.length === count && (all_from === undefined || order.compare(version, all_from) >= 0);
  return { order, versions, hasAllFrom };
}

/** Undefined if it is not known whether the registry has it. */
export function hasVersion(there: KeptFact, version: string): boolean | undefined {
  const { order, versions, hasAllFrom } = readKept(there) ?? {};
  if (!order?.isVersion(version)) return undefined;
  if (versions?.some((one) => order.compare(one.version, version) === 0)) return true;
  return hasAllFrom?.(version) ? false : undefined;
}
