import type { ModerationTarget } from '../evidence/moderation/moderation.ts';
import type { Transaction } from '../store/store.ts';
import { type FoundTarget, NotModerated } from './action.ts';

const nothing = (what: string) => new NotModerated(`there is no ${what}`);

async function findRating(tx: Transaction, target: ModerationTarget): Promise<FoundTarget> {
  const rating = await tx.ratings.byId(target.target);
  if (!rating) throw nothing(`rating ${target.target}`);
  const { subject_handle: handle, source_handle, log_index, withdrawn_by, superseded_by, erased_at } = rating;
  const response = await tx.ratings.response(target.target);
  const answered = response && !response.erased_at ? [response.log_index] : [];
  if (target.target_kind === 'rating') {
    // A newer version's withdrawal names that version.
    const isOwnEnd = withdrawn_by !== undefined && superseded_by === undefined && erased_at === undefined;
    const record_indexes = [log_index, ...(isOwnEnd ? [withdrawn_by] : []), ...answered];
    return { ...target, handle, told: [handle, source_handle], record_indexes };
  }
  if (!response) throw nothing(`response to rating ${target.target}`);
  return { ...target, handle, told: [handle], record_indexes: [response.log_index] };
}

/** Finds what an action is about. Throws NotModerated. */
export async function findTarget(tx: Transaction, target: ModerationTarget): Promise<FoundTarget> {
  if (target.target_kind === 'rating' || target.target_kind === 'response') return findRating(tx, target);
  if (target.target_kind === 'listing') {
    if (!(await tx.listings.byHandle(target.target))) throw nothing(`listing ${target.target}`);
    return { ...target, handle: target.target, told: [target.target], record_indexes: [] };
  }
  if (target.target_kind !== 'capability') return { ...target, told: [], record_indexes: [] };
  const capability = await tx.claims.capabilityById(target.target);
  if (!capability) throw nothing(`capability with the id ${target.target}`);
  return { ...target, handle: capability.handle, told: [capability.handle], record_indexes: [] };
}
