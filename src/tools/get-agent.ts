import { z } from 'zod';
import { type Context, noteChange } from '../context.ts';
import { lines } from '../core/text.ts';
import { toMarkdown, wordsSchema } from '../core/words.ts';
import { agentAnswer, toAgentAnswer, toAgentText } from '../document/answers/agent-answer.ts';
import { toListingDocument } from '../document/document.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import type { ListingFacts } from '../document/record.ts';
import { isSample } from '../listings/listing.ts';
import { readTools } from '../observations/history.ts';
import { dueAt_ms } from '../observations/turns/schedule.ts';
import { askedVersion } from './find/asked-version.ts';
import { findNamed, readFacts } from './find/listing.ts';
import { namedInput, tagsOfNamed } from './input/fields.ts';
import { cardAddress, defineTool, readsOnly } from './tool.ts';

/** The listing document of a handle. Throws invalid_handle, unknown_handle or listing_withdrawn. */
export const getListing = async (handle: string, context: Context): Promise<ListingDocument> =>
  toListingDocument(await readFacts(handle, context), context.config, context.clock());

const readAgain = 'A check of this listing by Dossier waits or runs. Read it again in 10 seconds.';
const readAgain_ms = 10_000;
/** When a check that is due is asked for again, if the limits had no room or a crawler read. */
const tryAgain_ms = 60_000;

/** The same for somebody who reads it. */
export const readListing = async (handle: string, context: Context): Promise<ListingDocument> =>
  toReadDocument(await readFacts(handle, context), context);

/**
 * The document of what somebody reads: where its last check is too old, a new one is asked for, which is not
 * waited for, and said.
 */
export function toReadDocument(facts: ListingFacts, context: Context): ListingDocument {
  const { askedChecks, caller, config, clock } = context;
  const { listing, observed: { observed_at = null, due_since } = {} } = facts;
  const document = toListingDocument(facts, config, clock());
  if (!askedChecks.read || listing.hidden || isSample(listing)) return document;
  const last = { observed_at, due_since };
  const asked = { handle: listing.handle, remotes: listing.remotes, network: caller.network, ...last };
  const isAsked = !caller.isAutomatic && askedChecks.read(asked);
  const now_ms = clock().getTime();
  // What is answered from the cache asks for no check.
  const due_ms = Math.max(now_ms + tryAgain_ms, dueAt_ms(listing.handle, last, config.observeInterval_s));
  noteChange(context, isAsked ? now_ms + readAgain_ms : due_ms);
  return isAsked ? { ...document, being_checked: readAgain } : document;
}

/** The tools that the endpoints of a listing last listed to this service. Throws as `getListing` does. */
export async function readListedTools(handle: string, context: Context) {
  const { observed } = await readFacts(handle, context);
  return readTools(handle, observed?.observations ?? [], context);
}

/** What is known about one handle, in lines or in full. */
export const getAgent = defineTool({
  name: 'get_agent',
  title: 'Get a listing with its evidence',
  description:
    'Reads a listing, evidence before you install, connect or pay: who publishes an agent service, whether it answers, what it asks for, its tools, price and changes, from whom, as of when, and what is not known. To find one, use search_agents. The answer is evidence, not verification, a recommendation or a score; imported signals are not ratings.',
  effects: readsOnly,
  input: z.strictObject({
    handle: namedInput,
    detail: z.enum(['summary', 'full']).optional().describe('full: all facts'),
  }),
  output: agentAnswer.extend({
    version_asked: wordsSchema
      .optional()
      .describe('If another version of a package was asked for than the record names'),
    found_by: wordsSchema.optional().describe('If it was not found by its handle'),
  }),
  card: cardAddress,
  example: { handle: 'co.webhook/webhook' },
  cacheTags: tagsOfNamed,
  toText: (answer) =>
    lines(
      answer.version_asked && toMarkdown(answer.version_asked),
      answer.found_by && `Found as ${toMarkdown(answer.found_by)}.`,
      toAgentText(answer),
    ),
  async run({ handle, detail = 'summary' }, context) {
    const { handle: found, ...by } = await findNamed(handle, context);
    const listing = await readListing(found, context);
    const { untrusted_fields, ...answer } = toAgentAnswer(listing, detail);
    const version_asked = askedVersion(handle, { listing, observations: listing.observations });
    // As in the text, what limits the answer is before all that it says.
    return {
      ...(version_asked && { version_asked }),
      ...by,
      ...answer,
      untrusted_fields: [...(version_asked ? ['version_asked'] : []), ...untrusted_fields],
    };
  },
});
