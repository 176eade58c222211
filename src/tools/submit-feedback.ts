import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { cleanText } from '../evidence/text/sanitize.ts';
import { Problem } from '../problem.ts';
import { findListing } from './support/find-listing.ts';
import { handleInput } from './support/inputs.ts';
import { defineTool } from './tool.ts';

/** What feedback can be about. */
export const feedbackCategories = ['data', 'search', 'claim', 'rating', 'abuse', 'other'] as const;

/** From all callers together, in 24 hours (docs/trust.md section 5). */
const maxPerDay = 2000;
const oneDayBefore = (time: string) => new Date(Date.parse(time) - 86_400_000).toISOString();

/** Private feedback to the operator, without any public effect. */
export const submitFeedback = defineTool({
  name: 'submit_feedback',
  title: 'Send private feedback',
  description:
    'Sends private feedback about this directory or a listing to its operator. No account needed. Use it for wrong data or missing features. Not a rating: it is never shown and has no effect on any listing; to rate, use submit_rating.',
  effects: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  bodyLimit_bytes: 8192,
  input: z.strictObject({
    message: z.string().min(1).max(4000),
    category: z.enum(feedbackCategories).optional(),
    handle: handleInput.optional(),
    looking_for: z.string().max(500).optional(),
    found_it: z.boolean().optional(),
    contact: z.string().max(200).optional().describe('Only if you want an answer'),
  }),
  output: z.object({ id: z.string(), received_at: z.string(), statement: z.string() }),
  // Five an hour, three at once.
  networkLimits: [{ name: 'feedback', burst: 3, refill_s: 2160 }],
  example: { message: 'The description of this listing is out of date.', category: 'data' },
  async run(input, context) {
    if (input.handle !== undefined) await findListing(input.handle, context);
    const received_at = context.clock().toISOString();
    const id = uuidv7();
    const clean = (text: string | undefined) => (text === undefined ? undefined : cleanText(text).text);
    await context.store.write(async (tx) => {
      if ((await tx.feedback.countSince(oneDayBefore(received_at))) >= maxPerDay)
        throw new Problem('feedback_paused');
      await tx.feedback.add({
        id,
        received_at,
        state: 'open',
        category: input.category,
        handle: input.handle,
        message: cleanText(input.message).text,
        looking_for: clean(input.looking_for),
        found_it: input.found_it,
        contact: clean(input.contact),
      });
    });
    return { id, received_at, statement: 'Received. Feedback is private and changes no listing.' };
  },
});
