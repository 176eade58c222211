import { z } from 'zod';
import { asMembers, asObject, type JsonObject } from '../../../core/json.ts';
import { toLine } from '../../../core/text.ts';
import { code, codes, isEmpty, join, ours, own, say, toText, type Words } from '../../../core/words.ts';
import { type NoAnswer, noAnswer } from '../../../net/answer.ts';
import type { EndpointAnswer } from '../../endpoint/conversation.ts';
import { type BeforeChange, defineKind, type ShownFinding } from '../../kind.ts';
import { ofRemotes } from '../../remotes.ts';
import { convert, isSymbol, toCaip19, toKey } from './assets.ts';
import { isIdentifier } from './offer.ts';
import { isWhole, type PaidOffer } from './offers.ts';
import { statesNone, toolsWords } from './tool-offers.ts';

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
const dollars = /^\$?(\d{1,20}(?:\.\d{1,20})?)$/;
/** A JavaScript number keeps all of at most this many digits. */
const mostDigits = 15;

/**
 * Reads a number, "0.01", "$0.01" or "dynamic"; returns null for any other form. If a number keeps all digits
 * of a text, the number is returned, so that `0.01` and `"0.010"` are the same price.
 */
function toPrice(stated: unknown): string | number | null {
  if (typeof stated === 'number') return stated >= 0 && Number.isFinite(stated) ? stated : null;
  if (typeof stated !== 'string' || stated === 'dynamic') return stated === 'dynamic' ? stated : null;
  const amount = dollars.exec(stated)?.[1]?.replace(/\.0+$|(?<=\.\d*[1-9])0+$/, '');
  if (amount === undefined) return null;
  return amount.replace('.', '').length <= mostDigits ? Number(amount) : amount;
}

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
  /** In dollars; null if Dossier does not know the form. */
  price_usd: z.union([z.string(), z.number()]).nullable().optional(),
});
const mostNamedTools = 3;

type PricedMember = z.infer<typeof pricedTool>;

function priceWords({ price_usd, payment_required }: PricedMember): Words {
  if (price_usd === 'dynamic') return own('a price that depends on the call');
  if (price_usd === undefined || price_usd === null)
    return payment_required ? own('a payment') : own('a price that Dossier cannot read');
  return say`${ours(String(price_usd))} dollars`;
}

function toolPricesWords({ value, details }: ShownFinding): Words {
  const { tools, priced } = asMembers(value);
  const all = priceList(priced, pricedTool);
  const count = Math.max(all.length, Number(asMembers(details).priced ?? 0));
  const named = all.slice(0, mostNamedTools).map((one) => say`${code(one.name)} ${priceWords(one)}`);
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

const toolPrices = z.strictObject({ tools: z.number(), priced: z.array(pricedTool) });
type ToolPrices = z.infer<typeof toolPrices>;
type StoredPrices = BeforeChange<ToolPrices> | ShownFinding<ToolPrices>;

/** The stored tools by name. If the value is shortened, the details may have more tools. */
function pricesIn({ value, value_digest, details }: StoredPrices) {
  const kept = value?.priced ?? [];
  const shown = priceList(details?.tools, pricedTool);
  const priced = value_digest === undefined || shown.length < kept.length ? kept : shown;
  return {
    byName: new Map(priced.map((one) => [one.name, one])),
    isWhole: value_digest === undefined || priced.length === details?.priced,
  };
}

function toolChanges(was: StoredPrices, now: StoredPrices) {
  const before = pricesIn(was);
  const after = pricesIn(now);
  const changed = [...after.byName].flatMap(([name, is]) => {
    const old = before.byName.get(name);
    return old && toText(priceWords(old)) !== toText(priceWords(is)) ? [{ name, old, is }] : [];
  });
  const lackedBy = (other: typeof before, { byName }: typeof before) =>
    other.isWhole ? [...byName.keys()].filter((name) => !other.byName.has(name)) : [];
  return {
    changed,
    added: lackedBy(before, after),
    gone: lackedBy(after, before),
    isWhole: before.isWhole && after.isWhole,
  };
}

function toolPricesChange(was: BeforeChange<ToolPrices>, now: ShownFinding<ToolPrices>): Words | undefined {
  if (was.value === null) return own('Tools in its list state prices, and none did before');
  const { changed, added, gone, isWhole: areAllKnown } = toolChanges(was, now);
  const left = changed.length - mostNamedTools;
  const said = [
    ...changed
      .slice(0, mostNamedTools)
      .map(({ name, old, is }) => say`${code(name)} ${priceWords(is)} instead of ${priceWords(old)}`),
    left > 0 ? say`${left} more ${left === 1 ? own('tool') : own('tools')} with another price` : own(''),
    added.length > 0 ? say`a new price for ${toolsWords(added)}` : own(''),
    gone.length > 0 ? say`no longer a price for ${toolsWords(gone)}` : own(''),
  ];
  const words = join(said, '; ');
  if (!isEmpty(words)) return say`In its list of tools: ${words}`;
  return areAllKnown
    ? undefined
    : own(
        'The prices that its tools state, or the number of its tools, changed; Dossier keeps too little of the list to say which',
      );
}

const dollarsOf = ({ price_usd }: PricedMember) => Number(price_usd ?? Number.NaN);

/** A raise weighs by its size. */
function toolPricesWeight(was: BeforeChange<ToolPrices>, now: ShownFinding<ToolPrices>): number {
  const { changed, added } = toolChanges(was, now);
  const weights = changed.map(({ old, is }) => {
    const before = dollarsOf(old);
    const after = dollarsOf(is);
    if (after <= before) return 0;
    if (after >= before * 10) return 3;
    return after >= before * 2 ? 2 : 1;
  });
  return Math.max(added.length > 0 ? 1 : 0, ...weights);
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
  value: toolPrices,
  say: toolPricesWords,
  sayChange: (was, now, between) => {
    const change = toolPricesChange(was, now);
    return change && say`${change} (${between})`;
  },
  weighChange: toolPricesWeight,
  isToldByChange: true,
  method_version: 'price/3',
  isOptional: true,
  ...ofRemotes(toolPriceFinding),
});
