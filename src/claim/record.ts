import type { ClaimEvent } from '../evidence/listing-document.ts';
import { toLeaf } from '../evidence/log.ts';
import type { LeafType, Transaction } from '../store/store.ts';

/** A claim event before it has its place in the log. */
export type NewClaimEvent = Omit<ClaimEvent, 'log_index'> & { readonly capability_id?: string };

const leafTypes = {
  activated: 'claim.activated',
  rotated: 'claim.activated',
  restored: 'claim.activated',
  suspended: 'claim.suspended',
  revoked: 'capability.revoked',
} as const satisfies Record<ClaimEvent['type'], LeafType>;

/** What the log leaf of a claim event commits to: everything public about it. */
export const toPublicClaimEvent = (handle: string, event: NewClaimEvent): object => ({
  handle,
  type: event.type,
  at: event.at,
  repository: event.repository,
  commit: event.commit,
  reason: event.reason,
  capability_id: event.capability_id,
});

/** Adds an event to a listing's history and its leaf to the log, in the caller's transaction. Answers the log index. */
export async function recordClaimEvent(
  tx: Transaction,
  handle: string,
  event: NewClaimEvent,
): Promise<number> {
  const { salt, ...leaf } = toLeaf(leafTypes[event.type], toPublicClaimEvent(handle, event));
  const log_index = await tx.log.append(leaf);
  await tx.claims.addEvent(handle, { ...event, log_index, salt });
  return log_index;
}
