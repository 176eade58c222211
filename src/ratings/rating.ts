import { z } from 'zod';
import { handleSchema } from '../core/handle.ts';
import { ownMember } from '../core/json.ts';
import { cleanText, code, day_ms, escapeMarks, list, paragraphs, toLine, toQuote } from '../core/text.ts';
import { type ModerationNotice, moderationNotice } from '../moderation/moderation.ts';
import { flagsMeaning, type RatingGroup, ratingFlags, ratingGroups } from './groups.ts';
import { kindAndValue, type ProofClass, proofClasses, toKindAndValue } from './proof.ts';

export const outcomes = ['succeeded', 'partial', 'failed', 'refused', 'unreachable'] as const;
const protocols = ['mcp', 'a2a', 'http', 'x402', 'other'] as const;
const relationships = ['none', 'customer', 'vendor', 'partner', 'paid_to_rate'] as const;
const relationshipMeaning = 'vendor: you sell it; partner: you earn from it';
const declaredMeaning =
  'As the source declares it, unchecked. none: no relation; customer: it buys from the rated service; vendor: it sells it; partner: it earns from it; paid_to_rate: it is paid for the rating. The last three set the rating apart';
const versionMeaning = 'Of the record';

const evidenceKinds = ['trace_id', 'receipt', 'commit', 'transcript_sha256', 'url'] as const;
const evidenceItem = z.object({
  kind: z.enum(evidenceKinds),
  value: z.string().min(1).max(512),
});

const contentFields = {
  interaction_id: z.string().regex(/^[A-Za-z0-9._:-]{1,128}$/),
  interaction_at: z.string().max(40),
  outcome: z.enum(outcomes),
  protocol: z.enum(protocols),
  operation: z.string().min(1).max(128).optional(),
  subject_version: z.string().min(1).max(255).optional(),
  score: z.int().min(1).max(5).optional(),
  latency_ms: z.int().min(0).max(day_ms).optional(),
  tags: z
    .array(z.string().regex(/^[a-z0-9-]{1,32}$/))
    .max(5)
    .optional(),
  comment: z.string().max(1000).optional(),
  evidence: z.array(evidenceItem).max(3).optional(),
  relationship: z.enum(relationships),
  supersedes: z.string().min(1).max(64).optional(),
};

export const ratingContent = z.object({
  ...contentFields,
  interaction_at: contentFields.interaction_at.meta({ format: 'date-time' }),
  evidence: z.array(kindAndValue(evidenceItem, evidenceKinds)).max(3).optional(),
  subject_version: contentFields.subject_version.describe(versionMeaning),
  score: contentFields.score.describe('5 is best'),
  relationship: contentFields.relationship.describe(relationshipMeaning),
});
export type SentContent = z.infer<typeof ratingContent>;
export type RatingContent = Omit<SentContent, 'evidence'> & {
  readonly evidence?: z.infer<typeof contentFields.evidence>;
};

/** Cleans free texts, and leaves out empty ones. */
export function cleanRating(sent: SentContent): RatingContent {
  const { comment, operation, subject_version, evidence, ...rest } = sent;
  const texts = {
    comment: cleanText(comment ?? '').text.trim(),
    operation: toLine(operation ?? ''),
    subject_version: toLine(subject_version ?? ''),
    evidence: (evidence ?? [])
      .map(toKindAndValue)
      .map(({ kind, value }) => ({ kind, value: toLine(value) }))
      .filter(({ value }) => value !== ''),
  };
  return { ...rest, ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text.length > 0)) };
}

const ratingResponse = z.object({
  text: z.string(),
  created_at: z.string(),
  log_index: z.int(),
  erased_at: z.string().optional(),
  hidden_at: z.string().optional().describe('Its text is hidden by the operator'),
  moderation: z.array(moderationNotice).optional(),
});
export type RatingResponse = z.infer<typeof ratingResponse>;

