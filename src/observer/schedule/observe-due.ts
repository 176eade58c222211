import { createHash } from 'node:crypto';
import type { Listing } from '../../evidence/listing/listing.ts';
import { isSample } from '../../evidence/listing/state/sample.ts';
import { observerPasses } from '../../observability/events.ts';
import type { Observer, ObserverContext } from '../observer.ts';

/** What happened in a pass so far. */
export interface PassCounts {
  readonly looked: number;
  readonly changed: number;
  readonly failed: number;
}

/** How a pass is watched and stopped. */
export interface PassOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (counts: PassCounts) => void;
}

const page = 500;
/** Listings looked at side by side; the queue of a host keeps its requests one after the other. */
const sideBySide = 32;

/** Spreads the listings of one host over a page, so that they do not hold all places at once. */
const spread = ({ handle }: { readonly handle: string }) =>
  createHash('sha256').update(handle).digest('base64');

/** When a listing is due: the interval (+-10 %) after its last look. */
export function dueAt_ms(handle: string, observed_at: string | undefined, interval_s: number): number {
  if (observed_at === undefined) return 0;
  const share = createHash('sha256').update(`${handle}\n${observed_at}`).digest().readUInt16BE(0) / 65_535;
  return Date.parse(observed_at) + interval_s * 1000 * (0.9 + 0.2 * share);
}

async function* readDue({ store, config, clock }: ObserverContext): AsyncGenerator<string> {
  for (let after = -1; ; ) {
    const looks = await store.observations.looks(after, page);
    const due = looks.filter(
      ({ handle, observed_at }) =>
        dueAt_ms(handle, observed_at, config.observeInterval_s) <= clock().getTime(),
    );
    yield* due.toSorted((a, b) => (spread(a) < spread(b) ? -1 : 1)).map(({ handle }) => handle);
    const last = looks.at(-1);
    if (looks.length < page || !last) return;
    after = last.id;
  }
}

/** Whether no other node has looked at a listing meanwhile. */
async function isStillDue(handle: string, { store, config, clock }: ObserverContext): Promise<boolean> {
  const known = await store.observations.ofListing(handle);
  return dueAt_ms(handle, known?.observed_at, config.observeInterval_s) <= clock().getTime();
}

/**
 * Looks at every listing that is due, but for those of the shipped sample. Killed at any time, the next pass goes on with those that are still due. A look
 * that fails is logged, counted, and stops no other. What another node is looking at is left to it.
 */
export async function observeDue(
  observer: Observer,
  context: ObserverContext,
  { signal, onProgress }: PassOptions,
): Promise<PassCounts> {
  const due = readDue(context);
  let counts: PassCounts = { looked: 0, changed: 0, failed: 0 };
  const lookAt = async (listing: Listing) => {
    const report = await observer.observeIfDue(listing, () => isStillDue(listing.handle, context));
    if (!report) return;
    counts = { ...counts, looked: counts.looked + 1, changed: counts.changed + (report.changes > 0 ? 1 : 0) };
  };
  const work = async () => {
    for await (const handle of due) {
      if (signal.aborted) return;
      const listing = await context.store.listings.byHandle(handle);
      if (!listing || isSample(listing)) continue;
      try {
        await lookAt(listing);
      } catch (error) {
        context.log.warn({ err: error, handle }, 'a look failed');
        counts = { ...counts, failed: counts.failed + 1 };
      }
      onProgress?.(counts);
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, work));
  if (!signal.aborted) observerPasses.publish({ due: counts.looked + counts.failed });
  return counts;
}
