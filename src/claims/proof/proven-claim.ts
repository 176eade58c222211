import type { Claim } from '../../evidence/claim/claim.ts';
import type { Transaction } from '../../store/store.ts';
import type { Proof } from './proof.ts';

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

/** The claim that a proof shows, with its control root, beside the one that is known. */
export async function toProvenClaim(tx: Transaction, proof: Proof, standing: KnownClaim): Promise<Claim> {
  const { known, continues } = standing;
  const root = await toRoot(tx, proof, standing);
  return toClaim(proof, continues && known?.kind === proof.place.kind ? known : undefined, root);
}