/** The texts come from the two listings. */
const ratingRecord = z.object({
  ...contentFields,
  interaction_id: contentFields.interaction_id.optional().describe('Absent if withdrawn, hidden or erased'),
  interaction_sha256: z.string().optional().describe('Hex; replaces the id in a withdrawn or hidden rating'),
  relationship: contentFields.relationship.describe(declaredMeaning),
  subject_version: contentFields.subject_version.describe(versionMeaning),
  rating_id: z.string(),
  subject_handle: handleSchema,
  source_handle: handleSchema,
  source_root: z.string().describe('The account or domain whose claim made it'),
  source_root_generation: z.int().describe('Counts the claims by that account or domain, from 0'),
  created_at: z.string(),
  proof_class: z.enum(proofClasses).describe('The proof that was checked at submission; it changes no group'),
  proof_commitment: z
    .string()
    .optional()
    .describe('Base64 of SHA-256(salt || proof); its source has the salt and the proof'),
  group: z.enum(ratingGroups).optional().describe('The first group that fits now; absent if not counted'),
  group_reason: z.string().optional(),
  flags: z.array(z.enum(ratingFlags)).optional().describe(flagsMeaning),
  overlap_stated_later: z
    .string()
    .optional()
    .describe('A statement that was read after the rating; it changes no group'),
  log_index: z.int(),
  superseded_by: z.string().optional().describe('The newer version; this one is not counted'),
  withdrawn_at: z.string().optional(),
  erased_at: z.string().optional(),
  hidden_at: z.string().optional().describe('Its texts are hidden by the operator; that changes no count'),
  voided_at: z.string().optional().describe('The operator counts it in no group'),
  moderation: z.array(moderationNotice).optional().describe('What the operator did, and why'),
  response: ratingResponse.optional().describe('By the rated listing'),
});
export type RatingRecord = z.infer<typeof ratingRecord>;

export const isCurrent = ({
  superseded_by,
  withdrawn_at,
  voided_at,
}: Pick<RatingRecord, 'superseded_by' | 'withdrawn_at' | 'voided_at'>): boolean =>
  superseded_by === undefined && withdrawn_at === undefined && voided_at === undefined;

export const shortRating = ratingRecord.omit({
  interaction_id: true,
  interaction_sha256: true,
  supersedes: true,
  superseded_by: true,
  subject_handle: true,
  source_root_generation: true,
  proof_commitment: true,
  protocol: true,
  operation: true,
  subject_version: true,
  latency_ms: true,
  tags: true,
  evidence: true,
});
export type ShortRating = z.infer<typeof shortRating>;

export type ShownRating = ShortRating & Partial<RatingRecord>;

const ratingCounts = z.object({
  ratings: z.int(),
  sources: z.int().describe('Distinct accounts and registrable domains that claimed a rating listing'),
  source_handles: z.int().describe('Distinct rating listings'),
  source_outcomes: z.record(z.enum(outcomes), z.int()).describe('Each source once, by its newest rating'),
  outcomes: z.record(z.enum(outcomes), z.int()),
  scores: z.record(z.enum(['1', '2', '3', '4', '5']), z.int()),
  by_proof: z.record(z.enum(proofClasses), z.int()).describe('By the class of proof that was checked'),
  last_at: z.string().optional(),
});
export type RatingCounts = z.infer<typeof ratingCounts>;

interface RatedAs {
  readonly outcome: RatingRecord['outcome'];
  readonly group: RatingGroup;
  readonly proof_class: ProofClass;
}
export type RatingFilter = Partial<RatedAs>;

export const nativeSignals = z.object({
  statement: z.string(),
  ratings: z.int(),
  ...(Object.fromEntries(ratingGroups.map((group) => [group, ratingCounts])) as Record<
    RatingGroup,
    typeof ratingCounts
  >),
  voided: z.int().describe('Ratings that the operator voided; in no group'),
  hidden: z.int().describe('Ratings whose texts the operator has hidden; that changes no count'),
  flags: z.record(z.string(), z.int()).describe('Ratings by every flag; one rating may have several'),
  proof_meanings: z
    .record(z.string(), z.string())
    .describe('What each counted class in by_proof shows and does not'),
  computed_score: z.null().describe('Always null: no score is computed'),
  recent: z.array(shortRating),
});

export type NativeSignals = z.infer<typeof nativeSignals>;

/** YYYY-MM in UTC. */
export type MonthCount = Omit<RatedAs, 'proof_class'> & { readonly month: string; readonly ratings: number };

/** Fewer ratings are not counted by month. */
export const monthsFrom = 10;

export const maxRatingsByMonth = 5000;

const monthsCounted = 12;

/** Up to that of a date (YYYY-MM-DD), as YYYY-MM, oldest first. */
export function monthsUntil(date: string): string[] {
  const [year = 0, month = 1] = date.split('-').map(Number);
  return Array.from({ length: monthsCounted }, (_, at) =>
    new Date(Date.UTC(year, month - monthsCounted + at, 1)).toISOString().slice(0, 7),
  );
}

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
    rating.subject_version && `record version ${toQuote(rating.subject_version)}`,
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
