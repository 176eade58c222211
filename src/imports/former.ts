import type { FormerReference } from '../listings/former.ts';
import type { ListingVersion } from '../listings/listing.ts';
import { placeKeysOf } from '../listings/references.ts';
import type { Transaction } from '../store/store.ts';
import { recordedOf } from './recorded.ts';

/** So many versions of a listing are read, the newest, and so many of what they named are stored. */
const mostVersions = 200;
const mostFormer = 100;

/**
 * What versions named that newer ones did not; `versions` are those of one listing, the newest first. What
 * the newest one names has no end, whichever version the registry calls the latest.
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
 * Stores what earlier versions of listings named. It follows from the stored versions alone, so that it is
 * the same after one whole import and after many small ones, and a full import makes it anew. Deleted
 * versions count for nothing, and neither do those without a date of the registry, which have no order.
 */
export async function putFormer(tx: Transaction, handles: Iterable<string>): Promise<void> {
  for (const handle of new Set(handles)) {
    const versions = await tx.listings.datedVersions(handle, mostVersions);
    await tx.listings.putFormer(handle, toFormer(versions));
  }
}
