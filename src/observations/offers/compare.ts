import { isDeepStrictEqual } from 'node:util';
import { code, dayOf, listed, ours, own, say, toText, type Words } from '../../core/words.ts';
import { convert, networkName, symbolOf, toCaip19 } from '../kinds/prices/assets.ts';
import { isWhole, type OfferWithPayee, type PaidOffer } from '../kinds/prices/offers.ts';
import type { OfferSighting, SeenQuotes } from './seen.ts';
import type { SentOffer } from './sent-offer.ts';

/** `higher` and `lower` compare amounts in one unit. */
export const seenStates = ['as_seen', 'seen_until', 'never_seen', 'higher', 'lower', 'not_known'] as const;

interface OfferPart {
  /** Absent if the offer states no value that can be read. */
  readonly value?: Words;
  readonly seen: (typeof seenStates)[number];
  readonly text: Words;
}

type ComparedPart = Omit<OfferPart, 'value'>;

export const partNames = ['payee', 'amount', 'asset', 'network', 'scheme'] as const;
export type ComparedOffer = Readonly<Record<(typeof partNames)[number], OfferPart>>;

const mostNamed = 2;

const notKnown = (why: Words): ComparedPart => ({ seen: 'not_known', text: say`not known: ${why}` });

const noQuote = ({ endpoint, unseen }: Pick<SeenQuotes, 'endpoint' | 'unseen'>): ComparedPart => ({
  seen: 'not_known',
  text:
    endpoint === undefined
      ? say`not known from quotes: Dossier has none from this ${own(unseen === 'listing' ? 'listing' : 'endpoint')}`
      : own('not known from quotes: the endpoint quoted Dossier none'),
});

/** Returns when the unbroken run of held sightings up to the newest began, or a later time if unknown. */
function sinceWhen<T>(
  sightings: readonly OfferSighting<T>[],
  isHeld: (one: OfferSighting<T>) => boolean,
): string {
  const end = sightings.findIndex((one) => !isHeld(one));
  const last = sightings.slice(0, end === -1 ? sightings.length : end).at(-1);
  return last?.from ?? last?.until ?? '';
}

const partlyRead = ({ until }: Pick<OfferSighting<unknown>, 'until'>): ComparedPart =>
  notKnown(say`Dossier read or kept only some of the offers that were quoted on ${dayOf(until)}`);

/** `name` names what a sighting has instead. */
function comparePlace<T>(
  sightings: readonly OfferSighting<T>[],
  { since, ...asked }: Pick<SeenQuotes, 'since' | 'endpoint' | 'unseen'>,
  holds: (value: T) => boolean,
  name: (value: T) => readonly Words[],
  where = say``,
): ComparedPart {
  const isHeld = ({ value }: OfferSighting<T>) => value !== undefined && holds(value);
  const [now] = sightings;
  const newest = sightings.find(({ value }) => value !== undefined);
  if (!now || newest?.value === undefined) return noQuote(asked);
  if (isHeld(now))
    return { seen: 'as_seen', text: say`as seen since ${dayOf(sinceWhen(sightings, isHeld))}` };
  if (now.isPart) return partlyRead(now);
  const names = name(newest.value);
  const isNewest = ({ value }: OfferSighting<T>) =>
    value !== undefined && isDeepStrictEqual(name(value), names);
  const others = names.length === 0 ? own('another each time') : listed(names, mostNamed);
  const earlier = sightings.find(isHeld);
  if (earlier && now.value === undefined)
    return {
      seen: 'seen_until',
      text: say`seen until ${dayOf(earlier.until)}; no price was seen on ${dayOf(now.until)}`,
    };
  if (earlier) {
    const text = say`other: ${others} since ${dayOf(sinceWhen(sightings, isNewest))}; this one was seen until ${dayOf(earlier.until)}`;
    return { seen: 'seen_until', text };
  }
  const part = sightings.find(({ isPart }) => isPart);
  if (part) return partlyRead(part);
  const never = since === undefined ? own('never seen here') : say`never seen here since ${dayOf(since)}`;
  const when = newest.isNow
    ? say`since ${dayOf(sinceWhen(sightings, isNewest))}`
    : say`until ${dayOf(newest.until)}`;
  return { seen: 'never_seen', text: say`${never}${where}; other: ${others} ${when}` };
}

