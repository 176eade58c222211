import type { ListingVersion } from '../listings/listing.ts';
import type { FormerReference } from '../listings/references/former.ts';
import { placeKeysOf } from '../listings/references/references.ts';
import { recordedOf } from './recorded.ts';
import type { ImportTransaction } from './schema.ts';

const mostVersions = 200;
const mostFormer = 100;

/**
 * Takes the versions of one listing, newest first. Returns up to 100 references that an older version has and
 * that no newer version has. `until` is the time at which the next newer version was published.
 */
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

/**
 * Former references follow from the stored versions alone, so that one full import and many small ones give
 * the same references.
 */
export async function putFormer(tx: ImportTransaction, handles: Iterable<string>): Promise<void> {
  for (const handle of new Set(handles)) {
    const versions = await tx.listings.datedVersions(handle, mostVersions);
    await tx.listings.putFormer(handle, toFormer(versions));
  }
}
