import { z } from 'zod';
import { type Context, noteChange } from '../../context.ts';
import { inTurns } from '../../core/turns.ts';
import { isEmpty, join, say, type Words, wordsSchema } from '../../core/words.ts';
import { toAnswer } from '../../document/answers/answers.ts';
import { type CriterionName, judge, whyWords } from '../../document/criteria/criteria.ts';
import { toListingDocument } from '../../document/document.ts';
import { type ListingFacts, nextChange_ms } from '../../document/record.ts';
import type { Facet } from '../../search/facets.ts';
import type { SearchQuery } from '../../search/query.ts';

export const leftOut = z.object({
  count: z
    .int()
    .describe(
      'Number of listings that match the words and all filters except those by facts about a service',
    ),
  capped: z.boolean(),
  best: z
    .array(z.object({ handle: z.string(), why: wordsSchema }))
    .describe('The first of these listings that a filter left out'),
});
export type LeftOut = z.infer<typeof leftOut>;

const mostBest = 3;

const criterionOf: Readonly<Partial<Record<Facet, CriterionName>>> = {
  'is:active': 'active',
  'is:without_secret': 'needs_no_secret',
  'has:endpoint': 'has_endpoint',
  'seen:answered': 'endpoint_observed_alive',
  'seen:no_payment_seen': 'no_payment_seen',
  'state:claimed': 'claimed',
};

function whyWithout(facts: ListingFacts, facets: readonly Facet[], { config, clock }: Context): Words {
  const asked = facets.flatMap((facet) => {
    const criterion = criterionOf[facet];
    return criterion ? [{ criterion }] : [];
  });
  const listing = toListingDocument(facts, config, clock());
  const answer = toAnswer(listing);
  const missing = judge(listing, asked, clock().getTime()).filter(({ result }) => result !== 'met');
  return join(
    missing.map((one) => whyWords(answer, one)),
    ' ',
  );
}

export async function findLeftOut(
  context: Context,
  search: SearchQuery,
  total: number,
): Promise<LeftOut | undefined> {
  const byFact = search.facets.filter((facet) => criterionOf[facet]);
  if (byFact.length === 0) return undefined;
  const others = search.facets.filter((facet) => !criterionOf[facet]);
  const { listings, documents } = context.store;
  const most = total + mostBest;
  const { hits, counts } = await listings.search({ ...search, facets: others, most });
  if (counts.total <= total) return undefined;
  const ids = hits.slice(0, most).map(({ id }) => id);
  const found = await documents.hitsById(ids, context.clock().toISOString());
  const without = found
    .map(({ listing: { handle, facets } }) => ({
      handle,
      facets: byFact.filter((facet) => !facets.includes(facet)),
    }))
    .filter(({ facets }) => facets.length > 0)
    .slice(0, mostBest);
  const now = context.clock().toISOString();
  const best = await inTurns(without, async ({ handle, facets }) => {
    // A listing may have been withdrawn since the search.
    const facts = await documents.facts(handle, now);
    if (!facts || facts.listing.withdrawn) return { handle, why: say`` };
    noteChange(context, nextChange_ms(facts, context));
    return { handle, why: whyWithout(facts, facets, context) };
  });
  return { count: counts.total, capped: counts.capped, best: best.filter(({ why }) => !isEmpty(why)) };
}
