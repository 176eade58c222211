import type { Context } from '../context.ts';
import { unlessAborted } from '../core/every.ts';
import type { Listing } from '../listings/listing.ts';
import type { Lease } from '../store/store.ts';
import { pausedUntil } from './asked/hosts/host-queue.ts';

/** `isHeldBy` tests on any thread whether the lease is still held. */
export type HeldLease = Pick<Lease, 'name' | 'owner'>;

/** `wasEnded`: from outside, because the check took too much time or memory. */
export interface CheckReport {
  readonly changes: number;
  readonly wasEnded?: true;
}

/** In this thread or a different one (app/observer-thread.ts). */
export interface Checks {
  /** `not_due`: by `isDue`, under the lease. `interrupted`: the check is due again. */
  observeIfDue(
    listing: Listing,
    isDue: () => Promise<boolean>,
  ): Promise<CheckReport | 'leased' | 'not_due' | 'interrupted'>;
  /** When no host of the remotes is in a pause any more (RFC 3339); undefined if none is. */
  pausedUntil(listing: Listing): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Once the signal aborts, each check rejects with its reason. */
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
