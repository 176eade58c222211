import { z } from 'zod';
import { authenticate } from '../claims/capability/authenticate.ts';
import { toLeaf } from '../evidence/log/leaf.ts';
import { isCurrent, type Rating } from '../evidence/rating/rating.ts';
import { cleanText } from '../evidence/text/sanitize.ts';
import { Problem } from '../problem.ts';
import type { Transaction } from '../store/store.ts';
import { requireLive, requireOwnRating } from './support/rating-amendment.ts';
import { defineTool } from './tool.ts';

async function withdraw(
  tx: Transaction,
  rating: Rating,
  how: { withdrawn_at: string; withdrawn_reason: string | undefined },
) {
  if (rating.withdrawn_at) return rating.withdrawn_at;
  if (!isCurrent(rating)) throw new Problem('rating_not_current');
  const record = { id: rating.id, ...how, withdrawn_reason: how.withdrawn_reason ?? null };
  await tx.log.append(toLeaf('rating.withdrawn', record), {
    handle: rating.subject_handle,
    at: how.withdrawn_at,
  });
  await tx.ratings.end(rating.id, how);
  await tx.listings.reindex(rating.subject_handle);
  return how.withdrawn_at;
}

/** Withdraws the caller's own rating, which stays listed without its texts. */
export const withdrawRating = defineTool({
  name: 'withdraw_rating',
  title: 'Withdraw your rating',
  description:
    'Takes back a rating that your listing submitted; it stops counting, and tombstones without its texts stay. Use it when the rating was wrong. Do not use it to change one: use submit_rating with supersedes. Needs the capability header.',
  effects: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  needsCapability: true,
  input: z.strictObject({ rating_id: z.string().max(64), reason: z.string().max(500).optional() }),
  output: z.object({ rating_id: z.string(), status: z.literal('withdrawn'), withdrawn_at: z.string() }),
  example: { rating_id: '019aa5f2-0000-7000-8000-000000000000', reason: 'Wrong listing' },
  async run({ rating_id, reason }, context) {
    const withdrawn_reason = (reason && cleanText(reason).text.trim()) || undefined;
    // The log publishes the reason, and who is blocked publishes nothing more.
    const capability = await authenticate(context, { isTakingBack: withdrawn_reason === undefined });
    const how = { withdrawn_at: context.clock().toISOString(), withdrawn_reason };
    const withdrawn_at = await context.store.write(async (tx) => {
      await requireLive(tx, capability);
      return withdraw(tx, await requireOwnRating(tx, rating_id, capability), how);
    });
    return { rating_id, status: 'withdrawn' as const, withdrawn_at };
  },
});
