import semver from 'semver';
import type { VersionSummary } from '../../evidence/listing/listing.ts';

const later = (a: VersionSummary, b: VersionSummary): number =>
  a.published_at === b.published_at
    ? a.version < b.version
      ? -1
      : 1
    : a.published_at < b.published_at
      ? -1
      : 1;

const loose = { loose: true };

/** Semantic order if all are semantic versions, else order of publication; ties by publication. */
function order(versions: readonly VersionSummary[]): (a: VersionSummary, b: VersionSummary) => number {
  if (!versions.every(({ version }) => semver.valid(version, loose))) return later;
  return (a, b) => semver.compare(a.version, b.version, loose) || later(a, b);
}

/**
 * Picks the version that a listing shows: the one marked latest (of several, the one published last, as an older row
 * keeps its mark until it is imported again), else the highest semantic version, else the one published last. Never a
 * deleted one; undefined if all are deleted.
 */
export function pickShown(versions: readonly VersionSummary[]): VersionSummary | undefined {
  const listed = versions.filter(({ status }) => status !== 'deleted');
  const latest = listed.filter(({ is_latest }) => is_latest);
  const candidates = latest.length > 0 ? latest : listed;
  const compare = latest.length > 0 ? later : order(listed);
  return candidates.length < 2 ? candidates[0] : candidates.reduce((a, b) => (compare(a, b) > 0 ? a : b));
}
