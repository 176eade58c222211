import { z } from 'zod';
import { ownMember } from '../core/json.ts';
import { code, escapeMarks, list, paragraphs, toQuote } from '../core/text.ts';
import type { ModerationNotice } from '../moderation/moderation.ts';
import { type RatingRecord, type RatingResponse, ratingRecord, type ShownRating } from './rating.ts';

/** Left out of lists. */
const usual = {
  protocol: 'mcp',
  relationship: 'none',
  proof_class: 'none',
  source_root_generation: 0,
} as const;

const listedRating = ratingRecord
  .omit({ subject_handle: true })
  .partial({ protocol: true, relationship: true, proof_class: true, source_root_generation: true });
type ListedRating = z.infer<typeof listedRating>;

export const listedRatings = z.object({
  handle: z.string(),
  ratings: z.array(listedRating),
  group_reasons: z
    .record(z.string(), z.string())
    .describe('The reason for each group, for ratings without a group_reason of their own'),
});

/** Leaves out what is usual, `flags` that equal the group, and what the list states once. */
export function toListed(records: readonly ShownRating[]) {
  const group_reasons: Record<string, string> = {};
  const ratings = records.map((record) => {
    const { subject_handle: _, group_reason, flags, ...rest } = record;
    if (record.group && group_reason) group_reasons[record.group] ??= group_reason;
    const unusual = Object.entries(rest).filter(([name, value]) => value !== ownMember(usual, name));
    return {
      ...(Object.fromEntries(unusual) as ListedRating),
      ...(group_reason !== group_reasons[record.group ?? ''] && { group_reason }),
      ...(flags && flags.length > 1 && { flags }),
    };
  });
  return { ratings, group_reasons };
}

export const fromListed = ({
  handle,
  ratings,
  group_reasons,
}: z.infer<typeof listedRatings>): RatingRecord[] =>
  ratings.map((rating) => ({
    ...usual,
    subject_handle: handle,
    ...(rating.group && {
      flags: rating.group === 'independent' ? [] : [rating.group],
      group_reason: group_reasons[rating.group] ?? '',
    }),
    ...rating,
  }));

const present = (...parts: readonly (string | false | undefined)[]) => parts.filter(Boolean).join('; ');

const saidLine = ({ outcome, score, source_handle, source_root, ...rating }: ListedRating) =>
  `${outcome}${score === undefined ? '' : `, score ${score}`}, from ${code(source_handle)} (${code(source_root)}${rating.source_root_generation ? `, generation ${rating.source_root_generation}` : ''}${rating.relationship ? `; ${rating.relationship}` : ''}), made ${rating.created_at}${rating.comment ? `: ${toQuote(rating.comment)}` : ''}`;

const groupText = ({ group, group_reason, flags, overlap_stated_later }: ListedRating) =>
  present(
    group && `${group}${group_reason ? ` (${escapeMarks(group_reason)})` : ''}`,
    flags && `all groups that fit: ${flags.join(', ')}`,
    overlap_stated_later && escapeMarks(overlap_stated_later),
  );

const interactionName = ({ interaction_id, interaction_sha256: digest }: ListedRating) =>
  interaction_id === undefined ? digest && `(SHA-256 ${digest}) ` : `${code(interaction_id)} `;

const interactionLine = (rating: ListedRating) =>
  present(
    `interaction ${interactionName(rating) ?? ''}at ${rating.interaction_at}${rating.protocol ? `, ${rating.protocol}` : ''}`,
    rating.operation && `operation ${toQuote(rating.operation)}`,
    rating.subject_version && `version ${toQuote(rating.subject_version)}`,
    rating.latency_ms !== undefined && `${rating.latency_ms} ms`,
    rating.tags && `tags ${toQuote(rating.tags.join(', '))}`,
    rating.evidence &&
      `evidence ${rating.evidence.map(({ kind, value }) => `${kind} ${toQuote(value)}`).join(', ')}`,
    rating.proof_class && `proof ${rating.proof_class}`,
    rating.proof_commitment && `commitment ${rating.proof_commitment}`,
    `rating_id ${rating.rating_id}`,
    `log index ${rating.log_index}`,
  );

const lifeLine = ({ supersedes, superseded_by, ...ended }: ListedRating) =>
  present(
    supersedes && `supersedes ${supersedes}`,
    superseded_by && `superseded by ${superseded_by}, not counted`,
    ended.withdrawn_at && `withdrawn ${ended.withdrawn_at}, not counted`,
    ended.voided_at && `voided by the operator ${ended.voided_at}, not counted`,
    ended.erased_at && `texts erased by the operator ${ended.erased_at}`,
    ended.hidden_at && `texts hidden by the operator ${ended.hidden_at}`,
  );

const noticeLine = ({ action, reason, statement, at, log_index }: ModerationNotice) =>
  `${statement} (${action}, ${reason}, ${at}, log index ${log_index})`;

const responseLine = ({ text, created_at, log_index, ...ended }: RatingResponse) =>
  present(
    `Response of the rated listing, ${created_at}, log index ${log_index}${text ? `: ${toQuote(text)}` : ''}`,
    ended.erased_at && `erased by the operator ${ended.erased_at}`,
    ended.hidden_at && `hidden by the operator ${ended.hidden_at}`,
  );

const ratingLines = (rating: ListedRating) =>
  [
    saidLine(rating),
    present(groupText(rating), interactionLine(rating)),
    lifeLine(rating),
    ...(rating.moderation ?? []).map(noticeLine),
    rating.response && responseLine(rating.response),
    ...(rating.response?.moderation ?? []).map(noticeLine),
  ]
    .filter(Boolean)
    .join('\n  ');

export const ratingsText = (
  ratings: readonly ListedRating[],
  group_reasons: Readonly<Record<string, string>>,
) =>
  paragraphs(
    list(ratings, ratingLines),
    Object.keys(group_reasons).length > 0 &&
      `Groups: ${Object.entries(group_reasons)
        .map(([group, reason]) => `${group}: ${escapeMarks(reason)}`)
        .join(' ')}`,
  );
