import { z } from 'zod';
import { toListingDocument } from '../evidence/listing/document.ts';
import { listingDocument } from '../evidence/listing/listing-document.ts';
import { findListingFacts } from './support/find-listing.ts';
import { handleInput } from './support/inputs.ts';
import { refuseName } from './support/near-names.ts';
import { cardAddress, defineTool, readsOnly } from './tool.ts';

/** The listing document of one handle. */
export const getAgent = defineTool({
  name: 'get_agent',
  title: 'Get a listing with its evidence',
  description:
    'Returns what is known about one agent service, from whom and as of when, and what is not known. Use it before you pay for, call or recommend a service. Do not use it to find one: use search_agents. The answer is evidence, not verification, not a recommendation and not a score; imported signals are not ratings.',
  effects: readsOnly,
  input: z.strictObject({ handle: handleInput }),
  output: listingDocument,
  card: cardAddress,
  example: { handle: 'co.webhook/webhook' },
  cacheTags: ({ handle }) => [handle],
  async run({ handle }, context) {
    await refuseName(handle, context);
    return toListingDocument(await findListingFacts(handle, context), context.config, context.clock());
  },
});
