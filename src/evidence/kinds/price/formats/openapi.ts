import { asObject, type JsonObject } from '../../../text/json-object.ts';
import { isIdentifier, isWholeNumber } from '../offer.ts';

/** One way to pay that an OpenAPI document states of an operation. */
export interface AdvertisedOffer {
  readonly intent?: string;
  readonly method?: string;
  /** A whole number of the currency's smallest unit; null: dynamic. */
  readonly amount: string | null;
  readonly currency?: string;
}

/** The offers of one operation, as `POST /search`. */
export interface PricedOperation {
  readonly operation: string;
  readonly offers: readonly AdvertisedOffer[];
}

const httpMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const mostOperations = 20;
const mostOffers = 5;

/** One offer; undefined if its amount is neither a whole number nor null. */
function toOffer(stated: unknown): AdvertisedOffer | undefined {
  const { intent, method, amount, currency } = asObject(stated) ?? {};
  if (amount !== null && !isWholeNumber(amount)) return undefined;
  return {
    ...(isIdentifier(intent) && { intent }),
    ...(isIdentifier(method) && { method }),
    amount,
    ...(isIdentifier(currency) && { currency }),
  };
}

/** `x-payment-info` has a list of offers, or is one. */
const toOffers = (info: JsonObject): AdvertisedOffer[] =>
  (Array.isArray(info.offers) ? info.offers.slice(0, mostOffers) : [info])
    .map(toOffer)
    .filter((offer) => offer !== undefined);

/** The operations of an OpenAPI document that state `x-payment-info`, at most twenty; those that cannot be read have no offers. */
export function pricedOperations(document: JsonObject): PricedOperation[] {
  const priced: PricedOperation[] = [];
  for (const [path, item] of Object.entries(asObject(document.paths) ?? {}))
    for (const method of httpMethods) {
      const info = asObject(asObject(asObject(item)?.[method])?.['x-payment-info']);
      if (!info || !isIdentifier(path)) continue;
      priced.push({ operation: `${method.toUpperCase()} ${path}`, offers: toOffers(info) });
      if (priced.length === mostOperations) return priced;
    }
  return priced;
}
