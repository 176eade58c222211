import type { SeenPayee } from '../listings/references/payees.ts';
import { factsOf } from './kind.ts';
import { priceChallenge } from './kinds/prices/offer.ts';
import { offersWithPayees, toPaidOffers } from './kinds/prices/offers.ts';
import { pricePayTo, readPayees } from './kinds/prices/pay-to.ts';
import type { DatedObservation } from './observation.ts';

const joinPayees = (one: SeenPayee, other: SeenPayee): SeenPayee => ({
  ...one,
  as_of: one.as_of > other.as_of ? one.as_of : other.as_of,
  first_seen_at: one.first_seen_at < other.first_seen_at ? one.first_seen_at : other.first_seen_at,
  endpoints: [...one.endpoints, ...other.endpoints],
  offers: toPaidOffers([...one.offers, ...other.offers]),
});

type PayeeObservation = Pick<
  DatedObservation,
  'kind' | 'subject' | 'value' | 'details' | 'outcome' | 'observed_at' | 'first_seen_at'
>;

/** Each payee is listed once for each network of its offers. */
export function payeesOf(observations: readonly PayeeObservation[]): SeenPayee[] {
  const quotes = factsOf(priceChallenge, observations);
  const all = factsOf(pricePayTo, observations)
    .filter(({ outcome }) => outcome === 'seen')
    .flatMap(({ value, subject, observed_at: as_of, first_seen_at }) => {
      const quote = quotes.find((one) => one.subject === subject);
      const seen = { as_of, first_seen_at, endpoints: subject === undefined ? [] : [subject] };
      return readPayees(value).flatMap((address) => {
        const to = quote ? offersWithPayees(quote).filter(({ pay_to }) => pay_to === address) : [];
        const paid = to.map(({ pay_to: _, ...offer }) => offer);
        const offers = [...Map.groupBy(paid, ({ network }) => network)];
        // If there are many offers, some are not stored. A payee that is named only by an offer that is not
        // stored has no network.
        return (offers.length > 0 ? offers : [['', []] as const]).map(([network, of]) => ({
          ...seen,
          address,
          network,
          offers: of,
        }));
      });
    });
  const byPlace = Map.groupBy(all, ({ address, network }) => `${network} ${address}`);
  return [...byPlace.values()].flatMap(([first, ...others]) =>
    first ? others.reduce(joinPayees, first) : [],
  );
}
