import type { Rating, RatingRecord } from '../../../evidence/rating/rating.ts';
import type { RatingRow } from '../../schema/ratings.ts';

/** The part of a rating that has no columns of its own. */
type StoredContent = Pick<RatingRecord, 'protocol' | 'relationship'>;

/** A rating as a row. */
export function encodeRating(rating: Rating): RatingRow {
  const { id, subject_handle, source_handle, source_root, created_at, log_index, ...rest } = rating;
  const { source_capability_id, content_digest, flags, independent, ...more } = rest;
  const { supersedes, superseded_by, withdrawn_at, withdrawn_reason, ...sent } = more;
  const { interaction_id, interaction_at, outcome, score, ...content } = sent;
  return {
    ...{ id, subject_handle, source_handle, source_root, created_at, log_index },
    ...{ source_capability_id, content_digest, interaction_id, interaction_at, outcome },
    score: score ?? null,
    content: JSON.stringify(content),
    flags: JSON.stringify(flags),
    independent: independent ? 1 : 0,
    supersedes: supersedes ?? null,
    superseded_by: superseded_by ?? null,
    withdrawn_at: withdrawn_at ?? null,
    withdrawn_reason: withdrawn_reason ?? null,
    is_current: superseded_by === undefined && withdrawn_at === undefined ? 1 : 0,
  };
}

/** The content of a row that has no columns of its own. */
export const decodeContent = ({ content }: RatingRow): StoredContent => JSON.parse(content) as StoredContent;

/** The columns of a row that its public record has too. */
export const decodeColumns = (row: RatingRow) => ({
  id: row.id,
  subject_handle: row.subject_handle,
  source_handle: row.source_handle,
  source_root: row.source_root,
  interaction_id: row.interaction_id,
  interaction_at: row.interaction_at,
  outcome: row.outcome as RatingRecord['outcome'],
  ...(row.score !== null && { score: row.score }),
  created_at: row.created_at,
  flags: JSON.parse(row.flags) as RatingRecord['flags'],
  independent: row.independent === 1,
  log_index: row.log_index,
  ...(row.supersedes && { supersedes: row.supersedes }),
  ...(row.superseded_by && { superseded_by: row.superseded_by }),
  ...(row.withdrawn_at && { withdrawn_at: row.withdrawn_at }),
});

/** All of a row; unlike the public record, also the texts of a withdrawn rating. */
export const decodeRating = (row: RatingRow): Rating => ({
  ...decodeContent(row),
  ...decodeColumns(row),
  source_capability_id: row.source_capability_id,
  content_digest: row.content_digest,
  ...(row.withdrawn_reason && { withdrawn_reason: row.withdrawn_reason }),
});
