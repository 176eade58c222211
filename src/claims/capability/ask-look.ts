import type { Context } from '../../context.ts';
import { takeLimits } from '../../limits/shared.ts';
import { Problem } from '../../problem.ts';
import { authenticate } from './authenticate.ts';

/** Looks that the maintainer of a claimed listing may ask for, on all nodes together. */
export const askedLookLimit = { name: 'asked_look', burst: 1, refill_s: 600 } as const;

/** That a look was asked for, and from when the next one can be. */
export interface AskedLook {
  readonly handle: string;
  readonly asked_at: string;
  readonly next_at: string;
}

const full = () =>
  new Problem('rate_limited', {
    retry_after_s: 60,
    detail: 'Too many looks that were asked for wait already, of all maintainers or of yours.',
  });

/**
 * Asks the observer of this process to look at the caller's own listing before those that are due. Throws not_found if it
 * does not observe, rate_limited before `next_at` or while too many wait, and the problems of authenticate.
 */
export async function askLook(context: Context): Promise<AskedLook> {
  const { handle } = await authenticate(context);
  const root = (await context.store.claims.claim(handle))?.root ?? handle;
  if (!context.askedChecks.add)
    throw new Problem('not_found', { detail: 'This service does not look at listings itself (OBSERVE).' });
  await context.store.write(async (tx) => {
    await takeLimits(tx, [{ limit: askedLookLimit, key: handle }], context);
    if (!context.askedChecks.add?.({ handle, root })) throw full();
  });
  const now = context.clock();
  const next = new Date(now.getTime() + askedLookLimit.refill_s * 1000);
  return { handle, asked_at: now.toISOString(), next_at: next.toISOString() };
}
