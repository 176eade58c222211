import type { ModerationTarget } from '../evidence/moderation/moderation.ts';
import type { Rating } from '../evidence/rating/rating.ts';
import type { Transaction } from '../store/store.ts';
import { type FoundTarget, NotModerated } from './action.ts';

const nothing = (what: string) => new NotModerated(`there is no ${what}`);

/** The entries of a rating: its own, its withdrawal, the response to it. */
async function recordsOf(tx: Transaction, rating: Rating): Promise<number[]> {
  const { id, log_index, withdrawn_by, superseded_by, erased_at } = rating;
  const response = await tx.ratings.response(id);
  const answered = response && !response.erased_at ? [response.log_index] : [];
  // A newer version's withdrawal names that version.
  const isOwnEnd = withdrawn_by !== undefined && superseded_by === undefined && erased_at === undefined;
  return [log_index, ...(isOwnEnd ? [withdrawn_by] : []), ...answered];
}

/** The versions before a rating, withdrawn ones of the same interaction included. */
async function findOlder(tx: Transaction, rating: Rating) {
  if (rating.erased_at) return [];
  const { source_handle, subject_handle, interaction_id } = rating;
  const versions = await tx.ratings.versions(source_handle, subject_handle, interaction_id);
  const older = versions.slice(
    0,
    versions.findIndex(({ id }) => id === rating.id),
  );
  return Promise.all(older.map(async (one) => ({ id: one.id, record_indexes: await recordsOf(tx, one) })));
}

async function findRating(tx: Transaction, target: ModerationTarget): Promise<FoundTarget> {
  const rating = await tx.ratings.byId(target.target);
  if (!rating) throw nothing(`rating ${target.target}`);
  const { subject_handle: handle, source_handle } = rating;
  if (target.target_kind === 'rating') {
    const record_indexes = await recordsOf(tx, rating);
    return {
      ...target,
      ...{ handle, told: [handle, source_handle], record_indexes, older: await findOlder(tx, rating) },
    };
  }
  const response = await tx.ratings.response(target.target);
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
