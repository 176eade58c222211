import type { Context } from '../../context.ts';
import type { Capability } from '../../evidence/claim/claim.ts';
import { isCurrent, type Rating } from '../../evidence/rating/rating.ts';
import { requireMayWrite } from '../../moderation/require-may-write.ts';
import { Problem } from '../../problem.ts';
import type { SourceRoot } from '../../store/contract/ratings.ts';
import type { Transaction } from '../../store/store.ts';
import type { Submission } from './rating-record.ts';

const maxAmendments = 5;
const amendable_ms = 180 * 86_400_000;

/**
 * Throws what authenticate throws of a capability that was ended or blocked since: between it and the transaction lie the
 * readings of proofs.
 */
export async function requireLive(
  tx: Transaction,
  { hash, handle, id }: Capability,
  { context, isTakingBack = false }: { readonly context: Context; readonly isTakingBack?: boolean },
): Promise<void> {
  const live = await tx.claims.capability(hash);
  if (live?.state !== 'active') throw new Problem('capability_suspended');
  await requireMayWrite({ ...context, store: tx }, { handle, capability_id: id, isTakingBack });
}

const isRootOf = ({ source_root, source_root_generation }: Rating, claim: SourceRoot | undefined) =>
  source_root === claim?.root && source_root_generation === claim.root_generation;

/** Throws rating_not_yours unless the control root that holds the listing's claim made the rating. */
export function requireSameRoot(rating: Rating, claim: SourceRoot | undefined): void {
  if (isRootOf(rating, claim)) return;
  const detail = `The account ${rating.source_root} made this rating with an earlier claim of this listing; only that claim can change it.`;
  throw new Problem('rating_not_yours', { detail });
}

/** The caller's own rating by id, made by the control root that holds the claim; throws not_found or rating_not_yours. */
export async function requireOwnRating(tx: Transaction, id: string, capability: Capability): Promise<Rating> {
  const rating = await tx.ratings.byId(id);
  if (!rating) throw new Problem('not_found', { detail: 'No rating has this id.' });
  if (rating.source_handle !== capability.handle) throw new Problem('rating_not_yours');
  requireSameRoot(rating, await tx.claims.claim(capability.handle));
  return rating;
}

/** An amendment must be about the same interaction: same subject, same id, same time. */
function requireSameInteraction(rating: Rating, { handle, content }: Submission): void {
  const isSame =
    rating.subject_handle === handle &&
    rating.interaction_id === content.interaction_id &&
    rating.interaction_at === content.interaction_at;
  if (isSame) return;
  const detail =
    'An amendment keeps the handle, the interaction_id and the interaction_at of the rating it supersedes.';
  throw new Problem('rating_not_current', { detail });
}

/** Throws if the interaction was rated first more than 180 days ago, or six times: once and five times amended. */
export function requireAmendmentLeft(versions: readonly Rating[], now: Date): void {
  const [first] = versions;
  if (first && now.getTime() - new Date(first.first_created_at).getTime() > amendable_ms)
    throw new Problem('interaction_out_of_window', { detail: 'A rating can be amended for 180 days.' });
  if (versions.length > maxAmendments)
    throw new Problem('rating_exists', {
      detail: 'A rating can be amended 5 times; withdrawing it and rating the interaction again counts.',
    });
}

/**
 * The rating that a submission amends: the caller's own, current, of the same interaction (docs/trust.md section 3); the
 * age of the interaction does not matter. Throws otherwise.
 */
export async function requireAmendable(tx: Transaction, id: string, submission: Submission): Promise<Rating> {
  const rating = await requireOwnRating(tx, id, submission.capability);
  if (!isCurrent(rating)) throw new Problem('rating_not_current');
  requireSameInteraction(rating, submission);
  return rating;
}
