import semver from 'semver';
import type { Advisory } from '../../observation/package-look.ts';

/** Whether an advisory is about a version; `unknown` where it states ranges that Dossier does not compare. */
export type Affects = 'yes' | 'no' | 'unknown';

type Range = Advisory['ranges'][number];

/**
 * OSV's evaluation of one SEMVER range: events in the order of their versions, the last one at or before the version
 * decides; `last_affected` is the last version that is affected.
 */
function isInRange({ events }: Range, version: string): boolean {
  const known = events
    .map(({ introduced, fixed, last_affected }) => ({
      at: introduced === '0' ? '0.0.0-0' : (introduced ?? fixed ?? last_affected ?? ''),
      begins: introduced !== undefined,
      includes: last_affected !== undefined,
    }))
    .filter(({ at }) => semver.valid(at))
    .toSorted((a, b) => semver.compare(a.at, b.at));
  let isAffected = false;
  for (const { at, begins, includes } of known) {
    const order = semver.compare(version, at);
    if (order < 0 || (order === 0 && includes)) break;
    isAffected = begins;
  }
  return isAffected;
}

/** Whether an advisory (OSV) names a version: in its list of versions, or in a SEMVER range. */
export function affects({ versions, ranges }: Advisory, version: string): Affects {
  if (versions.includes(version)) return 'yes';
  const comparable = ranges.filter(({ type }) => type === 'SEMVER');
  const isVersion = semver.valid(version) !== null;
  if (isVersion && comparable.some((range) => isInRange(range, version))) return 'yes';
  const isListed = versions.length > 0 || ranges.length === 0;
  return isListed || (isVersion && comparable.length === ranges.length) ? 'no' : 'unknown';
}
