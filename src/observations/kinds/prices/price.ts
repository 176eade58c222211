import { z } from 'zod';
import { asMembers, asObject, type JsonObject, readObject } from '../../../core/json.ts';
import { toLine } from '../../../core/text.ts';
import { code, codes, join, ours, own, say, type Words } from '../../../core/words.ts';
import { type Fetched, type NoAnswer, noAnswer } from '../../../net/answer.ts';
import type { EndpointAnswer } from '../../endpoint/conversation.ts';
import { type BeforeChange, defineKind, type PartComparison, type ShownFinding } from '../../kind.ts';
import { ofOrigins, ofRemotes, type RemoteFinding } from '../../remotes.ts';
import { convert, isSymbol, toCaip19, toKey } from './assets.ts';
import { isIdentifier, pricedOperations } from './offer.ts';
import { isWhole, type PaidOffer } from './offers.ts';
import { statesNone } from './tool-offers.ts';

const mostMethods = 10;

const paymentMethod = z.strictObject({ method: z.string(), intents: z.array(z.string()) });

const priceList = <T>(value: unknown, item: z.ZodType<T>): readonly T[] =>
  z.array(item).safeParse(value).data ?? [];

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);

function toMethods(payment: unknown): { method: string; intents: string[] }[] {
  return Object.entries(asObject(asObject(payment)?.methods) ?? {})
    .filter(([method]) => isIdentifier(method))
    .sort(byName)
    .slice(0, mostMethods)
    .map(([method, stated]) => {
      const { intents } = asObject(stated) ?? {};
      const named = Array.isArray(intents) ? intents.filter(isIdentifier) : [];
      return { method, intents: named.toSorted().slice(0, mostMethods) };
    });
}

function capabilityFinding({ introduction, list, open: left }: EndpointAnswer) {
  if (!introduction) return list as NoAnswer;
  const open = left && { open: left };
  const { capabilities } = introduction;
  if (!capabilities)
    return noAnswer('otherwise', own('The endpoint sent no capabilities that Dossier could read.'));
  const methods = toMethods(asObject(capabilities.experimental)?.payment);
  const why = own('The endpoint names no payment methods among its capabilities (experimental.payment).');
  if (methods.length === 0) return { ...statesNone(why), ...open };
  return { value: methods, outcome: 'seen' as const, ...open };
}

export const priceCapability = defineKind({
  kind: 'price.capability',
  line: 'costs',
  question: 'price',
  title: 'Payment methods it names',
  means: 'The payment methods and intents among the endpoint’s capabilities (Machine Payments Protocol).',
  doesNotMean: 'A payment method states no amount.',
  value: z.array(paymentMethod),
  say: ({ value }) =>
    join(
      priceList(value, paymentMethod).map(({ method, intents }) =>
        intents.length > 0 ? say`${code(method)}: ${codes(intents)}` : code(method),
      ),
      '; ',
    ),
  method_version: 'price/2',
  isOptional: true,
  ...ofRemotes(capabilityFinding),
});

const advertisedOffer = z.strictObject({
  /** A whole number of the currency's smallest unit, or null if the price is dynamic. */
  amount: z.string().nullable(),
  currency: z.string().optional(),
  method: z.string().optional(),
  intent: z.string().optional(),
});
const pricedOperation = z.strictObject({ operation: z.string(), offers: z.array(advertisedOffer) });

const mostOperations = 20;

function operationsWords({ value, details }: ShownFinding): Words {
  const operations = priceList(value, pricedOperation);
  const [first] = operations;
  const [offer] = first?.offers ?? [];
  if (!first || !offer) return own('an amount that Dossier cannot read');
  const { amount, currency, method, intent } = offer;
  const count = Math.max(operations.length, Number(details?.priced ?? 0));
  const price = amount === null ? own('dynamic') : ours(amount);
  const of = currency === undefined ? own('') : say` of ${code(currency)}`;
  const on = method === undefined ? own('') : say` on ${code(method)}`;
  const by = intent === undefined ? own('') : say` (${code(intent)})`;
  const more = count > 1 ? say`; ${count - 1} more` : own('');
  return say`${code(first.operation)}: ${price}${of}${on}${by}${more}, advertised`;
}

