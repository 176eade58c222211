import { capabilityId } from '../evidence/claim/capability.ts';
import type { Claim } from '../evidence/claim/claim.ts';
import type { Transaction } from '../store/store.ts';
import { decideProof, type ProofDecision } from './proof/decide.ts';
import type { UsableLine } from './proof/judge-lines.ts';
import type { Proof } from './proof/proof.ts';
import { toProvenClaim } from './proof/proven-claim.ts';
import { recordClaimEvent } from './record-event.ts';
import { suspendClaim } from './suspend.ts';

/** What a proof changed in the claim. */
export type ClaimChange = NonNullable<ProofDecision['event']> | 'none';

async function writeCapabilities(
  tx: Transaction,
  handle: string,
  { decision, at }: { decision: ProofDecision; at: string },
) {
  for (const hash of decision.revoked) await tx.claims.setCapabilityState(hash, 'revoked', at);
  for (const hash of decision.suspended) await tx.claims.setCapabilityState(hash, 'suspended', at);
  for (const hash of decision.restored) await tx.claims.setCapabilityState(hash, 'active', at);
  for (const { hash, signed_by } of decision.signed) await tx.claims.setSigner(hash, signed_by);
  for (const { hash, issued_at, signed_by } of decision.added)
    await tx.claims.addCapability({
      hash,
      id: capabilityId(hash),
      handle,
      state: 'active',
      issued_at,
      activated_at: at,
      signed_by,
    });
}

/** Brings the groups of ratings by and about a listing up to date with what its claim proves. */
async function recordProof(tx: Transaction, { handle, root, root_generation }: Claim, at: string) {
  await tx.ratings.addHolder(handle, { root, at });
  await tx.ratings.setSourceRoot(handle, { held: { root, root_generation }, at });
}

/** Adds what changed to history and log, and updates the search facets. */
async function recordChange(
  tx: Transaction,
  proven: Claim,
  {
    event,
    decision,
    proof,
  }: { event: NonNullable<ProofDecision['event']>; decision: ProofDecision; proof: Proof },
): Promise<ClaimChange> {
  const newest = decision.added[0]?.hash ?? decision.restored[0];
  const { commit } = proof.read;
  await recordClaimEvent(tx, proven, {
    type: event,
    at: proof.now.toISOString(),
    ...(commit && { commit }),
    ...(newest && { capability_id: capabilityId(newest) }),
  });
  await tx.listings.reindex(proven.handle);
  return event;
}

/** Makes the capabilities of the usable lines the listing's active ones. Returns what that changed. */
export async function activate(
  tx: Transaction,
  usable: readonly UsableLine[],
  proof: Proof,
): Promise<ClaimChange> {
  const { listing, place, read, now, isContinuous } = proof;
  const { handle } = listing;
  const at = now.toISOString();
  const claim = await tx.claims.claim(handle);
  const capabilities = await tx.claims.capabilities(handle);
  const facts = { usable, claim, capabilities, place, pinned: read.pinned, isContinuous };
  const decision = decideProof(facts);
  const { continues } = decision;
  if (!continues && decision.event !== 'moved')
    await suspendClaim(tx, { handle, reason: 'repository_changed', at });
  await writeCapabilities(tx, handle, { decision, at });
  const proven = await toProvenClaim(tx, proof, { known: claim, continues });
  await tx.claims.putClaim(proven);
  const isSame = claim?.root === proven.root && claim.root_generation === proven.root_generation;
  if (claim?.state !== 'claimed' || !isSame) await recordProof(tx, proven, at);
  return decision.event ? recordChange(tx, proven, { event: decision.event, decision, proof }) : 'none';
}
