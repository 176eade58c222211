import { setImmediate } from 'node:timers/promises';
import type { Import } from './write-pages.ts';

/** Below this share of all listings, what a run wrote is left to the index to merge as it goes. */
const mergedShare = 0.1;

/** After a run that wrote many listings, merges the search index in small transactions; stops with the signal. */
export async function mergeIndex({ context, run, signal }: Import): Promise<void> {
  const { store } = context;
  const written = run.counts.listings_new + run.counts.listings_changed;
  if (written === 0 || written < (await store.listings.count()) * mergedShare) return;
  const mergePart = (isFirst: boolean) => store.write((tx) => tx.listings.mergeIndex(isFirst));
  for (let isMore = await mergePart(true); isMore && !signal?.aborted; isMore = await mergePart(false))
    await setImmediate();
}
