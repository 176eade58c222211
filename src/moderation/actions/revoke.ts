import type { Action } from '../action.ts';

/** Ends the use of one capability; the claim stays as its file says. */
export const revoke: Action = {
  name: 'revoke',
  summary: 'let a capability write no more; the claim and its other capabilities stay',
  targets: ['capability'],
  reasons: ['stolen_capability', 'repeated', 'unlawful'],
  example: '3f2a9c0b1d4e5f67',
  did: ({ target }) => `revoked the capability ${target} of this listing`,
  consequence: () => 'It cannot write any more; a new challenge in the claim file gives a new one.',
};
