import type { Fetched } from '../../observation/answer.ts';
import { defineKind } from '../../observation/kind.ts';
import type { Finding } from '../../observation/observation.ts';
import { readObject } from '../../text/json-object.ts';
import { ofPlaces, perOrigin, wellKnown } from '../remotes.ts';
import { type AdvertisedOffer, type PricedOperation, pricedOperations } from './formats/openapi.ts';

const offerText = ({ amount, currency, method, intent }: AdvertisedOffer) =>
  `${amount ?? 'dynamic'}${currency ? ` of ${currency}` : ''}${method ? ` on ${method}` : ''}${intent ? ` (${intent})` : ''}`;

/** What the first operation with a readable offer costs, and how many more there are. */
function toValue(priced: readonly PricedOperation[]): string | null {
  const readable = priced.filter(({ offers }) => offers.length > 0);
  const [first] = readable;
  const [offer] = first?.offers ?? [];
  if (!first || !offer) return null;
  const more = readable.length > 1 ? `; ${readable.length - 1} more` : '';
  return `${first.operation}: ${offerText(offer)}${more}`;
}

type Found = Pick<Finding, 'value' | 'state' | 'reason' | 'details'>;

function read({ text }: Fetched): Found | undefined {
  const document = readObject(text);
  if (typeof document?.openapi !== 'string') return undefined;
  const priced = pricedOperations(document);
  if (priced.length === 0)
    return {
      value: null,
      state: 'no_price_seen',
      reason: 'No operation of the OpenAPI document states x-payment-info.',
    };
  const value = toValue(priced);
  if (value !== null) return { value, state: 'advertised', details: { operations: priced } };
  const reason = 'The OpenAPI document states x-payment-info in a form that Dossier does not know.';
  return { value, state: 'unrecognised', reason };
}

/** The prices in the OpenAPI document of an endpoint's origin. */
export const priceOpenapi = defineKind({
  kind: 'price.openapi',
  question: 'price',
  title: 'Prices in its OpenAPI document',
  means:
    'What /openapi.json at the origin of the endpoint advertises for its operations (x-payment-info), as stated there: an amount of the currency’s smallest unit, or dynamic.',
  doesNotMean: 'An advertised price is not what a call is charged; the answer to a call decides.',
  method_version: 'price/1',
  about: perOrigin,
  isOptional: true,
  check: (look) =>
    ofPlaces(look, wellKnown(look.listing, '/openapi.json'), { what: 'OpenAPI document', toFinding: read }),
});
