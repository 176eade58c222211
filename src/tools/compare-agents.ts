import { z } from 'zod';
import type { Context } from '../context.ts';
import { Problem, type ProblemCode } from '../core/problem.ts';
import { code, lines, list, paragraphs, toInlineText, toQuote } from '../core/text.ts';
import { compareListing, criterionNames, type RequestedCriterion } from '../document/criteria.ts';
import { comparisonResults } from '../document/criterion.ts';
import { toListingDocument } from '../document/document.ts';
import { sampleFlag } from '../document/listing-document.ts';
import { findListingFacts } from './find-listing.ts';
import { criteriaInput, isUnique, namedInput, toRequested } from './inputs.ts';
import { closingText } from './texts.ts';
import { cardAddress, defineTool, readsOnly } from './tool.ts';

type Comparison = z.output<typeof output>;
type Answer = z.output<typeof answer>;

const sourceOf = ({ source, as_of }: Answer) => `${toInlineText(source)}, ${as_of}`;
const answersOf = ({ imported = [], observed = [], native = [] }: ComparedAgent) => [
  ...imported,
  ...observed,
  ...native,
];

/** A criterion's line; its source is a number that the foot of the text explains. */
const answerLine = (answer: Answer, sources: readonly string[]) =>
  `${answer.criterion}${answer.value === undefined ? '' : ` ${toInlineText(String(answer.value))}`}: ${answer.result}. ${toInlineText(answer.fact)}${answer.recorded ? ` Recorded: ${code(answer.recorded)}` : ''}${answer.subject ? ` Seen at ${code(answer.subject)}.` : ''} [${sources.indexOf(sourceOf(answer)) + 1}]`;

const handlesText = (label: string, handles: readonly string[] = []) =>
  handles.length > 0 ? `${label} ${handles.map(code).join(', ')}` : '';

function listingText(listing: ComparedAgent, sources: readonly string[]): string {
  const { handle, description, sample, problem } = listing;
  const said = description ? `: its publisher writes ${toQuote(description)}` : '';
  return lines(
    `${code(handle)}${sample ? ' (shipped sample)' : ''}${said}`,
    problem &&
      `${problem.code}: ${problem.message}${handlesText(' Near:', problem.near)}${handlesText(' Farther:', problem.others)}`,
    list(answersOf(listing), (answer) => answerLine(answer, sources)) || undefined,
  );
}

/** The answer of compare_agents as Markdown, with every source named once. */
function toComparisonText(answer: Comparison): string {
  const sources = [...new Set(answer.listings.flatMap(answersOf).map(sourceOf))];
  return paragraphs(
    ...answer.listings.map((listing) => listingText(listing, sources)),
    sources.length > 0 && `Sources: ${sources.map((source, at) => `[${at + 1}] ${source}`).join('; ')}`,
    answer.statement,
    closingText(answer),
  );
}

const maxListings = 8;

const input = z.strictObject({
  handles: z.array(namedInput).min(2).max(maxListings).refine(isUnique, 'must name each listing once'),
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
    .object({
      code: z.string(),
      message: z.string(),
      near: z.array(z.string()).optional(),
      others: z.array(z.string()).optional(),
    })
    .optional(),
});

const output = z.object({
  listings: z.array(comparedListing),
  statement: z.string(),
  untrusted_fields: z.array(z.string()),
});

/** One listing of a comparison: its results, or the problem with its handle. */
type ComparedAgent = z.output<typeof comparedListing>;

/** Problems with one handle, which do not fail the whole comparison. */
const listingProblems: readonly ProblemCode[] = [
  'invalid_handle',
  'unknown_handle',
  'several_listings',
  'listing_withdrawn',
];

function toProblemEntry(handle: string, error: unknown): ComparedAgent {
  if (!(error instanceof Problem) || !listingProblems.includes(error.code)) throw error;
  const { code, message, near, others, candidates } = error.toJSON();
  const meant = near ?? candidates?.map((one) => one.handle) ?? [];
  return {
    handle,
    problem: {
      code,
      message,
      ...(meant.length > 0 && { near: [...meant] }),
      ...(others && { others: [...others] }),
    },
  };
}

async function compareOne(
  named: string,
  criteria: readonly RequestedCriterion[],
  context: Parameters<typeof findListingFacts>[1],
): Promise<ComparedAgent> {
  try {
    const facts = await findListingFacts(named, context);
    const listing = toListingDocument(facts, context.config, context.clock());
    const compared = { listing, now_ms: context.clock().getTime() };
    const { handle, description, sample } = listing;
    return { handle, description, ...(sample && { sample }), ...compareListing(compared, criteria) };
  } catch (error) {
    return toProblemEntry(named, error);
  }
}

/** In the caller's order, each listing once; near handles, which are searched for, are those of the first unknown one. */
async function compareAll(
  handles: readonly string[],
  criteria: readonly RequestedCriterion[],
  context: Context,
): Promise<ComparedAgent[]> {
  const compared = await Promise.all(
    handles.map((handle) => compareOne(handle, criteria, { ...context, namesNear: false })),
  );
  const unknown = compared.findIndex(({ problem }) => problem?.code === 'unknown_handle');
  if (unknown >= 0) compared[unknown] = await compareOne(handles[unknown] ?? '', criteria, context);
  return compared.map((one, at) => {
    const first = compared.findIndex(({ handle, problem }) => !problem && handle === one.handle);
    if (one.problem || first === at) return one;
    const message = `This names the same listing as handles.${first}.`;
    return { handle: handles[at] ?? '', problem: { code: 'invalid_input', message } };
  });
}

export const compareStatement =
  'Each criterion stands for itself; nothing is added up or ranked. What matters, and how much, is for the buyer to decide.';

/** Two to eight listings side by side, in the caller's order. A problem with one handle does not affect the others. */
export const compareAgents = defineTool({
  name: 'compare_agents',
  title: 'Compare listings side by side',
  description:
    'Holds 2 to 8 services against criteria you pick (price, secrets, tools): each with fact, source and date. For one service use get_agent. Nothing is added up or ranked; unknown is not a no, met is no recommendation.',
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
    listings: await compareAll(handles, toRequested(criteria), context),
    statement: compareStatement,
    untrusted_fields: [
      'listings.description',
      'listings.problem.near',
      'listings.problem.others',
      'listings.imported.recorded',
      'listings.observed.recorded',
      'listings.observed.subject',
    ],
  }),
});
