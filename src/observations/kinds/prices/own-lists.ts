import { asMembers, asObject, type JsonObject, readObject } from '../../../core/json.ts';
import { toLine } from '../../../core/text.ts';
import { own } from '../../../core/words.ts';
import { type Fetched, type NoAnswer, noAnswer } from '../../../net/answer.ts';
import type { EndpointAnswer } from '../../endpoint/conversation.ts';
import {
  besideAmong,
  digestOf,
  dollars,
  dynamic,
  isIdentifier,
  type Offer,
  type OffersSummary,
  statesOffers,
  toOffer,
} from '../../prices/offer.ts';
import type { RemoteFinding } from '../../remotes.ts';

type Read = RemoteFinding<OffersSummary> | NoAnswer;

const longestName = 200;
const toName = (text: string) => toLine(text).slice(0, longestName).toWellFormed();

const price = /^\$?(\d{1,20}(?:\.\d{1,20})?)$/;
/** A JavaScript number keeps all of at most this many digits. */
const mostDigits = 15;

function toDollars(stated: unknown): string | undefined {
  if (typeof stated === 'number') return stated >= 0 && Number.isFinite(stated) ? String(stated) : undefined;
  if (typeof stated !== 'string') return undefined;
  const amount = price.exec(stated)?.[1]?.replace(/\.0+$|(?<=\.\d*[1-9])0+$/, '');
  return amount !== undefined && amount.replace('.', '').length <= mostDigits
    ? String(Number(amount))
    : amount;
}

function toPriced({ name, _meta }: JsonObject): Offer[] {
  const { 'agents-x402/priceUSD': stated, 'agents-x402/paymentRequired': required } = asMembers(_meta);
  const of = { for: typeof name === 'string' ? toName(name) : '' };
  if (stated === undefined) return required ? [of] : [];
  if (stated === dynamic) return [{ ...of, amount: dynamic, asset: dollars }];
  const amount = toDollars(stated);
  return [
    { ...of, ...(amount === undefined ? { unreadable: digestOf(stated) } : { amount, asset: dollars }) },
  ];
}

const statesNone = (why: ReturnType<typeof own>) => ({ value: null, outcome: 'nothing' as const, why });

export function toolPrices({ list }: EndpointAnswer): Read {
  if (list.result !== 'listed') return list;
  const offers = list.members.flatMap(toPriced);
  const none = own('No tool in the list that Dossier read states a price in its _meta (agents-x402).');
  return offers.length === 0 ? statesNone(none) : statesOffers('tools', offers);
}

/** The payment methods and intents among the endpoint's capabilities (MPP), without amounts. */
export function paymentMethods({ introduction, list }: EndpointAnswer): Read {
  if (!introduction) return list as NoAnswer;
  const { capabilities } = introduction;
  if (!capabilities)
    return noAnswer('otherwise', own('The endpoint sent no capabilities that Dossier could read.'));
  const { methods } = asMembers(asMembers(capabilities.experimental).payment);
  const offers = Object.entries(asMembers(methods)).flatMap(([method, stated]): Offer[] => {
    const { intents } = asMembers(stated);
    const network = toName(method);
    const named = (Array.isArray(intents) ? intents : []).filter(isIdentifier);
    return named.length > 0 ? named.map((scheme) => ({ network, scheme })) : [{ network }];
  });
  const none = own('The endpoint names no payment methods among its capabilities (experimental.payment).');
  return offers.length === 0 ? statesNone(none) : statesOffers('capabilities', offers);
}

const httpMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

function toAdvertised(operation: string, stated: unknown): Offer {
  const info = asObject(stated);
  if (!info) return { for: operation, unreadable: digestOf(stated) };
  const { intent: scheme, method: network, amount, currency: asset, ...others } = info;
  const isDynamic = amount === null;
  const read = toOffer(
    {
      for: operation,
      scheme,
      network,
      asset,
      beside: besideAmong(others),
      ...(!isDynamic && { amount }),
    },
    isDynamic ? [] : ['amount'],
  );
  return isDynamic ? { ...read, amount: dynamic } : read;
}

/** The member `x-payment-info` holds a list of offers, or is itself an offer. */
function toOperation(operation: string, info: unknown): Offer[] {
  const { offers } = asMembers(info);
  return (Array.isArray(offers) ? offers : [info]).map((one) => toAdvertised(operation, one));
}

/** Undefined for content that is no such document. */
export function openapiPrices({ text }: Fetched): RemoteFinding<OffersSummary> | undefined {
  const document = readObject(text);
  if (typeof document?.openapi !== 'string') return undefined;
  const offers = Object.entries(asMembers(document.paths)).flatMap(([path, item]) =>
    httpMethods.flatMap((method) => {
      const info = asMembers(asMembers(item)[method])['x-payment-info'];
      return info === undefined ? [] : toOperation(toName(`${method.toUpperCase()} ${path}`), info);
    }),
  );
  const none = own('No operation that Dossier reads in the OpenAPI document states x-payment-info.');
  return offers.length === 0 ? statesNone(none) : statesOffers('openapi', offers);
}
