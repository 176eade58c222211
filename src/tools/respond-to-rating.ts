import { z } from 'zod';
import { authenticate } from '../claims/authenticate.ts';
import type { Capability } from '../claims/claim.ts';
import type { Context } from '../context.ts';
import { Problem } from '../core/problem.ts';
import { cleanText } from '../core/text.ts';
import { toLeaf } from '../log/leaf.ts';
import { isCurrent, type RatingResponse } from '../ratings/rating.ts';
import { requireLive, requireRating } from '../ratings/record.ts';
import type { RatingTransaction } from '../ratings/schema.ts';
import type { Rating } from '../ratings/table.ts';
import { defineTool } from './tool.ts';

const toPublished = (text: string) => cleanText(text).text.trim();

const input = z.strictObject({
  rating_id: z.string().max(64),
  text: z
    .string()
    .max(1000)
    .refine((text) => toPublished(text) !== '', 'must contain visible text'),
});

/** A listing that was claimed when it was rated must have the same claim now. */
async function requireReceived(tx: RatingTransaction, id: string, capability: Capability): Promise<Rating> {
  const rating = await requireRating(tx, id);
  if (rating.subject_handle !== capability.handle)
    throw new Problem('rating_not_yours', 'Only the rated listing can respond.');
  const { subject_root, subject_root_generation } = rating;
  const claim = await tx.claims.claim(capability.handle);
  const isHolder = claim?.root === subject_root && claim?.root_generation === subject_root_generation;
  if (subject_root !== undefined && !isHolder)
    throw new Problem(
      'rating_not_yours',
      `When the rating was made, this listing had a different claim, by ${subject_root}; only that claim can respond.`,
    );
  return rating;
}

async function respond(
  tx: RatingTransaction,
  rating: Rating,
  { text, created_at }: Pick<RatingResponse, 'text' | 'created_at'>,
) {
  const existing = await tx.ratings.response(rating.id);
  if (existing && existing.text !== text)
    throw new Problem('rating_exists', 'This rating already has a different response.');
  if (existing) return { status: 'replayed' as const, ...existing };
  if (!isCurrent(rating)) throw new Problem('rating_not_current');
  if (await tx.moderation.hiding(rating.subject_handle, rating.log_index))
    throw new Problem('rating_not_current', 'The operator hid this rating; list_ratings has the reason.');
  const record = { rating_id: rating.id, subject_handle: rating.subject_handle, text, created_at };
  const log_index = await tx.log.append(toLeaf('rating.responded', record), {
    handle: rating.subject_handle,
    at: created_at,
  });
  await tx.ratings.respond(rating, { text, created_at, log_index });
  return { status: 'created' as const, created_at, log_index };
}

/** On a page of a listing. Throws not_found, or rating_not_yours for a rating of another listing. */
export async function requireRated(handle: string, rating_id = '', { store }: Pick<Context, 'store'>) {
  const { subject_handle } = await requireRating(store, rating_id);
  if (subject_handle !== handle)
    throw new Problem('rating_not_yours', 'Respond on the page of the rated listing.');
}

export const respondToRating = defineTool({
  name: 'respond_to_rating',
  title: 'Respond to a rating of your listing',
  description:
    'Adds your one, final public answer to a rating that your own claimed listing received; no count changes. Use it to correct or explain. To reach the operator use submit_feedback. Needs the capability header.',
  effects: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  needsCapability: true,
  isListedToHolders: true,
  input,
  output: z.object({
    rating_id: z.string(),
    status: z.enum(['created', 'replayed']),
    created_at: z.string(),
    log_index: z.int(),
  }),
  example: { rating_id: '019aa5f2-0000-7000-8000-000000000000', text: 'Fixed in 1.4.1.' },
  async run({ rating_id, text }, context) {
    const capability = await authenticate(context);
    const response = { text: toPublished(text), created_at: context.clock().toISOString() };
    return context.store.write(async (tx) => {
      await requireLive(tx, capability, { context });
      const rating = await requireReceived(tx, rating_id, capability);
      const { status, created_at, log_index } = await respond(tx, rating, response);
      return { rating_id, status, created_at, log_index };
    });
  },
});
