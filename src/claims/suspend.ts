import type { Transaction } from '../store/store.ts';
import { recordClaimEvent } from './record-event.ts';

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
