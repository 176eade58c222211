import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { Claim } from '../evidence/claim/claim.ts';
import { checkClaim, toClaimTarget } from './check-claim.ts';

const page = 100;
const passesPerInterval = 20;
const longestSleep_s = 3600;

/** Pause between two passes of one node. */
const pauseOf_ms = ({ claimRecheck_s }: Context['config']) =>
  Math.min(longestSleep_s, claimRecheck_s / passesPerInterval) * 1000;

/** When a claim is checked again, in ms since 1970: the interval (+-20 %) after its last check. */
export function recheckDue_ms({ handle, checked_at }: Claim, interval_s: number): number {
  const spread = createHash('sha256').update(`${handle}\n${checked_at}`).digest().readUInt16BE(0) / 65_535;
  return Date.parse(checked_at) + interval_s * 1000 * (0.8 + 0.4 * spread);
}

/** Whether a claim is still due: another node may have checked it in this pass, successfully or not. */
async function isDue({ handle }: Claim, { store, config, clock }: Context): Promise<boolean> {
  const now_ms = clock().getTime();
  const claim = await store.claims.claim(handle);
  if (!claim || recheckDue_ms(claim, config.claimRecheck_s) > now_ms) return false;
  const check = await store.checks.newest(handle);
  return !check || now_ms - Date.parse(check.begun_at) > 0.9 * pauseOf_ms(config);
}

async function recheck(claim: Claim, context: Context): Promise<boolean> {
  if (!(await isDue(claim, context))) return false;
  const listing = await context.store.listings.byHandle(claim.handle);
  if (!listing?.repository || listing.withdrawn || !context.repositories.place(listing.repository))
    return false;
  const { check, changed } = await checkClaim(toClaimTarget(listing, context), context);
  context.log.debug({ handle: claim.handle, result: check.result, changed }, 'claim checked');
  return true;
}

/**
 * Checks every claim that is due, one after the other, except those that another node checked in this pass. Returns how
 * many it checked. A check that fails is logged and does not stop the others.
 */
export async function recheckClaims(context: Context, stopped?: AbortSignal): Promise<number> {
  let checked = 0;
  const hourAgo = new Date(context.clock().getTime() - longestSleep_s * 1000).toISOString();
  await context.store.write((tx) => tx.checks.purge(hourAgo));
  for (let after: string | undefined = ''; after !== undefined; ) {
    const claims: Claim[] = await context.store.claims.claimed(after, page);
    for (const claim of claims) {
      if (stopped?.aborted) return checked;
      if (recheckDue_ms(claim, context.config.claimRecheck_s) > context.clock().getTime()) continue;
      try {
        if (await recheck(claim, context)) checked += 1;
      } catch (error) {
        context.log.warn({ err: error, handle: claim.handle }, 'claim re-check failed');
      }
    }
    after = claims.length === page ? claims.at(-1)?.handle : undefined;
  }
  return checked;
}

async function run(context: Context, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    try {
      await sleep(pauseOf_ms(context.config), undefined, { signal: stopped, ref: false });
      await recheckClaims(context, stopped);
    } catch (error) {
      if (!stopped.aborted) context.log.warn({ err: error }, 'claim re-check failed');
    }
  }
}

/** Starts checking all claims every CLAIM_RECHECK (+-20 %). Returns a function that stops it and waits for its end. */
export function startRecheck(context: Context): () => Promise<void> {
  const stop = new AbortController();
  const running = run(context, stop.signal);
  return async () => {
    stop.abort();
    await running;
  };
}
