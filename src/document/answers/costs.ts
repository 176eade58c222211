import { dayText } from '../../core/text.ts';
import { count, dayOf, join, own, phrase, say, toText, type Words } from '../../core/words.ts';
import { toolsSurface } from '../../observations/kinds/lists/tools.ts';
import { priceChallenge } from '../../observations/kinds/prices/offer.ts';
import { allOffers, offerInFull, offersWithPayees } from '../../observations/kinds/prices/offers.ts';
import {
  isAnotherEachTime,
  pricePayTo,
  readPayees,
  withPresentPayees,
} from '../../observations/kinds/prices/pay-to.ts';
import { anyPrice } from '../../observations/kinds/questions.ts';
import { kinds } from '../../observations/kinds.ts';
import { type FactsOf, observed, recorded, unknownOf, whyOf } from '../fact.ts';
import {
  atPlace,
  factWords,
  isChecked,
  isKnown,
  type JudgedListing,
  type KnownFact,
  type SeenFact,
} from '../seen.ts';
import { factName } from '../words.ts';

const otherPrices = kinds.filter(
  ({ kind, line }) => line === 'costs' && kind !== priceChallenge.kind && kind !== pricePayTo.kind,
);

/** `exact` (x402) and `charge` (MPP) pay for one request, other schemes for use. */
const isForRequest = (one: KnownFact<typeof priceChallenge>): boolean =>
  allOffers(one).every(({ scheme }) => /^(?:exact|charge)$/.test(scheme));

const none = say``;
const noPrice = own('no price seen; calls may cost');

/** Leaves out a reason that the line about tools gives too. */
function noPriceWords(one: SeenFact<typeof priceChallenge>, { seen, known }: JudgedListing): Words {
  // If a fact of another kind states a price, the answer has that fact too.
  const isStated = otherPrices.some((kind) => kind.priced && known(kind).length > 0);
  if (one.outcome === 'nothing')
    return isStated ? own('no payment asked for before it answers; calls may cost') : noPrice;
  if (one.outcome === 'asks' && one.asks_for === 'payment') return say`price not known: ${whyOf(one)}`;
  const isSaid = seen(toolsSurface).some(
    ({ subject, reason = none }) => subject === one.subject && toText(reason) === toText(one.reason ?? none),
  );
  return isSaid ? own('no price could be seen') : say`no price could be seen: ${whyOf(one)}`;
}

const mostOffers = 3;

function sinceWords(
  price: KnownFact<typeof priceChallenge>,
  payee: KnownFact<typeof pricePayTo> | undefined,
): Words {
  const isOlder = dayText(price.first_seen_at) < dayText(price.observed_at);
  const from = payee && dayText(payee.first_seen_at);
  if (from === undefined || from === dayText(price.first_seen_at))
    return isOlder ? say`, the same since ${dayOf(price.first_seen_at)}` : say``;
  // If there are several payees, this is the date on which a payee was last added or removed.
  const paid = readPayees(payee?.value).length > 1 ? own('exactly these payees') : own('this payee');
  return say`, this price since ${dayOf(price.first_seen_at)} and ${paid} since ${dayOf(from)}`;
}

function quotedWords(one: KnownFact<typeof priceChallenge>, { known, detail }: JudgedListing): Words {
  const payee = known(pricePayTo).find(({ subject }) => subject === one.subject);
  const isAnother = payee !== undefined && isAnotherEachTime(payee.value);
  const quoted = isAnother ? allOffers(one) : offersWithPayees(one);
  const offers = one.seen_in_part ? withPresentPayees(quoted, payee) : quoted;
  const shown = detail === 'full' ? offers : offers.slice(0, mostOffers);
  const left = offers.length - shown.length;
  const more = left > 0 ? say`; and ${count(left, 'more offer')}` : say``;
  // Shortened details may lack the payees of the offers.
  const isNamed = shown.some((offer) => 'pay_to' in offer);
  const to = payee && !isNamed ? say`, paid to ${factWords(payee)}` : say``;
  return say`${join(shown.map(offerInFull), '; or ')}${to}${more}${sinceWords(one, payee)}`;
}

export const costs: FactsOf = (judged) => {
  const { known } = judged;
  const quoted = judged.seen(priceChallenge);
  const prices = known(priceChallenge).map((one) => {
    const unit = isForRequest(one) ? own('for one request') : own('for an amount of use that is not known');
    const place = atPlace(one, quoted);
    return observed(judged, one, say`quotes ${unit}${place} before it answers: ${quotedWords(one, judged)}`);
  });
  const others = otherPrices.flatMap((kind) =>
    known(kind).map((one) => observed(judged, one, say`${factName(kind.kind)}: ${factWords(one)}`)),
  );
  const notSeen = quoted.filter((one) => !isKnown(one));
  const unread = judged.listing.not_known.find(
    ({ kind, state }) => kind === anyPrice.kind && state === 'not_checked',
  );
  return [
    ...prices,
    ...others,
    ...notSeen.map((one) => observed(judged, one, say`${noPriceWords(one, judged)}${atPlace(one, quoted)}`)),
    ...(unread && quoted.some(({ outcome }) => outcome !== 'not_asked')
      ? [recorded(judged, phrase(unread.reason), 'not_known')]
      : []),
    ...(quoted.length + others.length === 0
      ? [
          unknownOf(
            judged,
            anyPrice,
            isChecked(judged) ? own('not stated') : own('not recorded, not checked'),
          ),
        ]
      : []),
  ];
};
