import { z } from 'zod';
import { handleSchema } from '../core/handle.ts';
import { cleanText, day_ms, toLine } from '../core/text.ts';
import { moderationNotice } from '../moderation/moderation.ts';
import { flagsMeaning, type RatingGroup, ratingFlags, ratingGroups } from './groups.ts';
import { kindAndValue, toKindAndValue } from './kind-and-value.ts';
import { type ProofClass, proofClasses } from './proof.ts';

export const outcomes = ['succeeded', 'partial', 'failed', 'refused', 'unreachable'] as const;
const protocols = ['mcp', 'a2a', 'http', 'x402', 'other'] as const;
const relationships = ['none', 'customer', 'vendor', 'partner', 'paid_to_rate'] as const;
const relationshipMeaning = 'vendor: you sell it; partner: you earn from it';

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
export const ratingRecord = z.object({
  ...contentFields,
  interaction_id: contentFields.interaction_id.optional().describe('Absent if withdrawn, hidden or erased'),
  interaction_sha256: z.string().optional().describe('Hex; replaces the id in a withdrawn or hidden rating'),
  relationship: contentFields.relationship.describe(relationshipMeaning),
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

export interface RatingCell {
  readonly outcome: RatingRecord['outcome'];
  readonly group: RatingGroup;
  readonly proof_class: ProofClass;
  readonly ratings: number;
}

export type RatingFilter = Partial<Omit<RatingCell, 'ratings'>>;

const facets: Readonly<Record<keyof RatingFilter, readonly string[]>> = {
  outcome: outcomes,
  group: ratingGroups,
  proof_class: proofClasses,
};
const names = Object.keys(facets) as (keyof RatingFilter)[];

/** Among those that fit the other filters. */
export const ratingFacets = z.object({
  outcome: z.record(z.string(), z.int()),
  group: z.record(z.string(), z.int()),
  proof_class: z.record(z.string(), z.int()),
});

function countValues(name: keyof RatingFilter, cells: readonly RatingCell[], filter: RatingFilter) {
  const others = names.filter((other) => other !== name && filter[other] !== undefined);
  const matching = cells.filter((cell) => others.every((other) => cell[other] === filter[other]));
  const counts = facets[name].map((value): [string, number] => [
    value,
    matching.filter((cell) => cell[name] === value).reduce((sum, { ratings }) => sum + ratings, 0),
  ]);
  return Object.fromEntries(counts.filter(([, ratings]) => ratings > 0));
}

export const toRatingFacets = (cells: readonly RatingCell[], filter: RatingFilter) => ({
  outcome: countValues('outcome', cells, filter),
  group: countValues('group', cells, filter),
  proof_class: countValues('proof_class', cells, filter),
});

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
export type MonthCount = Pick<RatingCell, 'outcome' | 'group' | 'ratings'> & { readonly month: string };

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
