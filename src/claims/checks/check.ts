import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { Problem } from '../../core/problem.ts';
import { day_s } from '../../core/text.ts';
import { takeLimits } from '../../limits/shared.ts';
import { findAgainst, requireMayWrite } from '../../moderation/require-may-write.ts';
import { applyReading, type ReadingOutcome, readCosigners } from '../apply.ts';
import { claimKeyRing, isSignedBy, readChallenge } from '../challenge.ts';
import type { CheckResult, claimCheck } from '../check-results.ts';
import type { Claim } from '../claim.ts';
import {
  bindingOf,
  type ClaimOnRecord,
  type ClaimTarget,
  findToCheck,
  type LocationReading,
  readLocation,
  rootsOf,
  type SeenKey,
  toSubject,
} from '../locations.ts';
import { optOutText } from '../rules.ts';
import { isHeld } from '../standing.ts';
import { runSharedCheck, type SaveOutcome, window_ms } from './shared.ts';

/**
 * `listing_withdrawn`: by the registry, the publisher or the operator. `note` is about an opt-out line that
 * does not withdraw the listing now.
 */
export interface CheckedClaim {
  readonly check: z.infer<typeof claimCheck>;
  readonly changed: ReadingOutcome['changed'];
  readonly note?: string;
  readonly keys?: readonly SeenKey[];
  readonly begun_ms?: number;
  readonly reasons?: Readonly<Record<string, CheckResult>>;
  /** The next call checks again at once (shared.ts). */
  readonly isRepeatable?: boolean;
}

function toChecked(
  { read }: Pick<LocationReading, 'read'>,
  { result, changed, seen = read.seen, reasons, optOut }: ReadingOutcome,
  { claim, at }: { readonly claim: Claim | undefined; readonly at: Date },
): CheckedClaim {
  const { commit, branch, pinned } = read;
  const wait_s = read.result === 'file' ? undefined : read.retry_after_s;
  const check: CheckedClaim['check'] = {
    result,
    at: at.toISOString(),
    ...(commit && { commit }),
    ...(branch && { branch }),
    ...seen,
    pinned,
    ...(wait_s !== undefined && { retry_after_s: wait_s }),
  };
  const note = optOut && optOutText(optOut, claim?.state);
  const keys = read.result === 'file' && read.keys;
  return {
    check,
    changed,
    ...(note && { note }),
    ...(keys && { keys }),
    ...(reasons && { reasons: Object.fromEntries(reasons) }),
  };
}

const isAnswered = ({ check: { result } }: CheckedClaim) =>
  !/^(proven$|listing_withdrawn$|host_|redirect_|dns_no_answer)/.test(result);

async function readOnRecord({ listing }: ClaimTarget, { store, clock }: Context): Promise<ClaimOnRecord> {
  const claim = await store.claims.claim(listing.handle);
  const capabilities = await store.claims.capabilities(listing.handle);
  return { claim, isHolding: claim !== undefined && isHeld(claim, { capabilities, listing, now: clock() }) };
}

/**
 * `presented` is the id of an active capability of the listing. Only a re-check sets `onMissing` and
 * `shared_ms`.
 */
interface CheckedBy {
  readonly presented?: string | undefined;
  readonly onMissing?: LocationReading['onMissing'];
  readonly shared_ms?: number;
}

/**
 * The limit counts the requested checks of a listing that add entries to the log, on all nodes together.
 * Re-checks are not counted, so that they take effect even if requests have used up the limit.
 */
export const claimChangeLimit = { name: 'claim_change', burst: 60, refill_s: day_s } as const;

