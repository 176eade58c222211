import type { Context } from '../context.ts';
import { unlessAborted } from '../core/every.ts';
import type { Listing } from '../listings/listing.ts';
import type { Lease } from '../store/store.ts';
import { pausedUntil } from './hosts/host-queue.ts';

/**
 * The name and owner of a lease. On any thread, `isHeldBy` tests with them whether the lease is still held.
 */
export type HeldLease = Pick<Lease, 'name' | 'owner'>;

/** `wasEnded`: the check was ended from outside, because it took too much time or memory. */
export interface CheckReport {
  /** The number of facts that changed or are new. */
  readonly changes: number;
  readonly wasEnded?: true;
}

/** Runs checks in this thread or in a different one (app/observer-thread.ts). */
export interface Checks {
  /**
   * `leased`: another check holds the lease of the listing. `not_due`: the lease was taken, and `isDue` then
   * returned false. `interrupted`: the check did not finish and is due again.
   */
  observeIfDue(
    listing: Listing,
    isDue: () => Promise<boolean>,
  ): Promise<CheckReport | 'leased' | 'not_due' | 'interrupted'>;
  /**
   * Returns the time from which no host of the remotes is in a pause (RFC 3339), or undefined if none is in a
   * pause now.
   */
  pausedUntil(listing: Listing): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Once the signal aborts, each check rejects with the reason of the signal. */
export function createChecks<Report>(
  context: Pick<Context, 'store' | 'clock'>,
  signal: AbortSignal,
  run: (listing: Listing, lease: Lease) => Promise<Report>,
) {
  return {
    async observeIfDue(listing: Listing, isDue: () => Promise<boolean>) {
      signal.throwIfAborted();
      await using lease = await context.store.leases.take(`check/${listing.handle}`);
      if (!lease) return 'leased';
      const begin = async () => ((await isDue()) ? run(listing, lease) : 'not_due');
      return await unlessAborted(begin(), signal);
    },
    pausedUntil({ remotes }: Listing) {
      const hosts = remotes.map(({ url }) => URL.parse(url)?.host).filter((host) => host !== undefined);
      return pausedUntil([...new Set(hosts)], context);
    },
  };
}
