import type { Claim } from '../evidence/claim/claim.ts';
import type { ClaimEvent } from '../evidence/listing/listing-document.ts';
import { type LeafType, toLeaf } from '../evidence/log/leaf.ts';
import type { Transaction } from '../store/store.ts';

/** A claim event before it has a log index; which claim it is of stands apart. */
type NewClaimEvent = Omit<ClaimEvent, 'log_index' | 'repository' | 'root' | 'root_generation'> & {
  readonly capability_id?: string;
};

const leafTypes = {
  activated: 'claim.activated',
  rotated: 'claim.activated',
  restored: 'claim.activated',
  suspended: 'claim.suspended',
  revoked: 'capability.revoked',
} as const satisfies Record<ClaimEvent['type'], LeafType>;

/**
 * Adds an event to the history of a claim and a leaf that commits to it to the transparency log, in the caller's
 * transaction. Returns the log index.
 */
export async function recordClaimEvent(
  tx: Transaction,
  {
    handle,
    repository,
    root,
    root_generation,
  }: Pick<Claim, 'handle' | 'repository' | 'root' | 'root_generation'>,
  event: NewClaimEvent,
): Promise<number> {
  const record = { ...event, repository, root, root_generation };
  const log_index = await tx.log.append(toLeaf(leafTypes[event.type], { handle, ...record }));
  await tx.claims.addEvent(handle, { ...record, log_index });
  return log_index;
}