async function apply(
  target: ClaimTarget,
  was: Pick<LocationReading, 'read' | 'signed'>,
  { context, onMissing, presented, save }: CheckedBy & { context: Context; save: SaveOutcome },
): Promise<CheckedClaim> {
  const reading = {
    ...target,
    ...was,
    binding: bindingOf(target, context),
    ring: await claimKeyRing(context),
  };
  const now = context.clock();
  const isAsked = onMissing === undefined;
  return context.store.write(async (tx) => {
    const { listing, place } = target;
    const current = await findToCheck(listing.handle, tx);
    if (!current || current.withdrawn !== listing.withdrawn || current.repository !== listing.repository)
      throw new Problem('unavailable', { detail: 'The listing changed during the check.', retry_after_s: 1 });
    const claim = await tx.claims.claim(listing.handle);
    const writer = { handle: listing.handle, roots: rootsOf(place, claim) };
    const writing = { ...context, store: tx };
    if (isAsked) await requireMayWrite(writing, writer);
    const isBlocked = !isAsked && (await findAgainst(writing, writer)) !== undefined;
    const cosigners = presented === undefined ? [] : await readCosigners(tx, { handle: listing.handle, now });
    const isHolder = cosigners.some(({ id, state }) => id === presented && state === 'active');
    const entries = await tx.log.size();
    const outcome = await applyReading(tx, { ...reading, now, isBlocked, isHolder, onMissing }, claim);
    if (isAsked && (await tx.log.size()) > entries)
      await takeLimits(tx, [{ limit: claimChangeLimit, key: listing.handle }], context);
    const checked = toChecked(reading, outcome, { claim, at: now });
    await save(tx, checked, isAnswered(checked));
    return checked;
  });
}

/**
 * With the keys and challenges of the shared check; returns `checked` if it found no key.
 * @throws unavailable if the keys were read again or the listing changed meanwhile, writing_blocked or
 * rate_limited
 */
export async function checkSignature(
  target: ClaimTarget,
  { checked, sent }: { checked: CheckedClaim; sent: { challenge: string; signature: string } },
  context: Context,
): Promise<CheckedClaim> {
  const { keys, check, begun_ms = 0 } = checked;
  const challenge = readChallenge(sent.challenge);
  if (!keys || !challenge) return checked;
  const signer = keys.find((key) => isSignedBy(key, sent.challenge, sent.signature));
  const read = { result: 'file', text: '', keys, pinned: check.pinned } as const;
  const save: SaveOutcome = async (tx) => {
    const newest = await tx.checks.newest(target.listing.handle, toSubject(target.place));
    if (newest && Date.parse(newest.begun_at) > begun_ms)
      throw new Problem('unavailable', { detail: 'The keys were read again meanwhile.', retry_after_s: 1 });
  };
  const signed = { ...challenge, signer };
  return apply(target, { read, signed }, { context, save });
}

/**
 * Returns the last check if that is current (`runSharedCheck`). Re-checks and each holder of an active
 * capability have checks of their own, so that nobody else's check replaces theirs.
 */
export async function checkClaim(
  target: ClaimTarget,
  context: Context,
  { onMissing, presented, shared_ms = window_ms }: CheckedBy = {},
): Promise<CheckedClaim & { readonly isOwn?: true }> {
  const { handle } = target.listing;
  const holder = presented === undefined ? '' : ` holder ${presented}`;
  const place = `${toSubject(target.place)}${onMissing ? ' recheck' : holder}`;
  const subject = { handle, place, hasClaim: target.claim !== undefined, shared_ms };
  const { outcome, begun_ms, isOwn } = await runSharedCheck(subject, context, async (save) => {
    const read = await readLocation(target.place, await readOnRecord(target, context), context);
    // Nobody waits for a new line after a re-check, so the other nodes use its outcome in any case.
    const saveChecked: SaveOutcome = onMissing ? (tx, checked) => save(tx, checked, false) : save;
    return apply(target, { read }, { context, onMissing, presented, save: saveChecked });
  });
  if (isOwn) return { ...outcome, begun_ms, isOwn };
  const { check } = outcome;
  if (outcome.isRepeatable) return { ...outcome, begun_ms, changed: 'none' };
  const wait_ms = begun_ms + window_ms - context.clock().getTime();
  const wait_s = Math.ceil(Math.min(wait_ms, window_ms) / 1000);
  const retry_after_s = Math.max(wait_s, 1, check.retry_after_s ?? 0);
  return {
    ...outcome,
    begun_ms,
    check: check.result === 'proven' ? check : { ...check, retry_after_s },
    changed: 'none',
  };
}
