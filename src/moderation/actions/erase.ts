import { eraseRecord } from '../../transparency-log/erase-record.ts';
import { type Action, NotModerated } from '../action.ts';

/** Deletes for good what a rating with its older versions, or a response, says. */
export const erase: Action = {
  name: 'erase',
  summary:
    'delete for good what a rating (with its older versions and the responses) or a response says; the rating stops counting',
  targets: ['rating', 'response'],
  reasons: ['personal_data', 'unlawful'],
  example: 'response:019aa5f2-0000-7000-8000-000000000000',
  did: ({ target_kind }) => `erased what this ${target_kind} said`,
  consequence: ({ target_kind }) =>
    target_kind === 'rating' ? 'It does not count any more.' : 'The rating that it answers counts as before.',
  reach: 'older_versions',
  async apply(tx, { target_kind, target, handle, record_indexes, older = [] }, { at, reason }) {
    const [own, ...others] = record_indexes;
    if (own === undefined) throw new NotModerated('there is no record to erase');
    const by = await eraseRecord(tx, { log_index: own, at, reason });
    for (const log_index of others) await eraseRecord(tx, { log_index, at, reason });
    for (const id of [target, ...older.map((version) => version.id)]) {
      if (target_kind === 'rating') await tx.ratings.erase(id, { at, by });
      await tx.ratings.eraseResponse(id, at);
    }
    if (handle !== undefined) await tx.listings.reindex(handle);
  },
  isFinal: true,
};
