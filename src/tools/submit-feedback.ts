import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { Problem, wrongField } from '../core/problem.ts';
import { cleanText, day_ms, day_s } from '../core/text.ts';
import { isFirstToday } from '../limits/limit.ts';
import type { ListingTransaction } from '../listings/schema.ts';
import { type Feedback, reportCategory } from '../moderation/moderation.ts';
import { requireMayWrite } from '../moderation/require-may-write.ts';
import { findListing } from './find/listing.ts';
import { handleInput } from './input/fields.ts';
import { defineTool } from './tool.ts';

/** In 24 hours. */
const mostPerDay = 2000;
/** Reserved for networks that have sent none today (UTC). */
const keptForOthers = 500;

async function requireFeedbackRoom(tx: ListingTransaction, context: Context): Promise<void> {
  const most = (await isFirstToday(tx, 'feedback', context)) ? mostPerDay : mostPerDay - keptForOthers;
  const received_at = await tx.feedback.receivedAt(most);
  const wait_ms = received_at ? Date.parse(received_at) + day_ms - context.clock().getTime() : 0;
  if (wait_ms > 0) throw new Problem('feedback_paused', { retry_after_s: Math.ceil(wait_ms / 1000) });
}

export const feedbackCategories = ['data', 'search', 'claim', 'rating', reportCategory, 'other'] as const;

const input = z.strictObject({
  message: z
    .string()
    .min(1)
    .max(4000)
    .refine((text) => text === '' || cleanText(text).text.trim() !== '', 'must contain visible text'),
  category: z.enum(feedbackCategories).optional(),
  handle: handleInput.optional(),
  rating_id: z.string().max(64).optional(),
  looking_for: z.string().max(500).optional(),
  found_it: z.boolean().optional(),
  contact: z.string().max(200).optional().describe('Only if you want an answer'),
});

async function findTarget({ category, handle, rating_id }: z.output<typeof input>, context: Context) {
  if (category === reportCategory && handle === undefined && rating_id === undefined)
    throw wrongField('handle', 'or rating_id must name what a report is about');
  if (rating_id === undefined)
    return { handle: handle === undefined ? undefined : (await findListing(handle, context)).handle };
  const rating = await context.store.ratings.byId(rating_id);
  if (!rating) throw wrongField('rating_id', 'is not the id of a rating; list_ratings shows ids');
  if (handle !== undefined && handle !== rating.subject_handle)
    throw wrongField('rating_id', 'is the id of a rating about a listing other than the one in handle');
  return { handle: rating.subject_handle, rating_id };
}

const statements = {
  report: 'Received. Reports are private. A person reads them; a report changes nothing by itself.',
  other: 'Received. Feedback is private and changes no listing: a new version in its registry corrects it.',
} as const;

export const submitFeedback = defineTool({
  name: 'submit_feedback',
  title: 'Send private feedback',
  description:
    'Sends private feedback to the operator: wrong data, missing features, or (category report, with handle or rating_id) what should not be public. Changes no listing.',
  asked:
    'report, flag, fix, correct, edit, dispute or complain about a wrong, incorrect, inaccurate, misleading or outdated description or data in a listing; mistake, bug, abuse, complaint; remove a listing; suggest a feature; this entry is spam; contact the operator, operators, support of this directory',
  effects: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  bodyLimit_bytes: 8192,
  input,
  output: z.object({ id: z.string(), received_at: z.string(), statement: z.string() }),
  // Five an hour, three at once, twenty a day.
  networkLimits: [
    { name: 'feedback', burst: 3, refill_s: 2160 },
    { name: 'feedback_day', burst: 20, refill_s: day_s },
  ],
  example: { message: 'The description of this listing is out of date.', category: 'data' },
  async run(input, context) {
    const target = await findTarget(input, context);
    const received_at = context.clock().toISOString();
    const id = uuidv7();
    const clean = (text: string | undefined) => (text === undefined ? undefined : cleanText(text).text);
    await context.store.write(async (tx) => {
      await requireMayWrite({ ...context, store: tx });
      await requireFeedbackRoom(tx, context);
      await tx.feedback.add({
        id,
        received_at,
        state: 'open',
        category: input.category,
        ...target,
        message: cleanText(input.message).text,
        looking_for: clean(input.looking_for),
        found_it: input.found_it,
        contact: clean(input.contact),
      });
    });
    const statement = statements[input.category === reportCategory ? 'report' : 'other'];
    return { id, received_at, statement };
  },
});

/** With its state. */
export const readSent = (id: string, { store }: Pick<Context, 'store'>): Promise<Feedback | undefined> =>
  store.feedback.byId(id);
