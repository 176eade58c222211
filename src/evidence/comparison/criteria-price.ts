import { type Offer, offerText } from '../kinds/price/offer.ts';
import { isWithinLimit, readPriceLimit } from '../kinds/price/price-limit.ts';
import type { Observation } from '../observation/observation.ts';
import { endpointsOf, notForPackages, type RecordedEndpoint, unseenPriceOf } from './criteria-endpoint.ts';
import {
  type ComparedListing,
  type Criterion,
  decided,
  type Finding,
  observedFinding,
  plainCriterion,
  priceCriterion,
  unseenFinding,
  worstOf,
} from './criterion.ts';

const evidence = 'observed';
/** Kinds that state amounts. */
const amounts = ['price.challenge', 'price.tool', 'price.openapi', 'price.catalog'];
const pricedStates: readonly Observation['state'][] = ['quoted', 'advertised', 'stated_by_publisher'];

const isPriced = ({ state }: Observation) => pricedStates.includes(state);

/** The first price that was seen, at an endpoint, in its host's documents or in a catalogue. */
const pricedOf = ({ listing: { observations } }: ComparedListing) =>
  observations.find((one) => amounts.includes(one.kind) && isPriced(one));

const pricedFacts: Readonly<Record<string, string>> = {
  'price.challenge': 'The endpoint quoted Dossier a price.',
  'price.tool': 'Tools in the endpoint’s list state prices.',
  'price.openapi': 'The OpenAPI document of the endpoint’s host advertises prices.',
  'price.catalog': 'A catalogue of prices lists the endpoint.',
};

const noneToCompare = 'This endpoint quoted Dossier no price to compare; a call of a tool may still cost.';
const noPrice = 'Dossier saw no price; a call of a tool may still cost.';
const unreadable = 'The endpoint asked Dossier for a payment, in a form in which it could read no price.';
const unseen = 'Dossier has not seen whether the endpoint quotes a price';

/** The answer for one endpoint where no price was seen: that none was, or why Dossier could not see one. */
function withoutPrice(
  compared: ComparedListing,
  endpoint: RecordedEndpoint,
  seenNone: Finding['result'],
): Finding {
  const stopped = unseenPriceOf(endpoint);
  const challenge = endpoint.factOf('price.challenge');
  if (challenge?.state === 'unrecognised')
    return observedFinding(challenge, { result: 'unknown', fact: unreadable });
  if (stopped || !challenge)
    return unseenFinding(compared, unseen, typeof stopped === 'string' ? undefined : stopped);
  return observedFinding(challenge, { result: seenNone, fact: noPrice });
}

const ofEachEndpoint = (compared: ComparedListing, judge: (endpoint: RecordedEndpoint) => Finding): Finding =>
  worstOf(endpointsOf(compared).map(judge)) ?? notForPackages(compared);

const priceKnown = plainCriterion({ evidence, label: 'A price was seen' }, (compared) => {
  const first = pricedOf(compared);
  if (!first) {
    // Not met only if each endpoint was seen to ask for none.
    const found = endpointsOf(compared).map((endpoint) => withoutPrice(compared, endpoint, 'not_met'));
    return found.find(({ result }) => result === 'unknown') ?? found[0] ?? notForPackages(compared);
  }
  const recorded = first.value === null ? {} : { recorded: String(first.value) };
  return observedFinding(first, { result: 'met', fact: pricedFacts[first.kind] ?? '', ...recorded });
});

const noPaymentSeen = plainCriterion({ evidence, label: 'No request for a payment was seen' }, (compared) => {
  const first = pricedOf(compared);
  if (first) return observedFinding(first, { result: 'not_met', fact: pricedFacts[first.kind] ?? '' });
  return ofEachEndpoint(compared, (endpoint) => {
    const challenge = endpoint.factOf('price.challenge');
    return challenge?.state === 'unrecognised'
      ? observedFinding(challenge, { result: 'not_met', fact: 'The endpoint asked Dossier for a payment.' })
      : withoutPrice(compared, endpoint, 'met');
  });
});

const offersOf = ({ details }: Observation): readonly Offer[] =>
  Array.isArray(details?.offers) ? (details.offers as readonly Offer[]) : [];

const priceAtMost = priceCriterion({ evidence, label: 'Quotes at most {}' }, (compared, text) => {
  const limit = readPriceLimit(text);
  return ofEachEndpoint(compared, (endpoint) => {
    const challenge = endpoint.factOf('price.challenge');
    if (challenge?.state === 'no_price_seen')
      return observedFinding(challenge, { result: 'unknown', fact: noneToCompare });
    if (challenge?.state !== 'quoted' || !limit) return withoutPrice(compared, endpoint, 'unknown');
    const offers = offersOf(challenge).map((offer) => ({ offer, within: isWithinLimit(offer, limit) }));
    const comparable = offers.filter(({ within }) => within !== undefined);
    const decisive = comparable.find(({ within }) => within) ?? comparable[0];
    if (!decisive)
      return observedFinding(challenge, {
        result: 'unknown',
        fact: 'The endpoint quotes no price in this asset that Dossier has read.',
      });
    return observedFinding(challenge, {
      result: decided(decisive.within === true),
      fact: decisive.within
        ? `The endpoint quotes an offer of at most ${text}.`
        : `Every offer in this asset that Dossier has read asks for more than ${text}.`,
      recorded: offerText(decisive.offer),
    });
  });
});

/** Criteria judged by the prices that Dossier saw. */
export const priceCriteria = {
  price_known: priceKnown,
  price_at_most: priceAtMost,
  no_payment_seen: noPaymentSeen,
} as const satisfies Record<string, Criterion>;
