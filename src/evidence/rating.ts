import { z } from 'zod';
import { handleSchema } from './handle.ts';
import { cleanText, toLine } from './text.ts';

/** How an interaction ended, in the rater's words. */
export const outcomes = ['succeeded', 'partial', 'failed', 'refused', 'unreachable'] as const;
/** How the interaction was made. */
export const protocols = ['mcp', 'a2a', 'http', 'x402', 'other'] as const;
/** What the rater says of its relation to the subject. */
export const relationships = ['none', 'customer', 'vendor', 'partner', 'paid'] as const;
/** Computed facts about a rating; the first three move it from the independent to the related counts. */
export const ratingFlags = ['same_namespace', 'same_owner', 'same_host', 'reciprocal', 'new_source'] as const;

const evidenceItem = z.object({
  kind: z.enum(['trace_id', 'receipt', 'commit', 'transcript_sha256', 'url']),
  value: z.string().min(1).max(512),
});

/** What a rater sends besides the handle of the listing it rates (trust.md section 3). */
export const ratingContent = z.object({
  interaction_id: z
    .string()
    .regex(/^[A-Za-z0-9._:-]{1,128}$/)
    .describe(
      'Your own id of the interaction; the same id and content again is answered with the same record',
    ),
  interaction_at: z.string().max(40).describe('RFC 3339 time of the interaction, within the last 90 days'),
  outcome: z.enum(outcomes),
  protocol: z.enum(protocols),
  operation: z.string().min(1).max(128).optional().describe('The tool or operation that was called'),
  subject_version: z.string().min(1).max(255).optional().describe('Version of the rated listing'),
  score: z.int().min(1).max(5).optional(),
  latency_ms: z.int().min(0).max(86_400_000).optional(),
  tags: z
    .array(z.string().regex(/^[a-z0-9-]{1,32}$/))
    .max(5)
    .optional(),
  comment: z.string().max(1000).optional(),
  evidence: z.array(evidenceItem).max(3).optional().describe('Pointers for people who check; never fetched'),
  relationship: z.enum(relationships).describe('Your relation to the rated listing'),
  supersedes: z.string().min(1).max(64).optional().describe('Id of your rating that this one amends'),
});
export type RatingContent = z.infer<typeof ratingContent>;

/** The content as it is kept: every free text cleaned; one of which nothing is left counts as not sent. */
export function cleanRating(sent: RatingContent): RatingContent {
  const { comment, operation, subject_version, evidence, ...rest } = sent;
  const texts = {
    comment: cleanText(comment ?? '').text.trim(),
    operation: toLine(operation ?? ''),
    subject_version: toLine(subject_version ?? ''),
    evidence: (evidence ?? [])
      .map(({ kind, value }) => ({ kind, value: toLine(value) }))
      .filter(({ value }) => value !== ''),
  };
  return { ...rest, ...Object.fromEntries(Object.entries(texts).filter(([, kept]) => kept.length > 0)) };
}

/** A rating as anyone may read it. Texts in it were written by the source, not by this service. */
export const ratingRecord = ratingContent.extend({
  id: z.string(),
  subject_handle: handleSchema,
  source_handle: handleSchema,
  source_root: z.string().describe('Account that holds the source repository, as host/owner'),
  created_at: z.string(),
  flags: z.array(z.enum(ratingFlags)),
  independent: z.boolean().describe('false when namespace, owner or host is shared with the subject'),
  log_index: z.int(),
  superseded_by: z.string().optional(),
  withdrawn_at: z.string().optional(),
});
export type RatingRecord = z.infer<typeof ratingRecord>;

const countsOf = <T extends readonly string[]>(keys: T) =>
  z.object(Object.fromEntries(keys.map((key) => [key, z.int()])) as { [K in T[number]]: z.ZodInt });

/** Counts of one group of current ratings; never an average. */
export const ratingCounts = z.object({
  ratings: z.int(),
  sources: z.int().describe('Distinct rating listings'),
  control_roots: z.int().describe('Distinct accounts behind them'),
  outcomes: countsOf(outcomes),
  scores: countsOf(['1', '2', '3', '4', '5'] as const),
  last_at: z.string().optional(),
});
export type RatingCounts = z.infer<typeof ratingCounts>;
