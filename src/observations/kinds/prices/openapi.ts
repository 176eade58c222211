import { z } from 'zod';
import { asMembers, asObject, type Json, type JsonObject, readObject } from '../../../core/json.ts';
import { toAddress } from '../../../core/payee.ts';
import { code, ours, own, say, type Words } from '../../../core/words.ts';
import { canonicalDigest } from '../../../log/leaf.ts';
import type { Fetched } from '../../../net/answer.ts';
import { type BeforeChange, defineKind, type ShownFinding } from '../../kind.ts';
import { ofOrigins, type RemoteFinding } from '../../remotes.ts';
import { isIdentifier, isWholeNumber } from './offer.ts';
import {
  comparePriceLists,
  joinPriceLists,
  ofOperations,
  priceListChange,
  priceListWeight,
} from './price-list-change.ts';
import { statesNone, type ToolOffer } from './tool-offers.ts';

const advertisedOffer = z.strictObject({
  /** A whole number of the currency's smallest unit, or null if the price is dynamic. */
  amount: z.string().nullable(),
  /** An eip155 address is in lower case. */
  currency: z.string().optional(),
  method: z.string().optional(),
  intent: z.string().optional(),
});
type AdvertisedOffer = z.infer<typeof advertisedOffer>;

const pricedOperation = z.strictObject({
  /** The form is `POST /search`. */
  operation: z.string(),
  offers: z.array(advertisedOffer),
  /** Dossier could not read every offer of this operation. */
  is_part: z.literal(true).optional(),
});
const operations = z.array(pricedOperation);
type Operations = z.infer<typeof operations>;

const httpMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

function toAdvertisedOffer(stated: unknown): AdvertisedOffer | undefined {
  const { intent, method, amount, currency } = asObject(stated) ?? {};
  if (amount !== null && !isWholeNumber(amount)) return undefined;
  return {
    ...(isIdentifier(intent) && { intent }),
    ...(isIdentifier(method) && { method }),
    amount,
    ...(isIdentifier(currency) && { currency: toAddress(currency) }),
  };
}

/** Returns each offer once. */
function inOrder(offers: readonly AdvertisedOffer[]): AdvertisedOffer[] {
  const byText = new Map(offers.map((offer) => [JSON.stringify(offer), offer]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, offer]) => offer);
}

/** The member `x-payment-info` holds a list of offers, or is itself an offer. */
function toOperation(operation: string, info: JsonObject): Operations[number] {
  const stated: readonly unknown[] = Array.isArray(info.offers) ? info.offers : [info];
  const offers = stated.map(toAdvertisedOffer).filter((offer) => offer !== undefined);
  return { operation, offers: inOrder(offers), ...(offers.length < stated.length && { is_part: true }) };
}

function pricedOperations(document: JsonObject): Operations {
  const paths = Object.entries(asMembers(document.paths)).filter(([path]) => isIdentifier(path));
  const priced = paths.values().flatMap(([path, item]) =>
    httpMethods.flatMap((method) => {
      const stated = asMembers(asMembers(item)[method])['x-payment-info'];
      if (stated === undefined) return [];
      const operation = `${method.toUpperCase()} ${path}`;
      const info = asObject(stated);
      return [info ? toOperation(operation, info) : { operation, offers: [], is_part: true as const }];
    }),
  );
  return priced.toArray().sort((a, b) => (a.operation < b.operation ? -1 : 1));
}

const readOperations = (value: unknown): Operations => operations.safeParse(value).data ?? [];

function operationsWords({ value, details }: ShownFinding): Words {
  const priced = readOperations(value);
  const [first] = priced;
  const [offer] = first?.offers ?? [];
  if (!first || !offer) return own('an amount that Dossier cannot read');
  const { amount, currency, method, intent } = offer;
  const count = Math.max(priced.length, Number(details?.priced ?? 0));
  const price = amount === null ? own('dynamic') : ours(amount);
  const of = currency === undefined ? own('') : say` of ${code(currency)}`;
  const on = method === undefined ? own('') : say` on ${code(method)}`;
  const by = intent === undefined ? own('') : say` (${code(intent)})`;
  const more = count > 1 ? say`; ${count - 1} more` : own('');
  return say`${code(first.operation)}: ${price}${of}${on}${by}${more}, advertised`;
}

