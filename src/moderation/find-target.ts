import type { ModerationTarget } from '../evidence/moderation/moderation.ts';
import type { Transaction } from '../store/store.ts';
import { type FoundTarget, NotModerated } from './action.ts';

const nothing = (what: string) => new NotModerated(`there is no ${what}`);

async function findRating(tx: Transaction, target: ModerationTarget): Promise<FoundTarget> {
  const rating = await tx.ratings.byId(target.target);
  if (!rating) throw nothing(`rating ${target.target}`);
  const { subject_handle: handle, source_handle, log_index } = rating;
  if (target.target_kind === 'rating')
    return { ...target, handle, told: [handle, source_handle], record_index: log_index };
  const response = await tx.ratings.response(target.target);
  if (!response) throw nothing(`response to rating ${target.target}`);
  return { ...target, handle, told: [handle], record_index: response.log_index };
}

/** Finds what an action is about. Throws NotModerated. */
export async function findTarget(tx: Transaction, target: ModerationTarget): Promise<FoundTarget> {
  if (target.target_kind === 'rating' || target.target_kind === 'response') return findRating(tx, target);
  if (target.target_kind === 'listing') {
    if (!(await tx.listings.byHandle(target.target))) throw nothing(`listing ${target.target}`);
    return { ...target, handle: target.target, told: [target.target] };
  }
  if (target.target_kind !== 'capability') return { ...target, told: [] };
  const capability = await tx.claims.capabilityById(target.target);
  if (!capability) throw nothing(`capability with the id ${target.target}`);
  return { ...target, handle: capability.handle, told: [capability.handle] };
}
