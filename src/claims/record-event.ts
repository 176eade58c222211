import type { ClaimEvent } from '../evidence/listing/listing-document.ts';
import { type LeafType, toLeaf } from '../evidence/log/leaf.ts';
import type { Transaction } from '../store/store.ts';

/** A claim event before it has a log index. */
export type NewClaimEvent = Omit<ClaimEvent, 'log_index'> & { readonly capability_id?: string };

const leafTypes = {
  activated: 'claim.activated',
  rotated: 'claim.activated',
  restored: 'claim.activated',
  suspended: 'claim.suspended',
  revoked: 'capability.revoked',
} as const satisfies Record<ClaimEvent['type'], LeafType>;

/**
 * Adds an event to a listing's history and a leaf that commits to it to the transparency log, in the caller's
 * transaction. Returns the log index.
 */
export async function recordClaimEvent(
  tx: Transaction,
  handle: string,
  event: NewClaimEvent,
): Promise<number> {
  const log_index = await tx.log.append(toLeaf(leafTypes[event.type], { handle, ...event }));
  await tx.claims.addEvent(handle, { ...event, log_index });
  return log_index;
}
