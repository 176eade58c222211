import type { Context } from '../../context.ts';
import { isInRepository } from '../../evidence/claim/proof-place.ts';
import type { PlaceCheck } from '../places/place-check.ts';
import type { Proof } from './proof.ts';

/** A check that also tells whether the repository of the known claim is still the same one. */
export interface ContinuedCheck {
  readonly read: PlaceCheck;
  /** False if the commit last proven can no longer be read. True if there is nothing to compare with. */
  readonly isContinuous: boolean;
}

const isReadable = (result: string) => /^(file|lfs_pointer|not_text|too_large)$/.test(result);

/**
 * Reads the claim file at the commit where the known claim of the same account was last proven (docs/trust.md section 1,
 * "Continuity"). A domain has no such history. If the host does not say whether that commit exists, the whole check fails for that reason.
 */
export async function checkContinuity(
  { listing, place }: Pick<Proof, 'listing' | 'place'>,
  read: PlaceCheck,
  { store, repositories, config }: Context,
): Promise<ContinuedCheck> {
  const same = { read, isContinuous: true };
  const claim = await store.claims.claim(listing.handle);
  const commit = claim?.proven_commit;
  if (!isInRepository(place.kind) || read.result !== 'file' || !commit || claim.root !== place.root)
    return same;
  if (claim.place_key === place.key && read.commit === commit) return same;
  const proven = repositories.place(claim.place);
  if (!proven) return same;
  const { result, retry_after_s } = await repositories.readAt(proven, { commit, fileName: config.claimFile });
  if (result === 'file' || !result.startsWith('host_')) return { read, isContinuous: isReadable(result) };
  return { read: { result, pinned: false, ...(retry_after_s && { retry_after_s }) }, isContinuous: true };
}
