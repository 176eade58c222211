import { dayText } from '../../core/text.ts';
import { count, day, dayOf, join, own, phrase, say, toText, type Words } from '../../core/words.ts';
import { toolsSurface } from '../../observations/known/kinds/lists/tools.ts';
import { anyPrice } from '../../observations/known/kinds/questions.ts';
import {
  areOthersEachTime,
  isAnotherEachTime,
  payeesIn,
  pricesIn,
} from '../../observations/known/prices/offer.ts';
import { costOf, isQuote, priceOffers } from '../../observations/known/prices/offers.ts';
import {
  eachTimeWords,
  formerPrice,
  noPrice,
  offerInFull,
  paidForWords,
  placeTitle,
} from '../../observations/known/prices/words.ts';
import { type FactsOf, observed, recorded, unknownOf, whyOf } from '../recorded-facts.ts';
import {
  asLastKnown,
  atPlace,
  factWords,
  isKnown,
  type JudgedListing,
  type KnownFact,
  type SeenFact,
} from '../seen.ts';
import { isInTable } from './tables.ts';

type KnownOffers = KnownFact<typeof priceOffers>;

const none = say``;

/** Leaves out a reason that the line about tools gives too. */
function noPriceWords(one: SeenFact<typeof priceOffers>, { seen, known }: JudgedListing): Words {
  // If another place states a price, the answer has that fact too.
  const isStated = known(priceOffers).some((fact) => !isQuote(fact) && costOf(fact.value)?.isPriced);
  if (one.outcome === 'nothing' && isStated)
    return own('no payment asked for before it answers; calls may cost');
  if (one.outcome === 'nothing') {
    const isOther = seen(priceOffers).some(({ changed_from }) => changed_from?.value != null);
    const none = isOther ? say`no price at the check of ${day(one.observed_at)}; calls may cost` : noPrice;
    return formerPrice(one) ?? none;
  }
  if (one.outcome === 'asks' && one.asks_for === 'payment') return say`price not known: ${whyOf(one)}`;
  const isSaid = seen(toolsSurface).some(
    ({ subject, reason = none }) => subject === one.subject && toText(reason) === toText(one.reason ?? none),
  );
  return isSaid ? own('no price could be seen') : say`no price could be seen: ${whyOf(one)}`;
}

const mostOffers = 3;

/** If neither the prices nor the payees are other ones since an earlier day, it is what is paid to whom. */
function sinceWords(one: KnownOffers): Words {
  const { first_seen_at: first, observed_at, value, changed_from, parts: { prices, payees } = {} } = one;
  const all = dayText(first);
  const price = dayText(prices?.since ?? first);
  const payee = dayText(payees?.since ?? first);
  if (price === payee || value.payees.length === 0 || (price < all && payee < all)) {
    const only = value.count > 1 ? own('exactly these offers') : own('no offer but this');
    const isSame = !changed_from || changed_from.value === null;
    const same = areOthersEachTime(value) ? own('so') : isSame ? own('the same') : only;
    return all < dayText(observed_at) ? say`, ${same} since ${dayOf(all)}` : say``;
  }
  const paid = payeesIn(value).length > 1 ? own('exactly these payees') : own('no payee but this');
  const asked = pricesIn(value).length > 1 ? own('exactly these prices') : own('no price but this');
  return say`, ${asked} since ${dayOf(price)} and ${paid} since ${dayOf(payee)}`;
}

function quotedWords(one: KnownOffers, { detail }: JudgedListing): Words {
  const { offers, count: all } = one.value;
  if (detail === 'table' && isInTable(one.value))
    return say`${count(all, 'offer')}${eachTimeWords(one.value)}${sinceWords(one)}`;
  const shown = detail === 'full' ? offers : offers.slice(0, mostOffers);
  const left = all - shown.length;
  const more = left > 0 ? say`; and ${count(left, 'more offer')}` : say``;
  const to = isAnotherEachTime(one.value) ? own(', paid to another address each time') : say``;
  return say`${join(shown.map(offerInFull), '; or ')}${more}${to}${eachTimeWords(one.value)}${sinceWords(one)}`;
}

export const costs: FactsOf = (judged) => {
  const { known } = judged;
  const quoted = judged.seen(priceOffers).filter(isQuote);
  const quotes = quoted.map((newest) => {
    const one = newest.outcome === 'nothing' ? newest : asLastKnown(newest);
    const place = atPlace(one, quoted);
    if (!isKnown(one)) return observed(judged, one, say`${noPriceWords(one, judged)}${place}`);
    const text = say`quotes ${paidForWords(one.value.offers)}${place} before it answers: ${quotedWords(one, judged)}`;
    const said = observed(judged, one, text);
    return one === newest ? said : { ...said, text: say`${said.text}: ${whyOf(newest)}` };
  });
  const others = known(priceOffers)
    .filter((one) => !isQuote(one))
    .map((one) => observed(judged, one, say`${placeTitle(one.value)}: ${factWords(one)}`));
  const unread = judged.listing.not_known.find(
    ({ kind, state }) => kind === anyPrice.kind && state === 'not_checked',
  );
  return [
    ...quotes.filter(({ state }) => state === 'known'),
    ...others,
    ...quotes.filter(({ state }) => state !== 'known'),
    ...(unread && quoted.some(({ outcome }) => outcome !== 'not_asked')
      ? [recorded(judged, phrase(unread.reason), 'not_known')]
      : []),
    ...(quoted.length + others.length === 0 ? [unknownOf(judged, anyPrice, own('not checked'))] : []),
  ];
};