function readOpenApi({ text }: Fetched): RemoteFinding<z.infer<typeof pricedOperation>[]> | undefined {
  const document = readObject(text);
  if (typeof document?.openapi !== 'string') return undefined;
  const { operations: priced, isUnread } = pricedOperations(document);
  if (priced.length === 0)
    return statesNone(own('No operation of the OpenAPI document states x-payment-info.'));
  const readable = priced.filter(({ offers }) => offers.length > 0);
  if (readable.length > 0)
    return {
      value: readable,
      outcome: 'seen',
      ...(isUnread && { hasMore: true }),
      details: { operations: priced.slice(0, mostOperations), priced: priced.length },
    };
  const why = own('The OpenAPI document states x-payment-info in a form that Dossier does not know.');
  return { ...statesNone(why), rule: 'part' };
}

type Operations = z.infer<typeof pricedOperation>[];

/** The last operation of a shortened list may be cut. */
function operationsIn({ value, value_digest, is_part }: BeforeChange<Operations> | ShownFinding<Operations>) {
  const stored = value_digest === undefined ? (value ?? []) : (value ?? []).slice(0, -1);
  const offers = stored.map(
    (one) => [one.operation, new Set(one.offers.map((offer) => JSON.stringify(offer)))] as const,
  );
  return { offers: new Map(offers), isWhole: !is_part && value_digest === undefined };
}

/** An operation may also have more offers than could be read. */
function compareOperations(was: BeforeChange<Operations>, now: ShownFinding<Operations>): PartComparison {
  const before = operationsIn(was);
  const after = operationsIn(now);
  const none = new Set<string>();
  const names = [...new Set([...before.offers.keys(), ...after.offers.keys()])];
  const pairs = names.map(
    (name) => [before.offers.get(name) ?? none, after.offers.get(name) ?? none] as const,
  );
  const isGone = pairs.some(([old, is]) => !old.isSubsetOf(is));
  const isAdded = pairs.some(([old, is]) => !is.isSubsetOf(old));
  const isOther = pairs.some(([old, is]) => !old.isSubsetOf(is) && !is.isSubsetOf(old));
  if (isOther || (isGone && after.isWhole) || (isAdded && before.isWhole)) return 'differs';
  return isGone || (before.isWhole && !after.isWhole) ? 'less' : 'same';
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
  value: z.array(pricedOperation),
  say: operationsWords,
  comparePart: compareOperations,
  method_version: 'price/6',
  ...ofOrigins('/openapi.json', own('an OpenAPI document'), readOpenApi),
});

const inUnits = /^(\d{1,20}(?:\.\d{1,18})?) ([A-Za-z][\w.-]{0,19})$/;
const inSmallestUnit = /^(\d{1,78}) ([-a-z0-9]{3,8}:[\w-]{1,32}\/[-a-z0-9]{3,8}:[\w.%-]{1,128})$/;

/**
 * Reads an amount of an asset as "0.01 USDC" (a symbol in the table), or a whole number of the smallest unit
 * of a CAIP-19 asset.
 */
export function readPriceLimit(text: string) {
  const [, amount, asset] = inUnits.exec(text) ?? inSmallestUnit.exec(text) ?? [];
  if (amount === undefined || asset === undefined) return undefined;
  return asset.includes('/') || isSymbol(asset) ? { amount, asset } : undefined;
}

/** The unit of the result is 10^-18. */
function toFixed18(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(18, '0'));
}

