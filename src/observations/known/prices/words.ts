import { payeeWords } from '../../../core/payee.ts';
import {
  code,
  codes,
  count,
  dayOf,
  isEmpty,
  join,
  listed,
  ours,
  own,
  say,
  toText,
  type Words,
} from '../../../core/words.ts';
import type { BeforeChange, ShownFinding } from '../kind.ts';
import type { Observation } from '../observation.ts';
import { networkName, networkWords } from './assets.ts';
import { changesOf, isRaised, type OfferChange, weightOfOffer } from './difference.ts';
import {
  addressesOf,
  allIn,
  areOthersEachTime,
  convertedOf,
  dollars,
  dynamic,
  isAnotherEachTime,
  type Offer,
  type OffersSummary,
  offersSummary,
  type PlaceName,
  payeesIn,
  pricesIn,
} from './offer.ts';

const mostNamed = 3;

/** What a call costs is known only after it. */
export const isMost = ({ scheme }: Pick<Offer, 'scheme'>): boolean => scheme === 'upto';

/** `exact` (x402) and `charge` (MPP) pay for one request, other schemes for use. */
export const paidForWords = (offers: readonly Offer[]): Words =>
  offers.every(({ scheme = '' }) => /^(?:exact|charge)$/.test(scheme))
    ? own('for one request')
    : own('for an amount of use that is not known');

const atMost = (one: Offer): Words | false => isMost(one) && own('at most ');

/** The usual scheme `exact` is not named. */
function amountWords(one: Offer, isExact = false): Words {
  const { amount, asset, scheme = 'exact', unreadable } = one;
  const of = asset !== undefined && asset !== dollars && say` of ${code(asset)}`;
  const converted = isExact ? undefined : convertedOf(one);
  const by = scheme !== 'exact' && say` (scheme ${code(scheme)})`;
  if (amount === undefined)
    return unreadable === undefined ? say`no amount${by}` : say`an amount that Dossier cannot read${of}${by}`;
  if (amount === dynamic) return say`a price that depends on the call${of}${by}`;
  if (asset === dollars) return say`${ours(amount)} dollars`;
  const part = unreadable !== undefined && own(' and more that Dossier cannot read');
  return say`${atMost(one)}${converted === undefined ? say`${ours(amount)}${of}` : ours(converted)}${part}${by}`;
}

/** `0.01 USDC on Base`; with `isExact`, unit and names as stated. */
export function offerWords(one: Offer, isExact = false): Words {
  const amount = amountWords(one, isExact);
  if (one.network === undefined) return amount;
  return say`${amount} on ${isExact ? code(one.network) : networkWords(one.network)}`;
}

export const noPrice = own('no price seen; calls may cost');

/** Of a place that asked for a payment before. */
export function formerPrice({ changed_from: before }: Pick<Observation, 'changed_from'>): Words | undefined {
  const { data } = offersSummary.safeParse(before?.value);
  if (!before || !data || data.place !== 'quote') return undefined;
  return say`asked for ${quoteWords(data)} until ${dayOf(before.seen_until)}, not since; calls may cost`;
}

export function offersWords(offers: readonly Offer[], all = offers.length): Words {
  const [first] = offers;
  if (!first) return own('');
  return all === 1 ? offerWords(first) : say`${offerWords(first)} (${count(all - 1, 'more offer')})`;
}

function eachTime({ varies = [] }: Pick<OffersSummary, 'varies'>) {
  if (varies.includes('offers')) return 'not the same offers each time';
  return varies.includes('amount') ? 'another price each time' : undefined;
}

/** Nothing if the offers were the same at both requests. */
export function eachTimeWords(value: Pick<OffersSummary, 'varies'>): Words {
  const each = eachTime(value);
  return each ? say`, ${own(each)}` : own('');
}

/** Of other offers at each request, several. */
export function quoteWords(value: OffersSummary): Words {
  const { offers, count: all } = value;
  if (!areOthersEachTime(value)) return offersWords(offers, all);
  const shown = offers.slice(0, mostNamed).map((one) => offerWords(one));
  const left = all > mostNamed && say`${count(all - mostNamed, 'more offer')}`;
  return say`${join([...shown, left], ' or ')}${eachTimeWords(value)}`;
}

/** Undefined for the endpoint itself. */
export const toolsWords = (tools: readonly (string | undefined)[]): Words =>
  listed(
    tools.map((tool) => (tool === undefined ? own('the endpoint itself') : code(tool))),
    mostNamed,
  );

