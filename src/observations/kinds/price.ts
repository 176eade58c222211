import { asObject, type JsonObject, readObject } from '../../core/json.ts';
import { toLine } from '../../core/text.ts';
import { type Fetched, type NoAnswer, notChecked } from '../../net/answer.ts';
import type { EndpointAnswer } from '../endpoint/ask.ts';
import { defineKind } from '../kind.ts';
import type { Finding } from '../observation.ts';
import { type Found, ofOrigins, ofRareRemotes, ofRemotes, withoutAnswer } from '../remotes.ts';
import type { Run } from '../run.ts';
import { convert, isSymbol, toCaip19, toKey } from './assets.ts';
import {
  decodeOffers,
  isIdentifier,
  noneQuoted,
  type Offer,
  offerText,
  pricedOperations,
  quotedOffers,
  readAccepted,
} from './offer.ts';

const mostMethods = 10;

/** The payment methods that an endpoint names, each with its intents. */
function toMethods(payment: unknown): { method: string; intents: string[] }[] {
  const methods = Object.entries(asObject(asObject(payment)?.methods) ?? {}).slice(0, mostMethods);
  return methods
    .filter(([method]) => isIdentifier(method))
    .map(([method, stated]) => {
      const { intents } = asObject(stated) ?? {};
      const named = Array.isArray(intents) ? intents.filter(isIdentifier) : [];
      return { method, intents: named.slice(0, mostMethods) };
    });
}

function capabilityFinding({ introduction, list }: EndpointAnswer) {
  if (!introduction) return list as NoAnswer;
  const { capabilities } = introduction;
  const unread = 'The endpoint sent no capabilities that Dossier could read.';
  if (!capabilities) return { value: null, state: 'not_found' as const, reason: unread };
  const methods = toMethods(asObject(capabilities.experimental)?.payment);
  const reason = 'The endpoint names no payment methods among its capabilities (experimental.payment).';
  if (methods.length === 0) return { value: null, state: 'no_price_seen' as const, reason };
  return {
    value: methods.map(({ method, intents }) => `${method}: ${intents.join(', ')}`).join('; '),
    state: 'advertised' as const,
    details: { methods },
  };
}

/** The payment methods that an endpoint names when it introduces itself. */
export const priceCapability = defineKind({
  kind: 'price.capability',
  line: 'costs',
  question: 'price',
  title: 'Payment methods it names',
  means: 'The payment methods and intents among the endpoint’s capabilities (Machine Payments Protocol).',
  doesNotMean: 'It states no amount.',
  method_version: 'price/1',
  isOptional: true,
  ...ofRemotes(capabilityFinding),
});

function readCatalog(listed: Awaited<ReturnType<Run['catalogs']>>[number]): Found {
  if (listed.result !== 'read') return withoutAnswer(listed);
  const { item, read_at } = listed;
  const when = `Dossier read the catalogue on ${read_at.slice(0, 10)}`;
  if (!item) return { value: null, state: 'not_found', reason: `${when}; it does not list this endpoint.` };
  const versionOf = (one: unknown) => (asObject(one)?.maxAmountRequired === undefined ? 2 : 1);
  const { offers } = decodeOffers(item.accepts, (one) => readAccepted(versionOf(one))(one));
  const [first] = offers;
  if (!first) {
    const reason = `${when}; it lists this endpoint without a price that Dossier can read.`;
    return { value: null, state: 'unrecognised', reason };
  }
  const more = offers.length > 1 ? `; ${offers.length - 1} more` : '';
  const details = { offers, ...(item.last_updated && { last_updated: item.last_updated }) };
  return { value: `${offerText(first)}${more}`, state: 'advertised', reason: `${when}.`, details };
}

/** The prices that a catalogue lists for the recorded endpoints. */
export const priceCatalog = defineKind({
  kind: 'price.catalog',
  line: 'costs',
  isLocked: true,
  priced: 'A catalogue of prices lists the endpoint.',
  question: 'price',
  title: 'Prices in a catalogue',
  means:
    'What a catalogue that the operator of this Dossier configured (x402 Bazaar) lists for exactly this address.',
  doesNotMean: 'A catalogue is the word of a third party; the endpoint may ask for another price.',
  method_version: 'price/1',
  about: ({ remotes }) => remotes.map(({ url }) => ({ recorded: url })),
  isOptional: true,
  async check(run) {
    const found: Finding[] = [];
    const { remotes } = run.listing;
    for (const { url } of remotes)
      for (const listed of await run.catalogs(url)) {
        const source = new URL(listed.catalog).host;
        found.push({
          subject: `${url} in ${source}`,
          recorded: url,
          ...readCatalog(listed),
          source,
          source_url: listed.catalog,
        });
      }
    const off = 'Dossier is not configured here to read catalogues of prices (PRICE_CATALOGS).';
    return found.length === 0 && remotes.length > 0 ? [withoutAnswer(notChecked(off))] : found;
  },
});

/** What the first operation with a readable offer costs, and how many more there are. */
function toValue(priced: ReturnType<typeof pricedOperations>): string | null {
  const readable = priced.filter(({ offers }) => offers.length > 0);
  const [first] = readable;
  const [offer] = first?.offers ?? [];
  if (!first || !offer) return null;
  const more = readable.length > 1 ? `; ${readable.length - 1} more` : '';
  const { amount, currency, method, intent } = offer;
  return `${first.operation}: ${amount ?? 'dynamic'}${currency ? ` of ${currency}` : ''}${method ? ` on ${method}` : ''}${intent ? ` (${intent})` : ''}${more}`;
}

