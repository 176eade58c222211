import type { Claim } from '../evidence/claim/claim.ts';
import { placeMember } from '../evidence/claim/proof-place.ts';
import type { ClaimEvent } from '../evidence/listing/listing-document.ts';
import { type LeafType, toLeaf } from '../evidence/log/leaf.ts';
import type { Transaction } from '../store/store.ts';

/** A claim event before it has a log index; which claim it is of stands apart. */
type NewClaimEvent = Omit<
  ClaimEvent,
  'log_index' | 'kind' | 'repository' | 'domain' | 'root' | 'root_generation'
> & {
  readonly capability_id?: string;
};

/** Whose event it is; without a control root if the listing was never claimed there. */
type EventSubject = Pick<Claim, 'handle' | 'kind' | 'place'> &
  Partial<Pick<Claim, 'root' | 'root_generation'>>;

const leafTypes = {
  activated: 'claim.activated',
  rotated: 'claim.activated',
  restored: 'claim.activated',
  moved: 'claim.activated',
  suspended: 'claim.suspended',
  revoked: 'capability.revoked',
  listing_withdrawn: 'listing.withdrawn',
  listing_restored: 'listing.restored',
} as const satisfies Record<ClaimEvent['type'], LeafType>;

/**
 * Adds an event to the history of a claim and a leaf that commits to it to the transparency log, in the caller's
 * transaction. Returns the log index.
 */
export async function recordClaimEvent(
  tx: Transaction,
  { handle, kind, place, root, root_generation }: EventSubject,
  event: NewClaimEvent,
): Promise<number> {
  const ofRoot = root === undefined ? {} : { root, root_generation };
  const record = { ...event, kind, ...placeMember(kind, place), ...ofRoot };
  const log_index = await tx.log.append(toLeaf(leafTypes[event.type], { handle, ...record }), {
    handle,
    at: event.at,
  });
  await tx.claims.addEvent(handle, { ...record, log_index });
  return log_index;
}