export const payeesWords = (addresses: readonly string[], most = mostNamed): Words =>
  listed(
    addresses.map((address) => payeeWords({ address })),
    most,
  );

export function networkInFull(network = ''): Words {
  const name = networkName(network);
  return name === undefined ? code(network) : say`${ours(name)} (${code(network)})`;
}

/** `0.02 USDC (20000 of <address>) on Base (<network>), paid to <address>` */
export function offerInFull(one: Offer): Words {
  const { amount, asset, network, scheme = 'exact', pays = [], unreadable } = one;
  const converted = convertedOf(one);
  const exact = say`${ours(amount ?? '')} of ${code(asset ?? '')}`;
  const isWhole = amount !== undefined && asset !== undefined && unreadable === undefined;
  const by = scheme !== 'exact' && say` (scheme ${code(scheme)})`;
  const price = converted === undefined ? exact : say`${ours(converted)} (${exact})`;
  const said =
    isWhole && network !== undefined
      ? say`${atMost(one)}${price}${by} on ${networkInFull(network)}`
      : offerWords(one);
  return pays.length === 0 ? said : say`${said}, paid to ${paidToWords(pays, network)}`;
}

export const offerHeads = ['For', 'Amount', 'Paid to', 'Network', 'Asset'] as const;

/** What `offerInFull` says, for the columns of `offerHeads`. */
export function offerCells(one: Offer): Words[] {
  const { for: tool, asset, network, pays = [] } = one;
  const isNamed = asset === undefined || asset === dollars;
  const { asset: _, ...unnamed } = one;
  return [
    tool === undefined ? own('the endpoint') : code(tool),
    amountWords(convertedOf(one) === undefined && !isNamed ? unnamed : one),
    paidToWords(pays, network),
    network === undefined ? own('') : networkInFull(network),
    isNamed ? own('') : code(asset),
  ];
}

const paidToWords = (pays: NonNullable<Offer['pays']>, network: string | undefined): Words =>
  listed(
    pays.map((to) => {
      const part = to.amount !== undefined && say` (${ours(to.amount)} of it)`;
      return say`${payeeWords({ address: to.address, network })}${part}`;
    }),
  );

const placeWords: Readonly<Record<PlaceName, Words>> = {
  quote: own('the quoted price'),
  tools: own('its list of tools'),
  capabilities: own('its capabilities'),
  openapi: own('its OpenAPI document'),
  x402: own('its x402 document'),
  catalog: own('a catalogue'),
};

/** Before the offers at a place other than a quote. */
export function placeTitle({ place, priced, unreadable }: OffersSummary): Words {
  if (place === 'tools') return own('tools that state a price');
  if (place === 'capabilities') return own('payment methods it names');
  if (place === 'x402' && priced === 0 && !unreadable) return own('named as paid, without a price');
  return say`prices in ${placeWords[place]}`;
}

function paidWords(value: OffersSummary): Words | undefined {
  const addresses = [...new Set(value.payees.map(({ address }) => address))];
  if (isAnotherEachTime(value)) return own('paid to another address each time');
  if (addresses.length === 0) return undefined;
  const all = Math.max(addresses.length, value.all_payees?.count ?? 0);
  return all > 2 ? say`paid to ${all} addresses` : say`paid to ${payeesWords(addresses)}`;
}

function besidePaid(words: Words, value: OffersSummary): Words {
  const paid = paidWords(value);
  return say`${words}${paid && say` (${paid})`}`;
}

const methodsWords = ({ offers }: OffersSummary): Words =>
  join(
    [...Map.groupBy(offers, ({ network = '' }) => network)].map(([method, all]) => {
      const intents = all.flatMap(({ scheme = [] }) => scheme);
      return intents.length > 0 ? say`${code(method)}: ${codes(intents)}` : code(method);
    }),
    '; ',
  );

const isBare = ({ amount, unreadable }: Offer) => amount === undefined && unreadable === undefined;

