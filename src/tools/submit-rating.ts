import { z } from 'zod';
import { authenticate } from '../claims/authenticate.ts';
import type { Context } from '../context.ts';
import { canonicalDigest, toLeaf } from '../evidence/log/leaf.ts';
import { cleanRating, type Rating, ratingContent, ratingFlags } from '../evidence/rating/rating.ts';
import { isInWindow, isSelfRating } from '../evidence/rating/rating-rules.ts';
import { takeLimits } from '../limits/shared.ts';
import { Problem } from '../problem.ts';
import type { Transaction } from '../store/store.ts';
import { requireHandle } from './support/find-listing.ts';
import { handleInput } from './support/inputs.ts';
import { requireAmendable } from './support/rating-amendment.ts';
import { reciprocalSince, type Submission, toRating, toRecord } from './support/rating-record.ts';
import { defineTool } from './tool.ts';

const output = z.object({
  rating_id: z.string(),
  status: z.enum(['created', 'replayed', 'amended']),
  independent: z.boolean(),
  flags: z.array(z.enum(ratingFlags)),
  created_at: z.string(),
  log_index: z.int(),
  statement: z.string(),
});
type Output = z.input<typeof output>;

/** Ratings of one capability: 60 an hour and 20 at once, 300 a day, 10 a day about one subject. */
const limits = {
  hour: { name: 'rating', burst: 20, refill_s: 1200 },
  day: { name: 'rating_day', burst: 300, refill_s: 86_400 },
  subject: { name: 'rating_subject', burst: 10, refill_s: 86_400 },
} as const;

/** Taken in the same transaction as the record: replays and refusals cost nothing, a limited rating leaves no trace. */
const takeRating = (tx: Transaction, { capability: { id }, handle }: Submission, context: Context) =>
  takeLimits(
    tx,
    [
      { limit: limits.subject, key: `${id} ${handle}` },
      { limit: limits.hour, key: id },
      { limit: limits.day, key: id },
    ],
    context,
  );

const toAnswer = (rating: Rating, status: Output['status']): Output => ({
  rating_id: rating.id,
  status,
  independent: rating.independent,
  flags: rating.flags,
  created_at: rating.created_at,
  log_index: rating.log_index,
  statement: 'Recorded as one sourced signal. It is shown with its source, and is never a final verdict.',
});

const interactionTime = z.iso.datetime({ offset: true });

/** The time of an interaction in UTC; throws invalid_input unless it is an RFC 3339 time. */
function toInteractionTime(text: string): string {
  if (!interactionTime.safeParse(text).success) {
    const message = 'an RFC 3339 time, for example 2026-11-21T10:00:00Z';
    throw new Problem('invalid_input', {
      fields: [{ field: 'interaction_at', message }],
      detail: `interaction_at: ${message}.`,
    });
  }
  return new Date(text).toISOString();
}

/** The two listings of a rating; undefined if no listing has the rated handle. Throws unless the source may rate it. */
async function readSides(tx: Transaction, { capability, handle, now }: Submission) {
  const sides = await tx.ratings.sides(capability.hash, handle, reciprocalSince(now));
  if (sides?.capability_state !== 'active') throw new Problem('capability_suspended');
  const { subject } = sides;
  if (!subject) return undefined;
  if (subject.withdrawn) throw new Problem('listing_withdrawn');
  if (isSelfRating(sides.source, subject)) throw new Problem('self_rating');
  return { ...sides, subject };
}

/** Throws if the interaction has a current rating already, or was outside the window. */
function requireNew({ content, now }: Submission, same: Rating | undefined): void {
  if (same) throw new Problem('rating_exists');
  if (!isInWindow(new Date(content.interaction_at).getTime(), now.getTime()))
    throw new Problem('interaction_out_of_window');
}

async function record(
  tx: Transaction,
  submission: Submission,
  context: Context,
): Promise<Output | undefined> {
  const { handle, content, digest } = submission;
  const sides = await readSides(tx, submission);
  if (!sides) return undefined;
  const same = await tx.ratings.current(sides.source.handle, handle, content.interaction_id);
  if (same?.content_digest === digest) return toAnswer(same, 'replayed');
  const amended = content.supersedes ? await requireAmendable(tx, content.supersedes, submission) : undefined;
  if (!amended) requireNew(submission, same);
  await takeRating(tx, submission, context);
  const made = toRecord(submission, sides);
  const log_index = await tx.log.append(toLeaf(amended ? 'rating.amended' : 'rating.submitted', made));
  const rating = toRating(made, submission, log_index);
  if (amended) await tx.ratings.end(amended.id, { superseded_by: rating.id });
  await tx.ratings.insert(rating);
  await tx.listings.reindex(handle);
  return toAnswer(rating, amended ? 'amended' : 'created');
}

/** Records one sourced signal about another listing, by the capability of a claimed one. */
export const submitRating = defineTool({
  name: 'submit_rating',
  title: 'Rate a listing after an interaction',
  description:
    'Adds one sourced signal to a listing after a real interaction with it. Use it once per interaction, with your own claimed listing’s capability in the Authorization or X-Agent-Capability header, never in an argument. Do not use it for hearsay, for your own listing, or without an interaction. The same interaction and content again returns the same record. Never a final verdict.',
  effects: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  needsCapability: true,
  input: z.strictObject({ handle: handleInput, ...ratingContent.shape }),
  output,
  ownLimits: Object.values(limits),
  example: {
    handle: 'co.webhook/webhook',
    interaction_id: 'run-2026-11-21-0001',
    interaction_at: '2026-11-21T10:00:00Z',
    outcome: 'succeeded',
    protocol: 'mcp',
    relationship: 'customer',
    score: 4,
  },
  async run({ handle, ...rating }, context) {
    const capability = await authenticate(context);
    requireHandle(handle);
    const now = context.clock();
    const interaction_at = toInteractionTime(rating.interaction_at);
    const content = cleanRating({ ...rating, interaction_at });
    const { supersedes: _, ...digested } = content;
    const submission = { capability, handle, content, digest: canonicalDigest(digested), now };
    const recorded = await context.store.write((tx) => record(tx, submission, context));
    if (recorded) return recorded;
    throw new Problem('unknown_subject', { near: await context.store.listings.near(handle, 5) });
  },
});
