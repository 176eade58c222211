import type { SeenPayee } from '../../../listings/references/payees.ts';
import { factsOf } from '../kind.ts';
import type { DatedObservation } from '../observation.ts';
import { addressesOf, type Offer, type OffersSummary, offersSummary, toOffers } from './offer.ts';
import { isQuote, priceOffers } from './offers.ts';

type PaidOffer = SeenPayee['offers'][number];

const toPaid = (offers: readonly Offer[]) =>
  toOffers(
    offers.flatMap(({ amount, asset = '', network = '', scheme = '' }) =>
      amount ? [{ amount, asset, network, scheme }] : [],
    ),
  ) as PaidOffer[];

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
      as_of:
        facts
          .map((one) => one.observed_at)
          .sort()
          .at(-1) ?? '',
      first_seen_at,
      endpoints: facts.flatMap(({ subject }) => subject ?? []),
      offers: toPaid(some.flatMap(({ offers }) => offers)),
    };
  });
}

/** Also what stands for addresses that are not named. */
export const payeesIn = ({ payees, all_payees, varies = [] }: OffersSummary): string[] => [
  ...new Set([
    ...payees.map(({ address }) => address),
    ...(all_payees ? [all_payees.sha256] : []),
    ...varies,
  ]),
];

export const pricesIn = ({ offers, count }: OffersSummary): string[] => [
  ...new Set(offers.map(({ pays: _, ...price }) => JSON.stringify(price))),
  ...(count > offers.length ? [String(count)] : []),
];

/** As far as the kept changes show it. */
export function heldSince(
  one: Pick<DatedObservation, 'value' | 'first_seen_at' | 'changed_from' | 'earlier_changes'>,
  partOf: (value: OffersSummary) => readonly string[],
): { readonly since: string; readonly until?: string } {
  const textOf = (value: unknown) => {
    const { data } = offersSummary.safeParse(value);
    return data && partOf(data).join('\n');
  };
  const text = textOf(one.value);
  const { changed_from } = one;
  const all = [...(one.earlier_changes ?? []), ...(changed_from ? [{ ...one, changed_from }] : [])];
  let since = one.first_seen_at;
  for (const change of all.toSorted((a, b) => (a.first_seen_at < b.first_seen_at ? 1 : -1))) {
    const { value, first_seen_at, changed_from: before } = change;
    if (textOf(value) !== text) break;
    if (first_seen_at < since) since = first_seen_at;
    if (textOf(before.value) !== text)
      return { since, ...(before.value !== null && { until: before.seen_until }) };
    if (before.seen_until < since) since = before.seen_until;
  }
  return { since };
}