function listWords(value: OffersSummary, unlisted: readonly string[]): Words {
  const { offers, tools_count = 0 } = value;
  const tools = [...Map.groupBy(offers, (one) => one.for)];
  const priced = tools.filter(([, all]) => !all.every(isBare));
  const bare = tools.filter(([, all]) => all.every(isBare)).map(([tool]) => tool);
  const named = priced.slice(0, mostNamed).map(([tool, all]) => {
    const words = offersWords(all.filter((one) => !isBare(one)));
    if (tool !== undefined) return say`${code(tool)} ${words}`;
    return priced.length > 1 ? say`${words} for the endpoint itself` : words;
  });
  const all = tools_count + (tools.some(([tool]) => tool === undefined) ? 1 : 0);
  const left = all - named.length - bare.length;
  const more = left > 0 && say`${left} more ${left === 1 ? own('tool') : own('tools')}`;
  const prices = named.length > 0 && besidePaid(say`${join([...named, more], ', ')}, advertised`, value);
  const without = bare.length > 0 && say`without a price: ${toolsWords(bare)}`;
  const missing = say`not among the tools that the endpoint lists: ${toolsWords(unlisted)}`;
  return join([prices, without, unlisted.length > 0 && missing], '; ');
}

export function summaryWords({ value, as_seen }: ShownFinding<OffersSummary>): Words {
  if (value.place === 'capabilities') return methodsWords(value);
  if (value.place === 'quote') return besidePaid(quoteWords(value), value);
  return listWords(value, Array.isArray(as_seen?.unlisted) ? as_seen.unlisted.map(String) : []);
}

export const offersParts = ({ value }: ShownFinding<OffersSummary>, paid = paidWords(value)) => ({
  prices: { members: pricesIn(value), words: say`prices: ${quoteWords(value)}` },
  payees: { members: payeesIn(value), ...(paid && { words: say`payees: ${paid}` }) },
  no_new_payee: { members: payeesIn(value), mayShrink: true as const },
});

type ChangedPair = Required<Pick<OfferChange, 'was' | 'is'>>;
const isPair = (one: OfferChange): one is OfferChange & ChangedPair =>
  one.was !== undefined && one.is !== undefined;

type AnotherEachTime = Readonly<Record<'was' | 'is', boolean>>;

function paidInstead(pairs: readonly ChangedPair[], another: AnotherEachTime): Words {
  const changed = pairs.filter(({ was, is }) => JSON.stringify(was.pays) !== JSON.stringify(is.pays));
  const said = [...Map.groupBy(changed, ({ is }) => is.network)].map(([network, all]) => {
    const before = addressesOf(all.map(({ was }) => was)).sort();
    const after = addressesOf(all.map(({ is }) => is)).sort();
    const gone = before.filter((one) => !after.includes(one));
    const came = after.filter((one) => !before.includes(one));
    const on = network !== undefined && say` on ${networkWords(network)}`;
    const each = own('another address each time');
    if (another.is) return say`paid to ${each}${on} instead of ${payeesWords(gone)}`;
    if (another.was) return say`paid to ${payeesWords(came)}${on} instead of ${each}`;
    if (gone.length === 0 && came.length > 0) return say`also paid to ${payeesWords(came)}${on}`;
    if (came.length === 0 && gone.length > 0) return say`no longer paid to ${payeesWords(gone)}${on}`;
    if (came.length > 0) return say`payee changed from ${payeesWords(gone)} to ${payeesWords(came)}${on}`;
    const isMoved = all.some(({ was, is }) => addressesOf([was]).join() !== addressesOf([is]).join());
    return isMoved
      ? say`${payeesWords(before)} are paid for other offers${on} than before`
      : say`the parts of ${payeesWords(before)}${on} are other ones`;
  });
  return join(said, '; ');
}

function priceInstead(pair: ChangedPair, isExact: boolean): Words[] {
  const { was, is } = pair;
  const before = offerWords(was, isExact);
  const now = offerWords(is, isExact);
  if (toText(offerWords(was, true)) === toText(offerWords(is, true)))
    return was.unreadable === is.unreadable
      ? []
      : [say`What Dossier cannot read of an offer changed: ${now}`];
  const how = isRaised(pair);
  if (how === undefined) return [say`Price changed from ${before} to ${now}`];
  return [say`Price ${how ? own('raised') : own('lowered')} from ${amountWords(was, isExact)} to ${now}`];
}

const mostPrices = 2;

function toNew(changes: readonly OfferChange[]) {
  const paid = changes.filter((one) => one.class === 'added_payee' || one.class === 'priced_payee');
  const payees = addressesOf(paid.flatMap(({ is }) => is ?? []));
  return payees.length > 0 && say`, paid to ${payeesWords(payees)}`;
}

