import type { Capability } from '../../evidence/claim/claim.ts';
import type { Transaction } from '../../store/store.ts';
import { recordClaimEvent } from '../record-event.ts';
import { type SuspensionReason, suspendClaim } from '../suspend.ts';

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
