import { z } from 'zod';
import { authenticate } from '../claims/authenticate.ts';
import { toLeaf } from '../evidence/log/leaf.ts';
import { cleanText } from '../evidence/text/sanitize.ts';
import { Problem } from '../problem.ts';
import type { RatingRow, Transaction } from '../store/store.ts';
import { requireLive, requireOwnRating } from './support/rating-amendment.ts';
import { defineTool } from './tool.ts';

async function withdraw(
  tx: Transaction,
  row: RatingRow,
  how: { withdrawn_at: string; withdrawn_reason: string | null },
) {
  if (row.withdrawn_at) return row.withdrawn_at;
  if (row.is_current === 0) throw new Problem('rating_not_current');
  await tx.log.append(toLeaf('rating.withdrawn', { id: row.id, ...how }));
  await tx.ratings.end(row.id, how);
  await tx.listings.reindex(row.subject_handle);
  return how.withdrawn_at;
}

/** Takes back one's own rating; a tombstone stays. */
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
    const capability = await authenticate(context);
    const withdrawn_reason = (reason && cleanText(reason).text.trim()) || null;
    const how = { withdrawn_at: context.clock().toISOString(), withdrawn_reason };
    const withdrawn_at = await context.store.write(async (tx) => {
      await requireLive(tx, capability);
      return withdraw(tx, await requireOwnRating(tx, rating_id, capability), how);
    });
    return { rating_id, status: 'withdrawn' as const, withdrawn_at };
  },
});
