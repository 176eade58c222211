import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { dayOf } from './network-key.ts';

const pause_ms = 600_000;

type Keeper = Pick<Context, 'store' | 'clock' | 'log'>;

/** Deletes what no limit needs any more: full buckets, and networks and keys of days that are over. */
export async function purgeLimits({ store, clock }: Keeper): Promise<void> {
  const now = clock();
  await store.write((tx) => tx.limits.purge(now.getTime(), dayOf(now)));
}

/** Forgets now and every ten minutes until the signal, so that a quiet service keeps nothing either. Never throws. */
export async function startPurge(context: Keeper, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await purgeLimits(context);
      await sleep(pause_ms, undefined, { signal, ref: false });
    } catch (error) {
      if (signal.aborted) return;
      context.log.warn({ err: error }, 'limits were not forgotten');
      await sleep(pause_ms, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
