import semver from 'semver';
import type { VersionSummary } from '../store/store.ts';

const later = (a: VersionSummary, b: VersionSummary): number =>
  a.published_at === b.published_at
    ? a.version < b.version
      ? -1
      : 1
    : a.published_at < b.published_at
      ? -1
      : 1;

const loose = { loose: true };

/** Semantic order where all are semantic versions, else the order of publication; equal ones by publication. */
function order(versions: readonly VersionSummary[]): (a: VersionSummary, b: VersionSummary) => number {
  if (!versions.every(({ version }) => semver.valid(version, loose))) return later;
  return (a, b) => semver.compare(a.version, b.version, loose) || later(a, b);
}

/**
 * The version that stands for a listing: the one the registry calls latest (the newest published of several, as an
 * older row keeps the mark until it is read again), else the highest semantic version, else the newest published.
 * Deleted ones never; undefined where all are.
 */
export function pickShown(versions: readonly VersionSummary[]): VersionSummary | undefined {
  const listed = versions.filter(({ status }) => status !== 'deleted');
  const latest = listed.filter(({ is_latest }) => is_latest === 1);
  const candidates = latest.length > 0 ? latest : listed;
  const compare = latest.length > 0 ? later : order(listed);
  return candidates.length < 2 ? candidates[0] : candidates.reduce((a, b) => (compare(a, b) > 0 ? a : b));
}
