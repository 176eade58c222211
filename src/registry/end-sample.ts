import { suspendClaim } from '../claims/suspend.ts';
import type { Listing } from '../evidence/listing/listing.ts';
import { isSample } from '../evidence/listing/state/sample.ts';
import { isGone, toWithdrawn } from '../evidence/listing/state/withdrawn.ts';
import { toLeaf } from '../evidence/log/leaf.ts';
import type { Transaction } from '../store/store.ts';
import { signalSource } from './apply-page.ts';
import { readSampleHandles } from './source/open-source.ts';
import type { Page } from './source/source.ts';

async function withdrawRatings(tx: Transaction, handle: string, withdrawn_at: string): Promise<void> {
  for (const { id, subject_handle } of await tx.ratings.currentWith(handle)) {
    const record = { id, withdrawn_at, reason: 'sample_ended' };
    const about = { handle: subject_handle, at: withdrawn_at };
    const withdrawn_by = await tx.log.append(toLeaf('rating.withdrawn', record), about);
    await tx.ratings.end(id, { withdrawn_at, withdrawn_by });
    await tx.listings.reindex(subject_handle);
  }
}

async function endOne(tx: Transaction, listing: Listing, at: string): Promise<void> {
  const { handle } = listing;
  await suspendClaim(tx, { handle, reason: 'withdrawn', at });
  await withdrawRatings(tx, handle, at);
  await tx.listings.deleteVersions(handle);
  await tx.listings.putSignals([{ handle, source: signalSource, signals: [] }]);
  await tx.listings.putListings([toWithdrawn(listing, 'deleted')]);
}

const nameOf = (entry: unknown) => (entry as { server?: { name?: unknown } } | null)?.server?.name;

/**
 * Withdraws listings of the shipped sample, with their claims and the ratings by and about them: those that the page
 * names, so that the registry's listing takes their place, and all of them once the page is the last one.
 */
export async function endSample(tx: Transaction, page: Page, at: string): Promise<void> {
  const handles = await readSampleHandles();
  const named = new Set(page.entries.map(nameOf));
  const ending = page.nextCursor === undefined ? handles : handles.filter((handle) => named.has(handle));
  if (ending.length === 0) return;
  for (const listing of await tx.listings.byHandles(ending))
    if (isSample(listing) && !isGone(listing)) await endOne(tx, listing, at);
}
