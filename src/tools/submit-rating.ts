import { z } from 'zod';
import { authenticate, findRefusal } from '../claims/authenticate.ts';
import type { Context } from '../context.ts';
import { requireHandle } from '../core/handle.ts';
import { Holder } from '../core/identity.ts';
import { Problem, wrongField } from '../core/problem.ts';
import { day_s } from '../core/text.ts';
import { takeLimits } from '../limits/limit.ts';
import { canonicalDigest, toLeaf } from '../log/leaf.ts';
import { flagsMeaning, groupOf, ratingFlags, ratingGroups } from '../ratings/groups.ts';
import { proofClasses, proofInput, toKindAndValue } from '../ratings/proof.ts';
import { cleanRating, isCurrent, ratingContent } from '../ratings/rating.ts';
import {
  checkProof,
  judgeBasis,
  requireAmendable,
  requireAmendmentLeft,
  requireLive,
  requireSameRoot,
  type Sides,
  type Submission,
  spendProof,
  toRating,
  toRecord,
} from '../ratings/record.ts';
import { isInWindow, isSelfRating } from '../ratings/rules.ts';
import type { RatingTransaction } from '../ratings/schema.ts';
import type { Rating } from '../ratings/table.ts';
import { handleInput } from './input/fields.ts';
import { defineTool } from './tool.ts';

const output = z.object({
  rating_id: z.string(),
  status: z.enum(['created', 'replayed', 'amended']),
  group: z.enum(ratingGroups).describe('The group in which the rating counts now'),
  group_reason: z.string(),
  flags: z.array(z.enum(ratingFlags)).describe(flagsMeaning),
  proof_class: z.enum(proofClasses),
  proof_salt: z.string().optional().describe('With your proof, opens proof_commitment of the record'),
  created_at: z.string(),
  log_index: z.int(),
  statement: z.string(),
});
type Output = z.input<typeof output>;

/** For all hosts of one service, such as `*.vercel.app`, so that one cannot keep the others from rating. */
const hostsTogether = 16;

/** Of one holder: 60 an hour and 20 at once, 300 a day, 10 a day about one subject. */
const limits = {
  hour: { name: 'rating', burst: 20, refill_s: 1200 },
  day: { name: 'rating_day', burst: 300, refill_s: day_s },
  subject: { name: 'rating_subject', burst: 10, refill_s: day_s },
} as const;

/** In one transaction with the rating, so that a refused one does not count. */
function takeRating(tx: RatingTransaction, { source, subject }: Sides, context: Context) {
  const { id, counted } = new Holder(source.claim.root);
  const keys = new Set([id, counted]);
  const calls = [...keys].flatMap((key, at) => {
    const times = at === 0 ? 1 : hostsTogether;
    return [
      { limit: limits.subject, key: `${key} ${subject.handle}`, times },
      { limit: limits.hour, key, times },
      { limit: limits.day, key, times },
    ];
  });
  return takeLimits(tx, calls, context);
}

const toRatingAnswer = (rating: Rating, status: Output['status'], now: Date): Output => ({
  rating_id: rating.id,
  status,
  ...groupOf(rating, now.toISOString()),
  proof_class: rating.proof_class,
  ...(rating.proof_salt !== undefined && { proof_salt: rating.proof_salt }),
  created_at: rating.created_at,
  log_index: rating.log_index,
  statement: 'Recorded as one sourced signal. It is shown with its source, and is never a final verdict.',
});

const interactionTime = z.iso.datetime({ offset: true });

function toInteractionTime(text: string): string {
  if (!interactionTime.safeParse(text).success)
    throw wrongField('interaction_at', 'must be an RFC 3339 time, for example 2026-11-21T10:00:00Z');
  return new Date(text).toISOString();
}

async function readSides(tx: RatingTransaction, { capability, handle, now }: Submission) {
  const sides = await tx.ratings.sides(capability.hash, handle);
  const claim = sides?.source.claim;
  if (!sides || !claim?.isInForce || sides.source.withdrawn)
    throw (await findRefusal(tx, capability, now)) ?? new Problem('capability_suspended');
  const { source, subject } = sides;
  if (!subject) return undefined;
  if (subject.withdrawn) throw new Problem('listing_withdrawn');
  if (isSelfRating(source, subject)) throw new Problem('self_rating');
  return { ...sides, source: { ...source, claim }, subject };
}