type Unit = Pick<SentOffer, 'asset' | 'network' | 'scheme'>;

/** A part of the unit that is not stated fits every offer. */
const isOf =
  (unit: Unit) =>
  (offer: Omit<PaidOffer, 'amount'>): boolean =>
    (['asset', 'network', 'scheme'] as const).every(
      (name) => unit[name] === undefined || unit[name] === offer[name],
    );

const unique = (values: readonly string[]): string[] => [...new Set(values)];

const networkWords = (network: string): Words => {
  const name = networkName(network);
  return name === undefined ? code(network) : say`${ours(name)} (${code(network)})`;
};

const assetWords = (asset: string, network = ''): Words => {
  const symbol = symbolOf(network, asset);
  return symbol === undefined ? code(asset) : say`${ours(symbol)} (${code(asset)})`;
};

/** For example `0.02 USDC (20000)`. */
const amountWords = (amount: string, { network, asset }: Unit): Words => {
  const named = network === undefined || asset === undefined ? undefined : toCaip19(network, asset);
  const converted = convert(amount, named);
  return converted === undefined ? ours(amount) : say`${ours(converted)} (${ours(amount)})`;
};

const payeesIn = (offers: readonly OfferWithPayee[]) =>
  unique(offers.flatMap(({ pay_to }) => pay_to ?? [])).map((payee) => code(payee));

/** Names the amounts of the payee, if this amount was quoted in the same unit for other payees only. */
function withOtherAmounts(
  compared: ComparedPart,
  offer: SentOffer,
  own: readonly OfferWithPayee[],
  ofUnit: readonly OfferWithPayee[],
): ComparedPart {
  const { amount = '' } = offer;
  const others = ofUnit.filter((one) => one.amount === amount);
  if (others.length === 0 || own.some((one) => one.amount === amount)) return compared;
  const words = unique(own.map((one) => one.amount)).map((one) => amountWords(one, offer));
  const text = say`${compared.text}, but for ${listed(words, mostNamed)}; ${amountWords(amount, offer)} was quoted for ${listed(payeesIn(others), mostNamed)}`;
  return { ...compared, text };
}

function comparePayee(pay_to: string, offer: SentOffer, seen: SeenQuotes): ComparedPart {
  const [now] = seen.payees;
  if (seen.isAnotherEachTime && now)
    return notKnown(
      say`the endpoint named another address at each request on ${dayOf(now.until)}, so this one can neither be confirmed nor called a change`,
    );
  const compared = comparePlace(
    seen.payees,
    seen,
    (payees) => payees.includes(pay_to),
    (payees) => payees.map((payee) => code(payee)),
  );
  const ofUnit = seen.payeesOf.filter((one) => one.pay_to !== undefined && isOf(offer)(one));
  if (compared.seen !== 'as_seen' || now?.isPart || ofUnit.length === 0) return compared;
  const ofPayee = ofUnit.filter((one) => one.pay_to === pay_to);
  if (ofPayee.length > 0) return withOtherAmounts(compared, offer, ofPayee, ofUnit);
  const named = listed(payeesIn(ofUnit), mostNamed);
  const earlier = seen.earlierPayeesOf.find(({ value = [] }) =>
    value.some((one) => one.pay_to === pay_to && isOf(offer)(one)),
  );
  const when = earlier ? say`seen until ${dayOf(earlier.until)}` : own('not in the last quote');
  const text = say`${when} for this asset, network and scheme; other: ${named}; for other offers ${compared.text}`;
  return { seen: earlier ? 'seen_until' : 'never_seen', text };
}