const mostOperations = 20;

const detailsOf = (priced: Operations) => ({
  operations: priced.slice(0, mostOperations),
  priced: priced.length,
});

function readOpenApi({ text }: Fetched): RemoteFinding<Operations> | undefined {
  const document = readObject(text);
  if (typeof document?.openapi !== 'string') return undefined;
  const priced = pricedOperations(document);
  if (priced.length === 0)
    return statesNone(own('No operation that Dossier reads in the OpenAPI document states x-payment-info.'));
  const value = priced.filter(({ offers }) => offers.length > 0);
  if (value.length > 0)
    return {
      value,
      outcome: 'seen',
      ...(priced.some((one) => one.is_part) && { hasMore: true }),
      details: detailsOf(priced),
    };
  const why = own('The OpenAPI document states x-payment-info in a form that Dossier does not know.');
  return { ...statesNone(why), rule: 'part' };
}

const dynamic = 'dynamic';

const toOffers = ({ operation, offers, is_part }: Operations[number]): ToolOffer[] =>
  offers.map(({ amount, currency, method, intent }) => ({
    amount: amount ?? dynamic,
    asset: currency ?? '',
    network: method ?? '',
    scheme: intent ?? '',
    tool: operation,
    ...(is_part && { is_part }),
  }));

const toOperations = (offers: readonly ToolOffer[]): Operations =>
  [...Map.groupBy(offers, ({ tool = '' }) => tool)].map(([operation, all]) => ({
    operation,
    offers: inOrder(
      all.map(({ amount, asset, network, scheme }) => ({
        ...(scheme !== '' && { intent: scheme }),
        ...(network !== '' && { method: network }),
        amount: amount === dynamic ? null : amount,
        ...(asset !== '' && { currency: asset }),
      })),
    ),
    ...(all.some((one) => one.is_part) && { is_part: true }),
  }));

type StoredOperations = BeforeChange<Operations> | ShownFinding<Operations>;

/** The operations as a price list. If the value is shortened, the details may have more of them. */
function toList<Found extends StoredOperations>({ details, value_digest, ...found }: Found) {
  const shown = readOperations(details?.operations).filter(({ offers }) => offers.length > 0);
  const kept = found.value ?? [];
  const stored = value_digest === undefined || shown.length < kept.length ? kept : shown;
  const isStored = value_digest === undefined || canonicalDigest({ value: stored as Json }) === value_digest;
  return {
    ...found,
    value: found.value && stored.flatMap(toOffers),
    ...(!isStored && { value_digest }),
  };
}

const changeOf = priceListChange(own('its OpenAPI document'), ofOperations);

function joinOperations(was: BeforeChange<Operations>, now: ShownFinding<Operations>) {
  const joined = joinPriceLists(toList(was), toList(now));
  if (!joined) return undefined;
  const value = toOperations(joined.offers);
  return { value, details: detailsOf(value) };
}

export const priceOpenapi = defineKind({
  kind: 'price.openapi',
  answers: 'price',
  line: 'costs',
  isLocked: true,
  priced: own('The OpenAPI document of the endpoint’s host advertises prices.'),
  question: 'price',
  title: 'Prices in its OpenAPI document',
  means:
    'The prices that /openapi.json at the origin of the endpoint advertises for its operations (x-payment-info), as stated there: an amount of the currency’s smallest unit, or dynamic.',
  doesNotMean: 'A call may be charged differently from an advertised price; the answer to the call decides.',
  value: operations,
  say: operationsWords,
  sayChange: (was, now, between) => changeOf(toList(was), toList(now), between),
  weighChange: (was, now) => priceListWeight(toList(was), toList(now)),
  comparePart: (was, now) => comparePriceLists(toList(was), toList(now)),
  joinPart: joinOperations,
  isToldByChange: true,
  method_version: 'price/7',
  ...ofOrigins('/openapi.json', own('an OpenAPI document'), readOpenApi),
});