function offersChange(changes: readonly OfferChange[], another: AnotherEachTime): Words {
  const pairs = changes.filter(isPair);
  const all = changes.flatMap(({ was, is }) => [was ?? [], is ?? []].flat());
  // Two assets may have the same symbol.
  const texts = new Map(all.map((one) => [toText(offerWords(one, true)), toText(offerWords(one))]));
  const isExact = new Set(texts.values()).size < texts.size;
  const name = (some: readonly OfferChange[]) =>
    listed(
      some.flatMap(({ was, is = was }) => (is ? offerWords(is, isExact) : [])),
      mostPrices,
    );
  const prices = pairs.flatMap((pair) => priceInstead(pair, isExact));
  const left = prices.length - mostPrices;
  const came = changes.filter((one) => one.is && !one.was);
  const gone = changes.filter((one) => one.was && !one.is);
  const said = [
    paidInstead(pairs, another),
    ...prices.slice(0, mostPrices),
    left > 0 && say`${left} more amounts changed`,
    came.length > 0 && say`Also quoted: ${name(came)}${toNew(came)}`,
    gone.length > 0 && say`No longer quoted: ${name(gone)}`,
  ];
  return join(said, '. ');
}

function placeChange(changes: readonly OfferChange[], another: AnotherEachTime) {
  const byTool = [...Map.groupBy(changes, ({ was, is }) => (is ?? was)?.for)].map(([tool, all]) => ({
    tool,
    all,
    isNew: all.every((one) => one.class === 'priced' || one.class === 'priced_payee'),
    isGone: all.every((one) => one.class === 'unpriced'),
  }));
  const first = byTool.filter(({ isNew }) => isNew);
  const last = byTool.filter(({ isGone }) => isGone);
  const changed = byTool
    .filter(({ isNew, isGone }) => !isNew && !isGone)
    .map(({ tool, all }) => ({ tool, words: offersChange(all, another) }));
  const alike = [...Map.groupBy(changed, ({ words }) => toText(words)).values()];
  const said = alike.slice(0, mostNamed).map((same) => {
    const tools = same.map(({ tool }) => tool);
    const isOfEndpoint = tools.length === 1 && tools[0] === undefined;
    return say`${!isOfEndpoint && say`${toolsWords(tools)}: `}${same[0]?.words}`;
  });
  const others = alike.slice(mostNamed).flat().length;
  const to = toNew(first.flatMap(({ all }) => all));
  return [
    ...said,
    others > 0 && say`other prices or payees for ${others} more`,
    first.length > 0 && say`a new price for ${toolsWords(first.map(({ tool }) => tool))}${to}`,
    last.length > 0 && say`no longer a price for ${toolsWords(last.map(({ tool }) => tool))}`,
  ];
}

const differenceOf = (was: BeforeChange<OffersSummary>, now: ShownFinding<OffersSummary>) => {
  if (was.difference) return was.difference as { items: OfferChange[]; counts: Record<string, number> };
  const before = was.value && allIn(was.value);
  const after = allIn(now.value);
  return before && after && { items: changesOf(before, after), counts: {} };
};

const gainedWords = ({ value }: ShownFinding<OffersSummary>, between: Words): Words =>
  value.place === 'quote'
    ? say`It began to quote ${quoteWords(value)} (${between})`
    : say`Prices were new in ${placeWords[value.place]} (${between})`;

export function offersChangeWords(
  was: BeforeChange<OffersSummary>,
  now: ShownFinding<OffersSummary>,
  between: Words,
): Words | undefined {
  if (was.value === null) return was.outcome === 'nothing' ? gainedWords(now, between) : undefined;
  const { items = [], counts = {} } = differenceOf(was, now) ?? {};
  const place = placeWords[now.value.place];
  const left = Object.values(counts).reduce((sum, one) => sum + one, 0) - items.length;
  const more = left > 0 && say`${count(left, 'more change')}`;
  const another = { was: isAnotherEachTime(was.value), is: isAnotherEachTime(now.value) };
  const each = eachTime(now.value);
  const turned = each !== eachTime(was.value) && say`now ${own(each ?? 'the same each time')}`;
  const said = join([...placeChange(items, another), more, turned], '; ');
  if (isEmpty(said))
    return was.value_digest === now.value_digest
      ? undefined
      : say`Prices or payees in ${place} changed (${between})`;
  const isPrice = now.value.place === 'quote' && !items.some((one) => one.class === 'payee_changed');
  return isPrice ? say`${said} (${between})` : say`In ${place}: ${said} (${between})`;
}

export const weighOffersChange = (was: BeforeChange<OffersSummary>, now: ShownFinding<OffersSummary>) => {
  const { items } = differenceOf(was, now) ?? {};
  return items ? Math.max(0, ...items.map(weightOfOffer)) : 1;
};
