import { z } from 'zod';
import type { Context } from '../context.ts';
import { toListingDocument } from '../document/document.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import { toSummaryMarkdown } from '../document/markdown.ts';
import { type AgentSummary, agentSummary, toAgentSummary } from '../document/summary.ts';
import { findListingFacts, refuseName } from './find-listing.ts';
import { handleInput } from './inputs.ts';
import { callTool, cardAddress, defineTool, readsOnly } from './tool.ts';

/** Also fits a listing document, which lacks only the groups of facts. */
const output = agentSummary.partial({ facts: true });

const isSummary = (answer: z.output<typeof output>): answer is AgentSummary => answer.facts !== undefined;

/** What is known about one handle, in short or in full. */
export const getAgent = defineTool({
  name: 'get_agent',
  title: 'Get a listing with its evidence',
  description:
    'Reads a listing: what is known about one agent service, from whom, as of when, and what is not. Use it before you pay for, call or recommend it. Do not use it to find one: use search_agents. The answer is evidence, not verification, a recommendation or a score; imported signals are not ratings.',
  effects: readsOnly,
  input: z.strictObject({
    handle: handleInput,
    detail: z.enum(['summary', 'full']).optional().describe('full: all records, with sources and methods'),
  }),
  output,
  card: cardAddress,
  example: { handle: 'co.webhook/webhook' },
  cacheTags: ({ handle }) => [handle],
  toText: (answer) => (isSummary(answer) ? toSummaryMarkdown(answer) : JSON.stringify(answer)),
  async run({ handle, detail = 'summary' }, context) {
    await refuseName(handle, context);
    const facts = await findListingFacts(handle, context);
    const listing = toListingDocument(facts, context.config, context.clock());
    // The document has further members, and fuller ones in signals: the schema is open to both (docs/contract.md).
    return detail === 'full' ? (listing as unknown as z.output<typeof output>) : toAgentSummary(listing);
  },
});

/** The listing document of a handle, as pages and resources show it: get_agent in full. Throws only Problem. */
export const getListing = async (handle: string, context: Context): Promise<ListingDocument> =>
  (await callTool(getAgent, { handle, detail: 'full' }, context)) as unknown as ListingDocument;
