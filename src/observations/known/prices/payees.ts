import { lastOf } from '../../../core/text.ts';
import type { SeenPayee } from '../../../listings/references/payees.ts';
import { factsOf } from '../kind.ts';
import type { DatedObservation } from '../observation.ts';
import { addressesOf, type Offer, toOffers } from './offer.ts';
import { isQuote, priceOffers } from './offers.ts';

const toPaid = (offers: readonly Offer[]) =>
  toOffers(
    offers.flatMap(({ amount, asset = '', network = '', scheme = '' }) =>
      amount ? [{ amount, asset, network, scheme }] : [],
    ),
  ) as SeenPayee['offers'][number][];

type PayeeObservation = Pick<
  DatedObservation,
  'kind' | 'subject' | 'value' | 'outcome' | 'observed_at' | 'first_seen_at'
>;

export const quotedPayees = <Fact extends PayeeObservation>(observations: readonly Fact[]) =>
  factsOf(priceOffers, observations)
    .filter((one) => one.outcome === 'seen' && isQuote(one))
    .map((fact) => ({ fact, payees: fact.value?.payees ?? [], offers: fact.value?.offers ?? [] }));

export function payeesOf(observations: readonly PayeeObservation[]): SeenPayee[] {
  const all = quotedPayees(observations).flatMap(({ fact, payees, offers }) =>
    payees.map(({ address, network }) => {
      const isPaid = (one: Offer) => one.network === network && addressesOf([one]).includes(address);
      return { address, network, fact, offers: offers.filter(isPaid) };
    }),
  );
  const byPlace = Map.groupBy(all, ({ address, network }) => `${network} ${address}`);
  return [...byPlace.values()].map((some) => {
    const { address = '', network = '' } = some[0] ?? {};
    const facts = some.map(({ fact }) => fact);
    const [first_seen_at = ''] = facts.map((one) => one.first_seen_at).sort();
    return {
      address,
      network,
      as_of: lastOf(facts.map((one) => one.observed_at)) ?? '',
      first_seen_at,
      endpoints: facts.flatMap(({ subject }) => subject ?? []),
      offers: toPaid(some.flatMap(({ offers }) => offers)),
    };
  });
}
