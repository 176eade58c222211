import type { ListingVersion } from '../listings/listing.ts';
import type { ListingReads } from '../listings/reads.ts';
import type { FormerReference } from '../listings/references/former.ts';
import { placeKeysOf } from '../listings/references/references.ts';
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

/** From the versions alone, so that one full import and many small ones agree. `rows` are not as stored. */
export async function deriveFormer(
  reads: ListingReads,
  { handle, rows }: { readonly handle: string; readonly rows: ReadonlyMap<string, ListingVersion> },
): Promise<FormerReference[]> {
  const stored = await reads.datedVersions(handle, mostVersions);
  const read = [...rows.values()].filter(({ status, undated }) => status !== 'deleted' && !undated);
  const all: ListingVersion[] = [...stored.filter(({ version }) => !rows.has(version)), ...read];
  const newest = all.toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1));
  return toFormer(newest.slice(0, mostVersions));
}
