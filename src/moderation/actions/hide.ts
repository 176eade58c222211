import type { Action } from '../action.ts';

const did = {
  rating: 'hid the texts of this rating',
  response: 'hid the text of this response',
  listing: 'hid the title, the description and the status message of this listing',
} as const;

const consequences = {
  rating: 'The rating counts as before.',
  response: 'The rating that it answers counts as before.',
  listing: 'Everything else about the listing is shown as before.',
} as const;

type Kind = keyof typeof did;

/** Hides what a rating, a response or a listing says; counts stay. */
export const hide: Action = {
  name: 'hide',
  summary: 'hide the texts of a rating, a response or a listing; counts stay',
  targets: ['rating', 'response', 'listing'],
  reasons: [
    'personal_data',
    'unlawful',
    'untrue_statement',
    'threat_or_insult',
    'advertising',
    'impersonation',
    'malicious',
  ],
  example: '019aa5f2-0000-7000-8000-000000000000',
  did: ({ target_kind }) => did[target_kind as Kind],
  consequence: ({ target_kind }) => consequences[target_kind as Kind],
  async apply(tx, { target_kind, target }) {
    if (target_kind === 'listing') await tx.listings.moderate(target);
  },
  async undo(tx, { target_kind, target }) {
    if (target_kind === 'listing') await tx.listings.moderate(target);
  },
};
