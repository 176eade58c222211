import type { Context } from '../context.ts';
import { unlessAborted } from '../core/every.ts';
import type { Listing } from '../listings/listing.ts';
import type { Lease } from '../store/store.ts';
import { pausedUntil } from './hosts/host-queue.ts';

/** A lease as a transaction asks for it (`isHeldBy`); another thread may hold it. */
export type HeldLease = Pick<Lease, 'name' | 'owner'>;

/** What a check ended with. `wasEnded`: it could not be read to its end, and was ended from outside. */
export interface CheckReport {
  /** How many facts changed. */
  readonly changes: number;
  readonly wasEnded?: true;
}

/** The checks that a schedule begins; this thread runs them, or another (app/observer-thread.ts). */
export interface Checks {
  /** Checks a listing, unless another process does (`leased`), or `isDue` says that one has. `interrupted`: it is due again. */
  observeIfDue(
    listing: Listing,
    isDue: () => Promise<boolean>,
  ): Promise<CheckReport | 'leased' | 'not_due' | 'interrupted'>;
  /** Until when a host of the listing's remotes asked to be left alone, RFC 3339; undefined if none does. */
  pausedUntil(listing: Listing): Promise<string | undefined>;
  /** Gives back what the checks hold. */
  close(): Promise<void>;
}

/** Creates checks that `run` runs under the lease of the listing, one at a time over all nodes, until the signal: then they reject with its reason. */
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