const amountsIn = (offers: readonly PaidOffer[] | undefined, unit: Unit): bigint[] =>
  (offers ?? []).filter(isOf(unit)).flatMap(({ amount }) => (isWhole(amount) ? [BigInt(amount)] : []));

const largest = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((most, one) => (one > most ? one : most), 0n);

interface SeenAmounts extends OfferSighting<readonly bigint[]> {
  readonly value: readonly bigint[];
}

function besideLast(amount: bigint, known: readonly SeenAmounts[], words: (one: bigint) => Words): Words {
  const [last] = known;
  const most = largest(known.flatMap(({ value }) => value));
  const highest = known.find(({ value }) => value.includes(most));
  const own = known.find(({ value }) => value.includes(amount));
  const until = own ? say`; this one was seen until ${dayOf(own.until)}` : say``;
  if (!highest || last?.value.includes(most)) return until;
  if (amount === most) return say`; this one, the highest, was seen until ${dayOf(highest.until)}`;
  return amount > most
    ? say`, and than the highest seen, ${words(most)} until ${dayOf(highest.until)}`
    : say`; the highest seen is ${words(most)}, until ${dayOf(highest.until)}${until}`;
}

function compareAmount(sent: string, offer: SentOffer, { quotes, ...asked }: SeenQuotes): ComparedPart {
  if (offer.asset === undefined || offer.network === undefined)
    return notKnown(own('amounts are compared within one asset and network'));
  const amount = BigInt(sent);
  const known = quotes.flatMap(({ value, ...when }): SeenAmounts[] => {
    const amounts = amountsIn(value, offer);
    return amounts.length > 0 ? [{ ...when, value: amounts }] : [];
  });
  const [last] = known;
  const part = quotes.find(({ isPart }) => isPart);
  if (part && (part.isNow || !last) && !last?.value.includes(amount)) return partlyRead(part);
  if (!last) {
    const isQuoted = quotes.some(({ value }) => value !== undefined);
    if (!isQuoted) return noQuote(asked);
    return notKnown(
      own('it cannot be compared, because nothing was quoted in this asset, network and scheme'),
    );
  }
  if (last.value.includes(amount)) {
    const since = sinceWhen(quotes, ({ value }) => amountsIn(value, offer).includes(amount));
    return last.isNow
      ? { seen: 'as_seen', text: say`as seen since ${dayOf(since)}` }
      : { seen: 'seen_until', text: say`seen until ${dayOf(last.until)}; no amount in this unit since` };
  }
  const words = (one: bigint) => amountWords(String(one), offer);
  const names = listed(last.value.map(words), mostNamed);
  const beside = say`, last seen on ${dayOf(last.until)}${besideLast(amount, known, words)}`;
  if (last.value.every((one) => amount > one))
    return { seen: 'higher', text: say`higher than ${names}${beside}` };
  if (last.value.every((one) => amount < one))
    return { seen: 'lower', text: say`lower than ${names}${beside}` };
  const isEarlier = known.some(({ value }) => value.includes(amount));
  return { seen: isEarlier ? 'seen_until' : 'never_seen', text: say`other: ${names}${beside}` };
}

const unstated = notKnown(own('the offer states none that Dossier can read'));

function toPart<T>(
  stated: T | undefined,
  write: (stated: T) => Words,
  compare: (stated: T) => ComparedPart,
): OfferPart {
  return stated === undefined ? unstated : { value: write(stated), ...compare(stated) };
}

/** Tells whether a network is neither in CAIP-2 nor known to Dossier by its name. */
export const isNetworkName = (network: string): boolean => !network.includes(':');

/** A name that Dossier does not know may mean a network that is written in CAIP-2. */
function whyNotComparable(
  network: string | undefined,
  quotes: SeenQuotes['quotes'],
): ComparedPart | undefined {
  const seen = unique(quotes.flatMap(({ value }) => value?.map((one) => one.network) ?? []));
  if (network === undefined || seen.length === 0 || seen.includes(network)) return undefined;
  const unknown = isNetworkName(network) ? network : seen.find(isNetworkName);
  if (unknown === undefined || (isNetworkName(network) && seen.every(isNetworkName))) return undefined;
  return notKnown(say`Dossier does not know which network ${code(unknown)} is`);
}

