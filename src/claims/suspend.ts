import type { Capability, Claim } from '../evidence/claim/claim.ts';
import type { Transaction } from '../store/store.ts';
import { recordClaimEvent } from './record-event.ts';

/** How long a claim survives while its place cannot be checked, and on how many days checks must have failed meanwhile. */
const unreachableLimit_ms = 30 * 86_400_000;
const unreachableDays = 10;

/** Why a claim is suspended (docs/trust.md section 1). */
export type SuspensionReason = 'proof_missing' | 'repository_changed' | 'host_unreachable_30d' | 'withdrawn';

/** Which claim to suspend, why, and when (RFC 3339 UTC with milliseconds). */
export interface Suspension {
  readonly handle: string;
  readonly reason: SuspensionReason;
  readonly at: string;
  /** The commit whose file has no usable line, if a file was read. */
  readonly commit?: string;
}

/**
 * Suspends a claimed listing and its active capabilities, writes history and log, and updates the search facets.
 * Returns false, and changes nothing, if the listing is not claimed.
 */
export async function suspendClaim(tx: Transaction, suspension: Suspension): Promise<boolean> {
  const { handle, reason, at, commit } = suspension;
  const claim = await tx.claims.claim(handle);
  if (claim?.state !== 'claimed') return false;
  for (const { hash, state } of await tx.claims.capabilities(handle)) {
    if (state === 'active') await tx.claims.setCapabilityState(hash, 'suspended', at);
  }
  await tx.claims.putClaim({ ...claim, state: 'suspended', suspended_reason: reason });
  await recordClaimEvent(tx, claim, {
    type: 'suspended',
    at,
    reason,
    ...(commit && { commit }),
  });
  await tx.ratings.setSourceRoot(handle, { held: undefined, at });
  await tx.ratings.putReceiptKeys(handle, { keys: [], at, isComplete: true });
  await tx.listings.reindex(handle);
  return true;
}

/**
 * Records that a check failed, and suspends the claim 30 days after the last one that read anything, if checks failed on ten days
 * since. A clock that jumps ahead makes the time pass at once, but not the days.
 */
export async function recordUnread(tx: Transaction, claim: Claim, now: Date): Promise<void> {
  const at = now.toISOString();
  const { handle, checked_at, failed_days: known = [] } = claim;
  const failed_days = [...new Set([...known, at.slice(0, 10)])].slice(0, unreachableDays);
  await tx.claims.putClaim({ ...claim, failed_days, tried_at: at });
  const isLong = now.getTime() - Date.parse(checked_at) > unreachableLimit_ms;
  if (isLong && failed_days.length === unreachableDays)
    await suspendClaim(tx, { handle, reason: 'host_unreachable_30d', at });
}

/** How a capability ends for good: `revoked` by its holder, or `leaked`: found in a claim file. */
export interface CapabilityEnd {
  readonly state: 'revoked' | 'leaked';
  readonly at: string;
}

const reasons: Record<CapabilityEnd['state'], { event?: string; suspension: SuspensionReason }> = {
  revoked: { suspension: 'withdrawn' },
  leaked: { event: 'secret_published', suspension: 'proof_missing' },
};

/**
 * Ends a capability for good, with history and log. Suspends the claim if no active capability is left. Returns false
 * if it had already ended.
 */
export async function endCapability(
  tx: Transaction,
  { hash, id, handle, state }: Capability,
  end: CapabilityEnd,
): Promise<boolean> {
  if (state === 'revoked' || state === 'leaked') return false;
  const claim = await tx.claims.claim(handle);
  if (!claim) return false;
  const { event: reason, suspension } = reasons[end.state];
  await tx.claims.setCapabilityState(hash, end.state, end.at);
  await recordClaimEvent(tx, claim, {
    type: 'revoked',
    at: end.at,
    ...(reason && { reason }),
    capability_id: id,
  });
  const left = await tx.claims.capabilities(handle);
  if (!left.some((capability) => capability.state === 'active'))
    await suspendClaim(tx, { handle, reason: suspension, at: end.at });
  return true;
}
