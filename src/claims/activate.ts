import { capabilityId } from '../evidence/claim/capability.ts';
import type { Challenge, ChallengeBinding, ClaimKey } from '../evidence/claim/challenge.ts';
import type { Claim } from '../evidence/claim/claim.ts';
import type { ProofPlace } from '../evidence/claim/proof-place.ts';
import type { Listing } from '../evidence/listing/listing.ts';
import type { Transaction } from '../store/store.ts';
import { decideProof, type ProofDecision } from './decide.ts';
import type { UsableLine } from './judge-lines.ts';
import type { PlaceCheck } from './places/place-check.ts';
import { recordClaimEvent } from './record-event.ts';
import { suspendClaim } from './suspend.ts';

/** A challenge that a request says is signed with a published key. */
export interface SignedChallenge extends Challenge {
  readonly text: string;
  readonly signature: string;
}

/** One check of a place of a listing, with everything needed to decide what it proves. */
export interface Proof {
  readonly listing: Listing;
  readonly place: ProofPlace;
  readonly read: PlaceCheck;
  /** False if the commit last proven can no longer be read (continuity.ts). */
  readonly isContinuous: boolean;
  /** Hashes of the challenges in the place of a claim in force, where that is another one. */
  readonly standing: ReadonlySet<string>;
  readonly signed?: SignedChallenge | undefined;
  readonly binding: ChallengeBinding;
  readonly ring: readonly ClaimKey[];
  readonly now: Date;
}

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

type ControlRoot = Pick<Claim, 'root' | 'root_generation' | 'first_proved_at'>;

interface KnownClaim {
  readonly known: Claim | undefined;
  /** Whether it goes on. */
  readonly continues: boolean;
}

/** The root of a claim that goes on or moved to another place of the same account or domain; else one never used on this listing. */
async function toRoot(
  tx: Transaction,
  { listing: { handle }, place, now, isContinuous }: Proof,
  { known, continues }: KnownClaim,
): Promise<ControlRoot> {
  const { root } = place;
  const moved = known?.root === root && known.place_key !== place.key && isContinuous;
  if (known && (continues || moved)) return known;
  const root_generation = await tx.claims.nextRootGeneration(handle, root);
  return { root, root_generation, first_proved_at: now.toISOString() };
}

/** The claim after the proof. Date and commit of a claim that goes on stay those of its first proof. */
function toClaim(
  { listing, place, read, now }: Proof,
  same: Claim | undefined,
  { root, root_generation, first_proved_at }: ControlRoot,
): Claim {
  const at = now.toISOString();
  return {
    handle: listing.handle,
    state: 'claimed',
    claimed_at: same?.claimed_at ?? at,
    kind: place.kind,
    place: place.shown,
    place_key: place.key,
    seen: read.seen,
    root,
    root_generation,
    first_proved_at,
    commit: same ? same.commit : read.commit,
    branch: read.branch ?? same?.branch,
    proven_commit: read.commit ?? same?.proven_commit,
    proven_at: read.commit ? at : same?.proven_at,
    checked_at: same && !read.pinned ? same.checked_at : at,
  };
}

/** Brings the groups of ratings by and about a listing up to date with what its claim proves. */
async function recordProof(tx: Transaction, { handle, root, root_generation }: Claim, at: string) {
  await tx.ratings.putIdentities([{ handle, kind: 'claim', value: root, first_imported_at: at }]);
  await tx.ratings.setSourceRoot(handle, { held: { root, root_generation }, at });
  await tx.ratings.relateSubject(handle, root);
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
  const root = await toRoot(tx, proof, { known: claim, continues });
  const proven = toClaim(proof, continues && claim?.kind === place.kind ? claim : undefined, root);
  await tx.claims.putClaim(proven);
  await recordProof(tx, proven, at);
  if (!decision.event) return 'none';
  const newest = decision.added[0]?.hash ?? decision.restored[0];
  await recordClaimEvent(tx, proven, {
    type: decision.event,
    at,
    ...(read.commit && { commit: read.commit }),
    ...(newest && { capability_id: capabilityId(newest) }),
  });
  await tx.listings.reindex(handle);
  return decision.event;
}
