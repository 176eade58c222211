import type { Offer } from '../kinds/price/offer.ts';
import { isWithinLimit, readPriceLimit } from '../kinds/price/price-limit.ts';
import type { Observation } from '../observation/observation.ts';
import {
  type ComparedListing,
  type Criterion,
  decided,
  type Finding,
  observedFinding,
  plainCriterion,
  priceCriterion,
  unseenFinding,
} from './criterion.ts';

const evidence = 'observed';
/** Kinds that state amounts. */
const amounts = ['price.challenge', 'price.tool', 'price.openapi', 'price.catalog'];
const pricedStates: readonly Observation['state'][] = ['quoted', 'advertised', 'stated_by_publisher'];

const isPriced = ({ state }: Observation) => pricedStates.includes(state);

/** What was observed of prices: the one with a price first, then the one of the endpoint itself. */
function pricesOf({ listing: { observations } }: ComparedListing) {
  const found = observations.filter(({ kind }) => amounts.includes(kind));
  const challenges = found.filter(({ kind }) => kind === 'price.challenge');
  return { priced: found.filter(isPriced), challenges };
}

const pricedFacts: Readonly<Record<string, string>> = {
  'price.challenge': 'The endpoint quoted Dossier a price.',
  'price.tool': 'Tools in the endpoint’s list state prices.',
  'price.openapi': 'The OpenAPI document of the endpoint’s host advertises prices.',
  'price.catalog': 'A catalogue of prices lists the endpoint.',
};

/** The answer where no price was seen: that none was, or why Dossier could not see one. */
function withoutPrice(compared: ComparedListing, seenNone: Finding['result']): Finding {
  const { challenges } = pricesOf(compared);
  const stopped = challenges.find(({ state }) => state !== 'no_price_seen');
  const [first] = challenges;
  if (stopped || !first)
    return unseenFinding(compared, 'Dossier has not seen whether the endpoint quotes a price', stopped);
  return observedFinding(first, {
    result: seenNone,
    fact: 'Dossier saw no price; a call of a tool may still cost.',
  });
}

const priceKnown = plainCriterion({ evidence, label: 'A price was seen' }, (compared) => {
  const [first] = pricesOf(compared).priced;
  if (!first) return withoutPrice(compared, 'not_met');
  const recorded = first.value === null ? {} : { recorded: String(first.value) };
  return observedFinding(first, { result: 'met', fact: pricedFacts[first.kind] ?? '', ...recorded });
});

const noPaymentSeen = plainCriterion({ evidence, label: 'No request for a payment was seen' }, (compared) => {
  const [first] = pricesOf(compared).priced;
  return first
    ? observedFinding(first, { result: 'not_met', fact: pricedFacts[first.kind] ?? '' })
    : withoutPrice(compared, 'met');
});

const offersOf = ({ details }: Observation): readonly Offer[] =>
  Array.isArray(details?.offers) ? (details.offers as readonly Offer[]) : [];

const priceAtMost = priceCriterion({ evidence, label: 'Quotes at most {}' }, (compared, text) => {
  const limit = readPriceLimit(text);
  const { challenges } = pricesOf(compared);
  const quoted = challenges.filter(({ state }) => state === 'quoted');
  const [first] = quoted;
  if (!first || !limit) return withoutPrice(compared, 'unknown');
  const within = quoted.flatMap(offersOf).map((offer) => isWithinLimit(offer, limit));
  const known = within.filter((one) => one !== undefined);
  if (known.length === 0)
    return observedFinding(first, {
      result: 'unknown',
      fact: 'The endpoint quotes no price in this asset.',
      recorded: String(first.value),
    });
  const isMet = known.includes(true);
  return observedFinding(first, {
    result: decided(isMet),
    fact: isMet
      ? `A quoted offer in this asset asks for at most ${text}.`
      : `Every quoted offer in this asset asks for more than ${text}.`,
    recorded: String(first.value),
  });
});

/** Criteria judged by the prices that Dossier saw. */
export const priceCriteria = {
  price_known: priceKnown,
  price_at_most: priceAtMost,
  no_payment_seen: noPaymentSeen,
} as const satisfies Record<string, Criterion>;
