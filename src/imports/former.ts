import type { ListingVersion, VersionSummary } from '../listings/listing.ts';
import type { ListingReads } from '../listings/reads.ts';
import type { FormerReference } from '../listings/references/former.ts';
import { ownerKeysOf, placeKeysOf } from '../listings/references/references.ts';
import { recordedOf } from './recorded.ts';

const mostVersions = 200;
const mostFormer = 100;

/** Of older versions only. `until`: the next newer version's publication. */
function toFormer([newest, ...older]: readonly ListingVersion[]): FormerReference[] {
  if (!newest) return [];
  const named = new Set(placeKeysOf(recordedOf(newest)));
  let until = newest.published_at;
  const former: FormerReference[] = [];
  for (const version of older) {
    for (const key of placeKeysOf(recordedOf(version))) {
      if (named.has(key)) continue;
      named.add(key);
      former.push({ key, until });
    }
    if (former.length >= mostFormer) break;
    until = version.published_at;
  }
  return former.slice(0, mostFormer);
}

const timeOf = ({ published_at, version }: ListingVersion) => `${published_at} ${version}`;

interface OneListing {
  readonly handle: string;
  /** Stored and new ones. */
  readonly versions: readonly VersionSummary[];
  /** Not as stored. */
  readonly rows: ReadonlyMap<string, ListingVersion>;
}

/** Before its last version is stored without a record. */
function ofDeleted({ handle, versions }: OneListing, newest: readonly ListingVersion[]): FormerReference[] {
  const [last] = newest;
  const [until = ''] = versions.map(({ updated_at }) => updated_at).toSorted((a, b) => (a < b ? 1 : -1));
  const keys = [...ownerKeysOf(handle), ...(last ? placeKeysOf(recordedOf(last)) : [])];
  return [...keys.map((key) => ({ key, until })), ...toFormer(newest)].slice(0, mostFormer);
}

/**
 * From the versions alone, so that one full import and many small ones agree. Undefined if what is stored
 * stays.
 */
export async function deriveFormer(
  reads: ListingReads,
  deriving: OneListing,
): Promise<FormerReference[] | undefined> {
  const { handle, versions, rows } = deriving;
  const isDeleted = versions.every(({ status }) => status === 'deleted');
  if (versions.length < 2 && !isDeleted) return [];
  const stored = await reads.datedVersions(handle, mostVersions);
  if (isDeleted) return stored.length === 0 ? undefined : ofDeleted(deriving, stored);
  const read = [...rows.values()].filter(({ status, undated }) => status !== 'deleted' && !undated);
  const all: ListingVersion[] = [...stored.filter(({ version }) => !rows.has(version)), ...read];
  const newest = all.toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1));
  return toFormer(newest.slice(0, mostVersions));
}
