import { hash } from 'node:crypto';
import { z } from 'zod';
import { authenticate } from '../claims/authenticate.ts';
import { Problem } from '../core/problem.ts';
import { toLeaf } from '../log/leaf.ts';
import { requireLive, requireOwnRating } from '../ratings/record.ts';
import type { RatingTransaction } from '../ratings/schema.ts';
import type { Rating } from '../ratings/table.ts';
import { defineTool } from './tool.ts';

const input = z.strictObject({
  rating_id: z.string().max(64),
  reason: z.enum(['mistake', 'duplicate', 'outdated', 'other']).optional(),
  note: z.string().max(500).optional().describe('Stored only as a hash'),
});

/** No free text: an entry cannot be hidden from those who have read it. */
const toRecord = ({ rating_id, reason, note }: z.output<typeof input>, withdrawn_at: string) => ({
  id: rating_id,
  withdrawn_at,
  reason,
  note_sha256: note === undefined ? undefined : hash('sha256', note),
});

async function withdraw(tx: RatingTransaction, rating: Rating, record: ReturnType<typeof toRecord>) {
  if (rating.withdrawn_at) return rating.withdrawn_at;
  if (rating.superseded_by !== undefined) throw new Problem('rating_not_current');
  const { withdrawn_at } = record;
  const { subject_handle } = rating;
  const withdrawn_by = await tx.log.append(toLeaf('rating.withdrawn', { ...record, subject_handle }), {
    handle: subject_handle,
    at: withdrawn_at,
  });
  await tx.ratings.end(rating.id, { withdrawn_at, withdrawn_by });
  await tx.listings.reindex(subject_handle);
  return withdrawn_at;
}

export const withdrawRating = defineTool({
  name: 'withdraw_rating',
  title: 'Withdraw your rating',
  description:
    'Withdraws (removes, takes back) a rating that your listing submitted: it no longer counts, and stays listed without its texts. To change one, use submit_rating with supersedes. Needs the capability header.',
  effects: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  needsCapability: true,
  isListedToHolders: true,
  input,
  output: z.object({ rating_id: z.string(), status: z.literal('withdrawn'), withdrawn_at: z.string() }),
  example: { rating_id: '019aa5f2-0000-7000-8000-000000000000', reason: 'mistake' },
  async run(sent, context) {
    const capability = await authenticate(context, { isTakingBack: true });
    const record = toRecord(sent, context.clock().toISOString());
    const withdrawn_at = await context.store.write(async (tx) => {
      await requireLive(tx, capability, { context, isTakingBack: true });
      return withdraw(tx, await requireOwnRating(tx, sent.rating_id, capability), record);
    });
    return { rating_id: sent.rating_id, status: 'withdrawn' as const, withdrawn_at };
  },
});
