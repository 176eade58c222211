import type { Context } from '../context.ts';
import { applyLook } from './apply-look.ts';
import type { CheckedClaim } from './checked-claim.ts';
import { window_ms } from './checks/current-check.ts';
import { runSharedCheck, type SaveOutcome } from './checks/shared-check.ts';
import { type ClaimTarget, toSubject } from './checks/target.ts';
import { readPlace } from './places/read-place.ts';

async function checkAndApply(
  target: ClaimTarget,
  context: Context,
  how: { readonly save: SaveOutcome; readonly isAsked: boolean },
): Promise<CheckedClaim> {
  const read = await readPlace(target.place, target.listing.handle, context);
  return applyLook(target, { read }, { context, ...how });
}

/** Whole seconds, 1 to 30, until a place that was checked at `begun_ms` may be checked again. */
const untilNext_s = (begun_ms: number, now_ms: number) =>
  Math.min(Math.max(Math.ceil((begun_ms + window_ms - now_ms) / 1000), 1), window_ms / 1000);

/**
 * Checks a place and applies what its lines say, at most once per listing, place and 30 seconds across
 * all nodes, not counting a first look that comes before the commit. In between it returns the last check, with the seconds until the next one is possible.
 */
export async function checkClaim(
  target: ClaimTarget,
  context: Context,
  by: 'claimant' | 'recheck' = 'claimant',
): Promise<CheckedClaim> {
  const subject = { handle: target.listing.handle, place: toSubject(target.place) };
  const { outcome, begun_ms, isOwn } = await runSharedCheck(subject, context, (save) =>
    // Nobody commits a line after a re-check: another node that is late must not look again.
    checkAndApply(target, context, {
      save: by === 'claimant' ? save : (tx, checked) => save(tx, checked, false),
      isAsked: by === 'claimant',
    }),
  );
  if (isOwn) return outcome;
  const { check } = outcome;
  if (outcome.isRepeatable) return { ...outcome, changed: 'none' };
  const wait_s = untilNext_s(begun_ms, context.clock().getTime());
  const retry_after_s = Math.max(wait_s, check.retry_after_s ?? 0);
  return {
    ...outcome,
    check: check.result === 'proven' ? check : { ...check, retry_after_s },
    changed: 'none',
  };
}
