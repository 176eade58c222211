import { dayOf, listed, ours, own, say, type Words } from '../../../core/words.ts';
import { convert, networkWords, readPriceLimit, symbolOf, timesOf, toCaip19 } from './assets.ts';
import { isSame } from './named-asset.ts';
import { convertedOf, isWhole, type Offer } from './offer.ts';
import type { SeenOffers } from './seen.ts';
import type { SentOffer } from './sent.ts';
import { isMost } from './words.ts';

const mostNamed = 2;

export type Unit = Pick<SentOffer, 'asset' | 'network' | 'scheme'>;

/** `0.02 USDC (20000)` */
export const amountWords = (amount: string, unit: Unit): Words => {
  const { network, asset } = unit;
  const named = network === undefined || asset === undefined ? undefined : toCaip19(network, asset);
  const converted = convert(amount, named);
  const most = isMost(unit) && own('at most ');
  return say`${most}${converted === undefined ? ours(amount) : say`${ours(converted)} (${ours(amount)})`}`;
};

/** The stated number in whole units of the quoted asset, whose symbol the offer names or leaves out. */
function inQuotedUnit(stated: string, { asset, network }: SentOffer, [quoted]: readonly Offer[]): Words {
  const symbol = symbolOf(quoted?.network ?? '', quoted?.asset ?? '');
  const { amount = stated, asset: named = asset } = readPriceLimit(stated) ?? {};
  const isMeant = named === undefined || [quoted?.asset, symbol].some((one) => isSame(one, named));
  const isElsewhere = network !== undefined && network !== quoted?.network;
  const times = symbol && isMeant && !isElsewhere ? timesOf(amount, convertedOf(quoted ?? {})) : undefined;
  return times ? say`; if the number is meant in ${ours(symbol ?? '')}, it is ${times}` : say``;
}

/** With the network, if it is not the one of an offer. */
export function quotedWords(all: readonly Offer[], { network }: SentOffer): Words[] {
  return all.flatMap(({ amount, ...unit }) => {
    const elsewhere = unit.network !== network && say` on ${networkWords(unit.network ?? '')}`;
    return isWhole(amount) ? [say`${amountWords(amount, unit)}${elsewhere}`] : [];
  });
}

/** Beside what was quoted, so that a reader can compare. */
export function besideQuoted(stated: string, offer: SentOffer, { quotes }: SeenOffers): Words {
  const newest = quotes.find(({ value }) => value !== undefined);
  const here = (one: Offer) => offer.network === undefined || offer.network === one.network;
  const quoted = (newest?.value ?? [])
    .filter(({ amount }) => isWhole(amount))
    .toSorted((a, b) => Number(here(b)) - Number(here(a)));
  const amounts = quotedWords(quoted, offer);
  if (!newest || amounts.length === 0) return say``;
  const until =
    newest === quotes[0] && newest.isNow ? own('quoted') : say`quoted until ${dayOf(newest.until)}`;
  const isSmallest = isWhole(stated) && quoted.some(({ amount }) => amount === stated);
  const same = isSmallest && own('; if it is meant in the smallest unit, it is the same');
  // An asset with an address has its own smallest unit.
  const isUnit = isWhole(stated) && toCaip19(offer.network ?? '', offer.asset ?? '') !== undefined;
  const named = say`; ${until}: ${listed(amounts, mostNamed)}`;
  return isUnit ? named : say`${named}${same}${inQuotedUnit(stated, offer, quoted)}`;
}
