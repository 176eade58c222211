import type { Capability } from '../../evidence/claim/claim.ts';
import { isCurrent, type Rating } from '../../evidence/rating/rating.ts';
import { Problem } from '../../problem.ts';
import type { Transaction } from '../../store/store.ts';
import type { Submission } from './rating-record.ts';

const maxAmendments = 5;
const amendable_ms = 180 * 86_400_000;

/** Throws capability_suspended if the capability has ended since it was read. */
export async function requireLive(tx: Transaction, { hash }: Capability): Promise<void> {
  const live = await tx.claims.capability(hash);
  if (live?.state !== 'active') throw new Problem('capability_suspended');
}

/** The caller's own rating by id; throws not_found or rating_not_yours. */
export async function requireOwnRating(tx: Transaction, id: string, capability: Capability): Promise<Rating> {
  const rating = await tx.ratings.byId(id);
  if (!rating) throw new Problem('not_found', { detail: 'No rating has this id.' });
  if (rating.source_handle !== capability.handle) throw new Problem('rating_not_yours');
  return rating;
}

/** How many amendments led to this rating, and when its first version was created. */
async function readHistory(tx: Transaction, rating: Rating) {
  let first = rating;
  let amendments = 0;
  while (first.supersedes && amendments < maxAmendments) {
    first = (await tx.ratings.byId(first.supersedes)) ?? { ...first, supersedes: undefined };
    amendments += 1;
  }
  return { amendments, first_ms: new Date(first.created_at).getTime() };
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

/**
 * The rating that a submission amends: the caller's own, current, of the same interaction, amended fewer than 5 times,
 * and first submitted at most 180 days ago (docs/trust.md section 3); the age of the interaction does not matter. Throws otherwise.
 */
export async function requireAmendable(tx: Transaction, id: string, submission: Submission): Promise<Rating> {
  const rating = await requireOwnRating(tx, id, submission.capability);
  if (!isCurrent(rating)) throw new Problem('rating_not_current');
  requireSameInteraction(rating, submission);
  const { amendments, first_ms } = await readHistory(tx, rating);
  if (submission.now.getTime() - first_ms > amendable_ms) {
    throw new Problem('interaction_out_of_window', { detail: 'A rating can be amended for 180 days.' });
  }
  if (amendments >= maxAmendments) {
    throw new Problem('rating_exists', { detail: 'A rating can be amended 5 times.' });
  }
  return rating;
}
