import { eraseRecord } from '../../transparency-log/erase-record.ts';
import { type Action, NotModerated } from '../action.ts';

/** Deletes for good what a rating or a response says. */
export const erase: Action = {
  name: 'erase',
  summary: 'delete for good what a rating or a response says; the rating stops counting',
  targets: ['rating', 'response'],
  reasons: ['personal_data', 'unlawful'],
  example: 'response:019aa5f2-0000-7000-8000-000000000000',
  did: ({ target_kind }) => `erased what this ${target_kind} said`,
  consequence: ({ target_kind }) =>
    target_kind === 'rating' ? 'It does not count any more.' : 'The rating that it answers counts as before.',
  async apply(tx, { record_index }, { at, reason }) {
    if (record_index === undefined) throw new NotModerated('there is no record to erase');
    await eraseRecord(tx, { log_index: record_index, at, reason });
  },
  isFinal: true,
};