function requireNew({ content, now }: Submission, versions: readonly Rating[]): void {
  if (versions.some(isCurrent)) throw new Problem('rating_exists');
  if (!isInWindow(new Date(content.interaction_at).getTime(), now.getTime()))
    throw new Problem('interaction_out_of_window');
}

/** Otherwise a new version would show the hidden text again. */
async function requireShown(tx: RatingTransaction, newest: Rating | undefined): Promise<void> {
  if (newest && (await tx.moderation.hiding(newest.subject_handle, newest.log_index)))
    throw new Problem('rating_exists', 'The operator hid it; list_ratings says why.');
}

/** Even if the voided rating was withdrawn or erased. */
async function requireNotVoided(tx: RatingTransaction, { capability, handle, content }: Submission) {
  if (await tx.ratings.isVoided(capability.handle, handle, content.interaction_id))
    throw new Problem(
      content.supersedes ? 'rating_not_current' : 'rating_exists',
      'The operator voided it; list_ratings says why.',
    );
}

async function requireAllowed(tx: RatingTransaction, submission: Submission, versions: readonly Rating[]) {
  const { supersedes } = submission.content;
  await requireNotVoided(tx, submission);
  await requireShown(tx, versions.at(-1));
  const amended = supersedes ? await requireAmendable(tx, supersedes, submission) : undefined;
  if (!amended) requireNew(submission, versions);
  requireAmendmentLeft(versions, submission.now);
  return amended;
}

async function record(tx: RatingTransaction, submission: Submission, context: Context) {
  const { handle, content, digest, now } = submission;
  await requireLive(tx, submission.capability, { context });
  const sides = await readSides(tx, submission);
  if (!sides) return undefined;
  const versions = await tx.ratings.versions(sides.source.handle, handle, content.interaction_id);
  for (const version of versions) requireSameRoot(version, sides.source.claim);
  const same = versions.find(isCurrent);
  if (same?.content_digest === digest) return toRatingAnswer(same, 'replayed', now);
  const amended = await requireAllowed(tx, submission, versions);
  await takeRating(tx, sides, context);
  const basis = await judgeBasis(tx, sides, { submission, earlier: versions });
  const made = toRecord(submission, sides);
  await spendProof(tx, submission, { id: made.id, versions });
  const type = amended ? 'rating.amended' : 'rating.submitted';
  const log_index = await tx.log.append(toLeaf(type, made));
  const rating = toRating(made, submission, { sides, basis, log_index });
  if (amended) await tx.ratings.end(amended.id, { superseded_by: rating.id });
  await tx.ratings.insert(rating);
  const reciprocal = await tx.ratings.settlePairs(rating);
  const answer = toRatingAnswer({ ...rating, reciprocal }, amended ? 'amended' : 'created', now);
  const data = { log_index, source: made.source_handle, outcome: made.outcome, group: answer.group };
  await tx.changes.add([{ type, handle, at: made.created_at, data }]);
  await tx.listings.reindex(handle);
  return answer;
}

export const submitRating = defineTool({
  name: 'submit_rating',
  title: 'Rate a listing after an interaction',
  description:
    'Rates an MCP server after an interaction, failed or not; never on hearsay. Needs a capability.',
  asked:
    'rate or leave, write, post, submit a review of a tool I used, give stars to a server or for an MCP server or service after using it; warn others, complain, the service or agent failed, cheated me, scammed, never delivered; good or bad experience, thank, praise',
  effects: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  needsCapability: true,
  input: z.strictObject({
    handle: handleInput,
    ...ratingContent.shape,
    proof: proofInput.optional(),
  }),
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
  async run({ handle, proof, ...rating }, context) {
    const capability = await authenticate(context);
    const sentProof = proof === undefined ? undefined : toKindAndValue(proof);
    requireHandle(handle);
    const now = context.clock();
    const interaction_at = toInteractionTime(rating.interaction_at);
    const content = cleanRating({ ...rating, interaction_at });
    const { supersedes: _, ...digested } = content;
    const checked = await checkProof(sentProof, { handle, sent: rating, capability }, context);
    const digest = canonicalDigest({ ...digested, proof: sentProof });
    const submission = { capability, handle, content, digest, proof: checked, now };
    const recorded = await context.store.write((tx) => record(tx, submission, context));
    if (recorded) return recorded;
    throw new Problem('unknown_subject', { near: (await context.store.listings.near(handle, 5)).near });
  },
});