function readOpenApi({ text }: Fetched): Found | undefined {
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
  line: 'costs',
  isLocked: true,
  priced: 'The OpenAPI document of the endpoint’s host advertises prices.',
  question: 'price',
  title: 'Prices in its OpenAPI document',
  means:
    'What /openapi.json at the origin of the endpoint advertises for its operations (x-payment-info), as stated there: an amount of the currency’s smallest unit, or dynamic.',
  doesNotMean: 'An advertised price is not what a call is charged; the answer to a call decides.',
  method_version: 'price/1',
  ...ofOrigins('/openapi.json', 'OpenAPI document', readOpenApi),
});

function payToFinding(endpoint: EndpointAnswer) {
  const offers = quotedOffers(endpoint)?.quoted.offers ?? [];
  const addresses = [...new Set(offers.flatMap(({ pay_to }) => pay_to ?? []))].sort();
  return addresses.length > 0
    ? { value: addresses.join(', '), state: 'observed' as const }
    : noneQuoted(endpoint);
}

/** Who is paid: a fact of its own, so that it has a date and a history apart from the amount. */
export const pricePayTo = defineKind({
  kind: 'price.pay_to',
  line: 'costs',
  isLocked: true,
  question: 'price',
  title: 'Address that is paid',
  means: 'The addresses of the recipients in the price that the endpoint quotes.',
  doesNotMean: 'It does not say whose addresses they are.',
  changed: 'The endpoint asks to be paid at another address',
  method_version: 'price/1',
  ...ofRareRemotes(payToFinding),
});

const inUnits = /^(\d{1,20}(?:\.\d{1,18})?) ([A-Za-z][\w.-]{0,19})$/;
const inSmallestUnit = /^(\d{1,78}) ([-a-z0-9]{3,8}:[\w-]{1,32}\/[-a-z0-9]{3,8}:[\w.%-]{1,128})$/;

/**
 * The most that a caller would pay, as an amount and an asset: "0.01 USDC" (a symbol of the table), or a whole number of the
 * smallest unit of a CAIP-19 asset; undefined for anything else.
 */
export function readPriceLimit(text: string) {
  const [, amount, asset] = inUnits.exec(text) ?? inSmallestUnit.exec(text) ?? [];
  if (amount === undefined || asset === undefined) return undefined;
  return asset.includes('/') || isSymbol(asset) ? { amount, asset } : undefined;
}

/** A decimal number as a whole number of 10^-18. */
function toFixed18(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(18, '0'));
}

/** Whether an offer asks for at most the limit, compared exactly; undefined for an offer in another asset. */
export function isWithinLimit(
  { amount, network, chain_id, asset }: Offer,
  limit: NonNullable<ReturnType<typeof readPriceLimit>>,
): boolean | undefined {
  const named = toCaip19(chain_id === undefined ? network : `eip155:${chain_id}`, asset);
  if (named === undefined) return undefined;
  if (limit.asset.includes('/'))
    return named === toKey(limit.asset) ? BigInt(amount) <= BigInt(limit.amount) : undefined;
  const [converted, symbol] = convert(amount, named)?.split(' ') ?? [];
  return converted !== undefined && symbol === limit.asset
    ? toFixed18(converted) <= toFixed18(limit.amount)
    : undefined;
}

const mostTools = 50;
const dollars = /^(?:dynamic|\d{1,20}(?:\.\d{1,20})?)$/;

/** The stated price of a tool: a number, "0.01" or "dynamic"; null for any other form. */
const toPrice = (stated: unknown) =>
  (typeof stated === 'number' && stated >= 0) || (typeof stated === 'string' && dollars.test(stated))
    ? stated
    : null;

/** What a tool object states of its price in `_meta`; undefined if it states nothing. */
function toPriced({ name, _meta }: JsonObject) {
  const { 'agents-x402/priceUSD': price, 'agents-x402/paymentRequired': required } = asObject(_meta) ?? {};
  if (price === undefined && !required) return undefined;
  return {
    name: typeof name === 'string' ? toLine(name).slice(0, 128) : '',
    ...(required !== undefined && { payment_required: Boolean(required) }),
    ...(price !== undefined && { price_usd: toPrice(price) }),
  };
}

function toolPriceFinding({ list }: EndpointAnswer) {
  if (list.result !== 'tools') return list;
  const { tools } = list;
  const priced = tools.map(toPriced).filter((one) => one !== undefined);
  if (priced.length === 0) {
    const reason = 'No tool in the list that Dossier read states a price in its _meta (agents-x402).';
    return { value: null, state: 'no_price_seen' as const, reason };
  }
  return {
    value: `${priced.length} of ${tools.length}`,
    state: 'advertised' as const,
    ...(priced.length > mostTools && { reason: `Dossier shows the first ${mostTools} of them.` }),
    details: { tools: priced.slice(0, mostTools) },
  };
}

/** The prices that tools state in the list of tools. */
export const priceTool = defineKind({
  kind: 'price.tool',
  line: 'costs',
  isLocked: true,
  priced: 'Tools in the endpoint’s list state prices.',
  question: 'price',
  title: 'Tools that state a price',
  means:
    'How many tools state in the endpoint’s own list that a call costs something, and the dollars that each states (`agents-x402/priceUSD`; null where the form is none that Dossier knows).',
  doesNotMean: 'Dossier calls no tool, so it has not seen what a call is charged.',
  unit: 'tools',
  method_version: 'price/1',
  isOptional: true,
  ...ofRemotes(toolPriceFinding),
});
