import { capabilityId } from '../evidence/claim/capability.ts';
import type { ChallengeBinding, ClaimKey } from '../evidence/claim/challenge.ts';
import type { RepositoryLook, RepositoryPlace } from '../repositories/reader.ts';
import type { ClaimRow, ListingRow, Transaction } from '../store/store.ts';
import { decideProof, type ProofDecision } from './decide.ts';
import type { UsableLine } from './judge-lines.ts';
import { recordClaimEvent } from './record-event.ts';

/** One look at a listing's repository, and everything it is judged by. */
export interface Proof {
  readonly listing: ListingRow & { readonly repository: string };
  readonly place: RepositoryPlace;
  readonly look: RepositoryLook;
  readonly binding: ChallengeBinding;
  readonly ring: readonly ClaimKey[];
  readonly now: Date;
}

/** What a proof changed. */
export type ClaimChange = NonNullable<ProofDecision['event']> | 'none';

async function writeCapabilities(
  tx: Transaction,
  handle: string,
  { decision, at }: { decision: ProofDecision; at: string },
) {
  for (const hash of decision.retired) await tx.claims.setCapabilityState(hash, 'revoked', at);
  for (const hash of decision.gone) await tx.claims.setCapabilityState(hash, 'suspended', at);
  for (const hash of decision.back) await tx.claims.setCapabilityState(hash, 'active', at);
  for (const { hash, issued_at } of decision.added)
    await tx.claims.addCapability({
      hash,
      id: capabilityId(hash),
      handle,
      state: 'active',
      issued_at,
      activated_at: at,
      ended_at: null,
    });
}

/** The claim as it stands now; date and commit stay those of the first proof in this repository. */
function toClaimRow({ listing, place, look, now }: Proof, known: ClaimRow | undefined): ClaimRow {
  const at = now.toISOString();
  const kept = known?.repository_key === place.key ? known : undefined;
  return {
    handle: listing.handle,
    state: 'claimed',
    suspended_reason: null,
    claimed_at: kept?.claimed_at ?? at,
    repository: listing.repository,
    repository_key: place.key,
    commit_id: kept ? kept.commit_id : (look.commit ?? null),
    branch: look.branch ?? kept?.branch ?? null,
    checked_at: kept && !look.pinned ? kept.checked_at : at,
  };
}

/** Makes the lines that count the listing's active capabilities; answers what that changed. */
export async function activate(
  tx: Transaction,
  usable: readonly UsableLine[],
  proof: Proof,
): Promise<ClaimChange> {
  const { listing, place, look, now } = proof;
  const { handle, repository } = listing;
  const at = now.toISOString();
  const claim = await tx.claims.claim(handle);
  const capabilities = await tx.claims.capabilities(handle);
  const facts = { usable, claim, capabilities, repositoryKey: place.key, pinned: look.pinned };
  const decision = decideProof(facts);
  await writeCapabilities(tx, handle, { decision, at });
  await tx.claims.putClaim(toClaimRow(proof, claim));
  if (!decision.event) return 'none';
  const newest = decision.added[0]?.hash ?? decision.back[0];
  await recordClaimEvent(tx, handle, {
    type: decision.event,
    at,
    repository,
    ...(look.commit && { commit: look.commit }),
    ...(newest && { capability_id: capabilityId(newest) }),
  });
  await tx.listings.reindex(handle);
  return decision.event;
}
