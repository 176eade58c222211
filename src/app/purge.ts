import type { Context } from '../context.ts';
import { every } from '../core/every.ts';
import { dayText } from '../core/text.ts';

const pause_ms = 600_000;

export async function purgeLimits({ store, clock }: Context): Promise<void> {
  const now = clock();
  await store.write(async (tx) => {
    await tx.limits.purge(now.getTime(), dayText(now));
    await tx.leases.purge();
    await tx.observations.purgePauses(now.toISOString());
  });
}

/** Also while the service is idle. Never throws. */
export const startPurge = (context: Context, signal: AbortSignal): Promise<void> =>
  every({
    signal,
    pause_ms,
    run: () => purgeLimits(context),
    onError: (err) => context.log.warn({ err }, 'expired limits, leases and pauses could not be deleted'),
  });
