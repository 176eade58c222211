import { isCurrent } from '../../evidence/rating/rating.ts';
import { type Action, NotModerated } from '../action.ts';

/** Takes a rating out of every count; what it says stays. */
export const voidRating: Action = {
  name: 'void',
  summary: 'count a rating in no group; what it says stays, and it is counted as voided',
  targets: ['rating'],
  reasons: ['no_interaction', 'impersonation', 'unlawful'],
  reach: 'own_record',
  example: '019aa5f2-0000-7000-8000-000000000000',
  did: () => 'voided this rating',
  consequence: () => 'It counts in no group.',
  async apply(tx, { target, handle }, { at }) {
    const rating = await tx.ratings.byId(target);
    if (!rating || !isCurrent(rating))
      throw new NotModerated('only a rating that counts can be voided; this one was amended or withdrawn');
    await tx.ratings.setVoided(target, at);
    if (handle !== undefined) await tx.listings.reindex(handle);
  },
  async undo(tx, { target, handle }) {
    await tx.ratings.setVoided(target, undefined);
    if (handle !== undefined) await tx.listings.reindex(handle);
  },
};