/**
 * Compares the network, the asset among offers on this network, and the scheme among offers of this asset.
 */
function compareUnit(
  offer: SentOffer,
  { quotes, ...seen }: SeenQuotes,
): Pick<ComparedOffer, 'asset' | 'network' | 'scheme'> {
  const { asset, network, scheme } = offer;
  const compare = (
    unit: Unit,
    within: Unit,
    write: (one: PaidOffer) => Words,
    { where = say``, writeElsewhere = write } = {},
  ) =>
    comparePlace(
      quotes,
      seen,
      (offers) => offers.some(isOf({ ...within, ...unit })),
      (offers) => {
        const near = offers.filter(isOf(within));
        const others = near.length > 0 ? near.map(write) : offers.map(writeElsewhere);
        return [...new Map(others.map((one) => [toText(one), one])).values()];
      },
      where,
    );
  const ofNetwork: Unit = network === undefined ? {} : { network };
  const ofAsset: Unit = asset === undefined ? ofNetwork : { ...ofNetwork, asset };
  // If the newest quote does not have the asset, the scheme is compared with the schemes of all offers.
  const newest = quotes.find(({ value }) => value !== undefined);
  const isAssetSeen = newest?.value?.some(isOf(ofAsset)) === true;
  const ofOther = (one: PaidOffer) => assetWords(one.asset, one.network);
  const writeElsewhere = (one: PaidOffer) => say`${ofOther(one)} on ${networkWords(one.network)}`;
  const other = whyNotComparable(network, quotes);
  const where = own(' on this network');
  const isNowhere = network === undefined && newest !== undefined;
  return {
    asset: toPart(
      asset,
      (one) => assetWords(one, network),
      () =>
        isNowhere
          ? notKnown(own('assets are compared within one network'))
          : (other ?? compare(ofAsset, ofNetwork, ofOther, { where, writeElsewhere })),
    ),
    network: toPart(
      network,
      networkWords,
      () => other ?? compare(ofNetwork, {}, (one) => networkWords(one.network)),
    ),
    scheme: toPart(scheme, code, (one) =>
      compare({ scheme: one }, isAssetSeen ? ofAsset : {}, (other) => code(other.scheme)),
    ),
  };
}

const compareOffer = (offer: SentOffer, seen: SeenQuotes): ComparedOffer => ({
  payee: toPart(offer.pay_to, code, (one) => comparePayee(one, offer, seen)),
  amount: toPart(
    offer.amount,
    (one) => amountWords(one, offer),
    (one) => compareAmount(one, offer, seen),
  ),
  ...compareUnit(offer, seen),
});

export function unseenOffer(offer: SentOffer, unseen: SeenQuotes['unseen']): ComparedOffer {
  return compareOffer(offer, {
    endpoint: undefined,
    unseen,
    quotes: [],
    payees: [],
    payeesOf: [],
    earlierPayeesOf: [],
    isAnotherEachTime: false,
  });
}

export function compareWithClosest(offers: readonly SentOffer[], seen: readonly SeenQuotes[]) {
  const all = seen.map((quotes) => ({
    quotes,
    compared: offers.map((offer) => compareOffer(offer, quotes)),
  }));
  const asSeen = ({ compared }: (typeof all)[number]) =>
    compared.flatMap((one) => Object.values(one)).filter((part) => part.seen === 'as_seen').length;
  const isQuoting = ({ quotes }: (typeof all)[number]) => (quotes.quotes.some(({ value }) => value) ? 1 : 0);
  return all.toSorted((a, b) => asSeen(b) - asSeen(a) || isQuoting(b) - isQuoting(a))[0];
}
