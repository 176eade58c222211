import type { Action } from '../action.ts';

/** Takes a whole listing down: 410 on every face, until it is undone. */
export const withdraw: Action = {
  name: 'withdraw',
  summary: 'answer for a listing with 410 and its reason; its claim can only withdraw its ratings meanwhile',
  targets: ['listing'],
  reasons: ['unlawful', 'personal_data', 'threat_or_insult', 'advertising', 'impersonation', 'malicious'],
  example: 'com.example/shop',
  did: () => 'withdrew this listing',
  consequence: () => 'Ratings by it count as before, and its capabilities can only withdraw them meanwhile.',
  async apply(tx, { target }) {
    await tx.listings.moderate(target);
  },
  async undo(tx, { target }) {
    await tx.listings.moderate(target);
    // Its claim and its ratings may have changed meanwhile.
    await tx.listings.reindex(target);
  },
};
