import { z } from 'zod';
import type { Context } from '../context.ts';
import { compareListing, criterionNames, type RequestedCriterion } from '../evidence/comparison/criteria.ts';
import { comparisonResults } from '../evidence/comparison/criterion.ts';
import { toListingDocument } from '../evidence/listing/document.ts';
import { sampleFlag } from '../evidence/listing/listing-document.ts';
import { Problem } from '../problem.ts';
import type { ProblemCode } from '../problem-table.ts';
import { criteriaInput, isUnique, toRequested } from './support/criteria-input.ts';
import { findListingFacts } from './support/find-listing.ts';
import { handleInput } from './support/inputs.ts';
import { toComparisonText } from './texts/comparison-text.ts';
import { cardAddress, defineTool, readsOnly } from './tool.ts';

const maxListings = 8;

const input = z.strictObject({
  handles: z.array(handleInput).min(2).max(maxListings).refine(isUnique, 'must name each listing once'),
  criteria: criteriaInput,
});

const answer = z.object({
  criterion: z.enum(criterionNames),
  value: z.union([z.string(), z.number()]).optional(),
  result: z.enum(comparisonResults),
  fact: z.string(),
  recorded: z.string().optional(),
  subject: z.string().optional(),
  source: z.string(),
  as_of: z.string(),
});

const comparedListing = z.object({
  handle: z.string(),
  description: z.string().optional(),
  sample: sampleFlag,
  imported: z.array(answer).optional(),
  observed: z.array(answer).optional(),
  native: z.array(answer).optional(),
  problem: z
    .object({ code: z.string(), message: z.string(), near: z.array(z.string()).optional() })
    .optional(),
});

const output = z.object({
  listings: z.array(comparedListing),
  statement: z.string(),
  untrusted_fields: z.array(z.string()),
});

/** One listing of a comparison: its results, or the problem with its handle. */
export type ComparedAgent = z.output<typeof comparedListing>;

/** Problems with one handle, which do not fail the whole comparison. */
const listingProblems: readonly ProblemCode[] = ['invalid_handle', 'unknown_handle', 'listing_withdrawn'];

function toProblemEntry(handle: string, error: unknown): ComparedAgent {
  if (!(error instanceof Problem) || !listingProblems.includes(error.code)) throw error;
  const { code, message, near } = error.toJSON();
  return { handle, problem: { code, message, ...(near && { near: [...near] }) } };
}

async function compareOne(
  handle: string,
  criteria: readonly RequestedCriterion[],
  context: Context,
): Promise<ComparedAgent> {
  try {
    const facts = await findListingFacts(handle, context);
    const listing = toListingDocument(facts, context.config, context.clock());
    const compared = { listing, now_ms: context.clock().getTime() };
    const { description, sample } = listing;
    return { handle, description, ...(sample && { sample }), ...compareListing(compared, criteria) };
  } catch (error) {
    return toProblemEntry(handle, error);
  }
}

/** Stands below every comparison. */
export const compareStatement =
  'Each criterion stands for itself; nothing is added up or ranked. What matters, and how much, is for the buyer to decide.';

/** Two to eight listings side by side, in the caller's order. A problem with one handle does not affect the others. */
export const compareAgents = defineTool({
  name: 'compare_agents',
  title: 'Compare listings side by side',
  description:
    'Holds 2 to 8 listings against criteria you pick: each result with fact, source and date. Use it to weigh candidates; for one listing use get_agent. Nothing is added up or ranked; unknown is not a no, met is not a recommendation.',
  effects: readsOnly,
  input,
  output,
  card: cardAddress,
  example: {
    handles: ['co.webhook/webhook', 'com.politicalcomms/api'],
    criteria: ['has_endpoint', 'updated_within_days:365'],
  },
  toText: toComparisonText,
  run: async ({ handles, criteria }, context) => ({
    listings: await Promise.all(handles.map((handle) => compareOne(handle, toRequested(criteria), context))),
    statement: compareStatement,
    untrusted_fields: [
      'listings.description',
      'listings.problem.near',
      'listings.imported.recorded',
      'listings.observed.recorded',
      'listings.observed.subject',
    ],
  }),
});
