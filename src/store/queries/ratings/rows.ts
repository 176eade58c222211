import { groupOf, type RatingBasis, type StatedOverlap } from '../../../evidence/rating/groups.ts';
import { countedSource, rootIdentity } from '../../../evidence/rating/identity.ts';
import { isCurrent, type Rating, type RatingRecord } from '../../../evidence/rating/rating.ts';
import type { RatingRow } from '../../schema/ratings.ts';

/** The part of a rating that has no columns of its own. */
type StoredContent = Pick<RatingRecord, 'protocol' | 'relationship'>;

const day_ms = 86_400_000;
/** Two ratings within this time in both directions are a pair (docs/trust.md section 3). */
const pair_ms = 90 * day_ms;

/** A rating as a row. */
export function encodeRating(rating: Rating): RatingRow {
  const { id, subject_handle, source_handle, source_root, created_at, log_index, ...rest } = rating;
  const { source_capability_id, content_digest, proof_class, proof_commitment, proof_salt, ...made } = rest;
  const { source_root_generation, first_created_at, ...basis } = made;
  const { related, declared_interest, reciprocal, stated_overlap, source_ended_at, new_until, ...root } =
    basis;
  const { subject_root, subject_root_generation, ...more } = root;
  const { supersedes, superseded_by, withdrawn_at, withdrawn_by, erased_at, voided_at, ...sent } = more;
  const { interaction_id, interaction_at, outcome, score, ...content } = sent;
  return {
    ...{ id, subject_handle, source_handle, source_root, created_at, log_index },
    ...{ source_capability_id, content_digest, interaction_id, interaction_at, outcome },
    score: score ?? null,
    proof_class,
    proof_commitment: proof_commitment ?? null,
    proof_salt: proof_salt ?? null,
    content: JSON.stringify(content),
    ...{ source: countedSource(source_root), source_identity: rootIdentity(source_root) },
    ...{ source_root_generation, first_created_at, new_until },
    pair_until: new Date(Date.parse(first_created_at) + pair_ms).toISOString(),
    subject_root: subject_root ?? null,
    subject_root_generation: subject_root_generation ?? null,
    related: related ? 1 : 0,
    declared_interest: declared_interest ? 1 : 0,
    reciprocal: reciprocal ? 1 : 0,
    stated_overlap: stated_overlap ? JSON.stringify(stated_overlap) : null,
    source_ended_at: source_ended_at ?? null,
    supersedes: supersedes ?? null,
    superseded_by: superseded_by ?? null,
    withdrawn_at: withdrawn_at ?? null,
    withdrawn_by: withdrawn_by ?? null,
    erased_at: erased_at ?? null,
    voided_at: voided_at ?? null,
    is_current: isCurrent(rating) ? 1 : 0,
  };
}

/** The content of a row that has no columns of its own. */
export const decodeContent = ({ content }: RatingRow): StoredContent => JSON.parse(content) as StoredContent;

const decodeBasis = (row: RatingRow): RatingBasis => ({
  related: row.related === 1,
  declared_interest: row.declared_interest === 1,
  reciprocal: row.reciprocal === 1,
  ...(row.stated_overlap && { stated_overlap: JSON.parse(row.stated_overlap) as StatedOverlap }),
  ...(row.source_ended_at && { source_ended_at: row.source_ended_at }),
  new_until: row.new_until,
});

/** The group of a row at a time (RFC 3339), with its reason. */
export const decodeGroup = (row: RatingRow, now: string) => groupOf(decodeBasis(row), now);

/** The columns of a row that its public record always has. */
export const decodeColumns = (row: RatingRow) => ({
  id: row.id,
  subject_handle: row.subject_handle,
  source_handle: row.source_handle,
  source_root: row.source_root,
  source_root_generation: row.source_root_generation,
  interaction_at: row.interaction_at,
  outcome: row.outcome as RatingRecord['outcome'],
  ...(row.score !== null && { score: row.score }),
  created_at: row.created_at,
  proof_class: row.proof_class as RatingRecord['proof_class'],
  ...(row.proof_commitment !== null && { proof_commitment: row.proof_commitment }),
  log_index: row.log_index,
  ...(row.supersedes && { supersedes: row.supersedes }),
  ...(row.superseded_by && { superseded_by: row.superseded_by }),
  ...(row.withdrawn_at && { withdrawn_at: row.withdrawn_at }),
  ...(row.erased_at && { erased_at: row.erased_at }),
  ...(row.voided_at && { voided_at: row.voided_at }),
});

/** All of a row; unlike the public record, also the texts of a withdrawn rating. */
export const decodeRating = (row: RatingRow): Rating => ({
  ...decodeContent(row),
  ...decodeColumns(row),
  ...decodeBasis(row),
  interaction_id: row.interaction_id,
  first_created_at: row.first_created_at,
  ...(row.subject_root !== null && { subject_root: row.subject_root }),
  ...(row.subject_root_generation !== null && { subject_root_generation: row.subject_root_generation }),
  source_capability_id: row.source_capability_id,
  content_digest: row.content_digest,
  ...(row.proof_salt !== null && { proof_salt: row.proof_salt }),
  ...(row.withdrawn_by !== null && { withdrawn_by: row.withdrawn_by }),
});
