import type { ModerationTarget } from '../../evidence/moderation/moderation.ts';
import type { Action } from '../action.ts';

const what = ({ target_kind, target }: ModerationTarget) =>
  target_kind === 'network' ? 'a network' : `the ${target_kind} ${target}`;

/** Keeps a namespace, an account or a network from writing; reading stays open to all. */
export const block: Action = {
  name: 'block',
  summary: 'accept no claim, rating, response or feedback from a namespace, an account or a network',
  targets: ['namespace', 'account', 'network'],
  reasons: ['repeated', 'overload', 'unlawful'],
  example: 'account:github.com/example',
  did: (target) => `blocked ${what(target)} from writing`,
  consequence: ({ target_kind }) =>
    target_kind === 'network'
      ? 'What was written before stays, and reading is open as before.'
      : 'What was written before stays unless its source withdraws it, and reading is open as before.',
};