/** Returns undefined for an offer in a different asset, or with an amount that is no whole number. */
export function isWithinLimit(
  { amount, network, asset }: PaidOffer,
  limit: NonNullable<ReturnType<typeof readPriceLimit>>,
): boolean | undefined {
  const named = toCaip19(network, asset);
  if (named === undefined || !isWhole(amount)) return undefined;
  if (limit.asset.includes('/'))
    return named === toKey(limit.asset) ? BigInt(amount) <= BigInt(limit.amount) : undefined;
  const [converted, symbol] = convert(amount, named)?.split(' ') ?? [];
  return converted !== undefined && symbol === limit.asset
    ? toFixed18(converted) <= toFixed18(limit.amount)
    : undefined;
}

const mostTools = 50;
const dollars = /^(?:dynamic|\d{1,20}(?:\.\d{1,20})?)$/;

/** The form is a number, "0.01" or "dynamic"; null stands for any other form. */
const toPrice = (stated: unknown) =>
  (typeof stated === 'number' && stated >= 0) || (typeof stated === 'string' && dollars.test(stated))
    ? stated
    : null;

function toPriced({ name, _meta }: JsonObject) {
  const { 'agents-x402/priceUSD': price, 'agents-x402/paymentRequired': required } = asObject(_meta) ?? {};
  if (price === undefined && !required) return undefined;
  return {
    name: typeof name === 'string' ? toLine(name).slice(0, 128) : '',
    ...(required !== undefined && { payment_required: Boolean(required) }),
    ...(price !== undefined && { price_usd: toPrice(price) }),
  };
}

const pricedTool = z.strictObject({
  name: z.string(),
  payment_required: z.boolean().optional(),
  /** In dollars, as stated; null if Dossier does not know the form. */
  price_usd: z.union([z.string(), z.number()]).nullable().optional(),
});
const mostNamedTools = 3;

function toolPriceWords({ name, price_usd, payment_required }: z.infer<typeof pricedTool>): Words {
  if (price_usd === 'dynamic') return say`${code(name)} a price that depends on the call`;
  if (price_usd === undefined || price_usd === null)
    return payment_required
      ? say`${code(name)} a payment`
      : say`${code(name)} a price that Dossier cannot read`;
  return say`${code(name)} ${ours(String(price_usd))} dollars`;
}

function toolPricesWords({ value, details }: ShownFinding): Words {
  const { tools, priced } = asMembers(value);
  const all = priceList(priced, pricedTool);
  const count = Math.max(all.length, Number(asMembers(details).priced ?? 0));
  const named = all.slice(0, mostNamedTools).map(toolPriceWords);
  const more = count > named.length ? [say`${count - named.length} more`] : [];
  return say`${count} of ${Number(tools)}, advertised: ${join([...named, ...more], ', ')}`;
}

function toolPriceFinding({ list }: EndpointAnswer) {
  if (list.result !== 'listed') return list;
  const { members: tools } = list;
  const priced = tools
    .map(toPriced)
    .filter((one) => one !== undefined)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (priced.length === 0)
    return statesNone(
      own('No tool in the list that Dossier read states a price in its _meta (agents-x402).'),
    );
  return {
    value: { tools: tools.length, priced },
    outcome: 'seen' as const,
    ...(priced.length > mostTools && {
      why: say`Dossier shows only the first ${mostTools} tools with a price.`,
    }),
    details: { tools: priced.slice(0, mostTools), priced: priced.length },
  };
}

export const priceTool = defineKind({
  kind: 'price.tool',
  answers: 'price',
  line: 'costs',
  isLocked: true,
  priced: own('Tools in the endpoint’s list state that a call costs something.'),
  question: 'price',
  title: 'Tools that state a price',
  means:
    'How many tools state in the endpoint’s own list that a call costs something, and the dollars that each states (`agents-x402/priceUSD`; null if Dossier does not know the form).',
  doesNotMean: 'Dossier calls no tool, so it has not seen what a call is charged.',
  value: z.strictObject({ tools: z.number(), priced: z.array(pricedTool) }),
  say: toolPricesWords,
  method_version: 'price/2',
  isOptional: true,
  ...ofRemotes(toolPriceFinding),
});
