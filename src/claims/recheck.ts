import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { Claim } from '../evidence/claim/claim.ts';
import { type OptOut, secondCheck_ms } from '../evidence/listing/opt-out.ts';
import { checkClaim, findToCheck, toClaimTarget } from './check-claim.ts';

const page = 100;
const passesPerInterval = 20;
const longestSleep_s = 3600;

/** Pause between two passes of one node. */
const pauseOf_ms = ({ claimRecheck_s }: Context['config']) =>
  Math.min(longestSleep_s, claimRecheck_s / passesPerInterval) * 1000;

/** When a claim is checked again, in ms since 1970: the interval (+-20 %) after its last check. */
export function recheckDue_ms(
  { handle, checked_at }: Pick<Claim, 'handle' | 'checked_at'>,
  interval_s: number,
): number {
  const spread = createHash('sha256').update(`${handle}\n${checked_at}`).digest().readUInt16BE(0) / 65_535;
  return Date.parse(checked_at) + interval_s * 1000 * (0.8 + 0.4 * spread);
}

/** When an opt-out line is read again: a second time a day after the first, then as often as claims. */
const optOutDue_ms = (optOut: OptOut, interval_s: number) =>
  optOut.state === 'seen' ? Date.parse(optOut.seen_at) + secondCheck_ms : recheckDue_ms(optOut, interval_s);

/** When a listing is checked again for its claim or its opt-out line; a withdrawn one only for the latter. */
async function dueAt_ms(handle: string, { store, config }: Context): Promise<number> {
  const optOut = await store.listings.optOut(handle);
  const claim = optOut?.state === 'withdrawn' ? undefined : await store.claims.claim(handle);
  return Math.min(
    claim ? recheckDue_ms(claim, config.claimRecheck_s) : Number.POSITIVE_INFINITY,
    optOut ? optOutDue_ms(optOut, config.claimRecheck_s) : Number.POSITIVE_INFINITY,
  );
}

/** Whether a listing is still due: another node may have checked it in this pass, successfully or not. */
async function isDue(handle: string, context: Context): Promise<boolean> {
  const { store, config, clock } = context;
  const now_ms = clock().getTime();
  if ((await dueAt_ms(handle, context)) > now_ms) return false;
  const check = await store.checks.newest(handle);
  return !check || now_ms - Date.parse(check.begun_at) > 0.9 * pauseOf_ms(config);
}

async function recheck(handle: string, context: Context): Promise<boolean> {
  if (!(await isDue(handle, context))) return false;
  const listing = await findToCheck(handle, context.store.listings);
  if (!listing?.repository || !context.repositories.place(listing.repository)) return false;
  const { check, changed } = await checkClaim(toClaimTarget(listing, context), context);
  context.log.debug({ handle, result: check.result, changed }, 'claim checked');
  return true;
}

async function* readAll<T extends { readonly handle: string }>(
  read: (afterHandle: string, limit: number) => Promise<T[]>,
): AsyncGenerator<T> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const rows: T[] = await read(after, page);
    yield* rows;
    after = rows.length === page ? rows.at(-1)?.handle : undefined;
  }
}

/** Handles whose claim or opt-out line is due. */
async function* readDue({ store, config, clock }: Context): AsyncGenerator<string> {
  const interval_s = config.claimRecheck_s;
  for await (const claim of readAll(store.claims.claimed))
    if (recheckDue_ms(claim, interval_s) <= clock().getTime()) yield claim.handle;
  for await (const optOut of readAll(store.listings.optOuts))
    if (optOutDue_ms(optOut, interval_s) <= clock().getTime()) yield optOut.handle;
}

/**
 * Checks every claim and opt-out line that is due, one after the other, except those that another node checked in this pass. Returns how
 * many it checked. A check that fails is logged and does not stop the others.
 */
export async function recheckClaims(context: Context, stopped?: AbortSignal): Promise<number> {
  let checked = 0;
  const hourAgo = new Date(context.clock().getTime() - longestSleep_s * 1000).toISOString();
  await context.store.write((tx) => tx.checks.purge(hourAgo));
  for await (const handle of readDue(context)) {
    if (stopped?.aborted) return checked;
    try {
      if (await recheck(handle, context)) checked += 1;
    } catch (error) {
      context.log.warn({ err: error, handle }, 'claim re-check failed');
    }
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
