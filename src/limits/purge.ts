import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { dayOf } from './network-key.ts';

const pause_ms = 600_000;

type PurgeContext = Pick<Context, 'store' | 'clock' | 'log'>;

/** Deletes what nothing needs any more: full buckets, networks and keys of past days, old leases and pauses of hosts. */
export async function purgeLimits({ store, clock }: PurgeContext): Promise<void> {
  const now = clock();
  await store.write(async (tx) => {
    await tx.limits.purge(now.getTime(), dayOf(now));
    await tx.leases.purge();
    await tx.observations.purgePauses(now.toISOString());
  });
}

/** Purges now and every ten minutes until the signal, so that an idle service stores nothing longer. Never throws. */
export async function startPurge(context: PurgeContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await purgeLimits(context);
      await sleep(pause_ms, undefined, { signal, ref: false });
    } catch (error) {
      if (signal.aborted) return;
      context.log.warn({ err: error }, 'purging of limits failed');
      await sleep(pause_ms, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
