import type { Context } from '../context.ts';
import { unlessAborted } from '../core/every.ts';
import type { Listing } from '../listings/listing.ts';
import type { Lease } from '../store/store.ts';
import { pausedUntil } from './hosts/host-queue.ts';

/** The identity of a lease, by which a transaction on any thread tests that it is still held (`isHeldBy`). */
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
   * `leased`: another process is checking the listing. `not_due`: `isDue` returned false under the lease.
   * `interrupted`: the check did not finish and is due again.
   */
  observeIfDue(
    listing: Listing,
    isDue: () => Promise<boolean>,
  ): Promise<CheckReport | 'leased' | 'not_due' | 'interrupted'>;
  /** The end of the longest present pause of the remotes' hosts, RFC 3339; undefined if there is none. */
  pausedUntil(listing: Listing): Promise<string | undefined>;
  close(): Promise<void>;
}

/** The checks reject with the reason of the signal once it aborts. */
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
