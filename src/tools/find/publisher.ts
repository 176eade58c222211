import type { Context } from '../../context.ts';
import { dayText } from '../../core/text.ts';
import type { HitFacts } from '../../document/hit.ts';
import { toOwners } from '../../listings/references/name.ts';
import { factsOf } from '../../observations/known/kind.ts';
import { endpointAnswers } from '../../observations/known/kinds/endpoint.ts';
import { saidAs } from '../../observations/known/malware.ts';
import { costOf, priceOffers } from '../../observations/known/prices/offers.ts';
import { ratingGroups } from '../../ratings/groups.ts';
import { type Facet, toOwnerFacets } from '../../search/query.ts';

/** Of a namespace; or else of whoever holds the domain or the account, or has the name. */
export async function publisherFacet(name: string, { store }: Pick<Context, 'store'>): Promise<Facet> {
  const exact = `publisher:${name.toLowerCase()}` as const;
  const owned = toOwners(name.toLowerCase()).map(({ key }) => `owner:${key}` as const);
  for (const facet of [exact, ...owned, ...toOwnerFacets(name)]) {
    const [found] = await store.listings.list({
      facets: [facet],
      sort: 'published',
      after: undefined,
      limit: 1,
    });
    if (found) return facet;
  }
  return exact;
}

/** What counts a listing, with its time; none if it does not count. */
const timesOf = {
  checked: ({ observations }) => observations,
  answered: ({ observations }) =>
    factsOf(endpointAnswers, observations).filter(({ outcome }) => outcome === 'seen'),
  payment: ({ observations }) =>
    factsOf(priceOffers, observations).filter(({ value }) => value && costOf(value)),
  changed: ({ observations }) => observations.map((one) => ({ observed_at: one.changed_from?.seen_from })),
  malware: ({ observations }) => observations.filter((one) => saidAs([one], ['malware']).length > 0),
  rated: ({ native }) => ratingGroups.map((group) => ({ observed_at: native?.[group].last_at })),
} as const satisfies Record<
  string,
  (seen: Omit<HitFacts, 'listing'>) => readonly { readonly observed_at?: string | undefined }[]
>;

export type ObservedSum = Awaited<ReturnType<typeof readObservedSum>>;

/** Of all these listings: how many count, and the newest day (YYYY-MM-DD) on which one of them did. */
export async function readObservedSum(handles: readonly string[], { store, clock }: Context) {
  const found = await store.documents.hitsOf(handles, clock().toISOString());
  const seen = found.map(({ observations, native }) => ({
    observations: observations.filter(({ missed }) => missed === undefined),
    native,
  }));
  return Object.entries(timesOf).map(([name, times]) => {
    const each = seen.map((one) => times(one).flatMap(({ observed_at }) => observed_at ?? []));
    const last = each.flat().toSorted().at(-1);
    const listings = each.filter(({ length }) => length > 0).length;
    return { name: name as keyof typeof timesOf, listings, last: last && dayText(last) };
  });
}
