import { type OfferWithPayee, offerText, unitOf } from './offers.ts';

/** `isWhole` is false if more offers may have been stated. */
export interface StatedOffers<Offer extends OfferWithPayee = OfferWithPayee> {
  readonly offers: readonly Offer[];
  readonly isWhole: boolean;
}

const isSameOffer = (a: OfferWithPayee, b: OfferWithPayee) => offerText(a) === offerText(b);
const isSame = (a: OfferWithPayee, b: OfferWithPayee) => isSameOffer(a, b) && a.pay_to === b.pay_to;
const ofUnit = (offers: readonly OfferWithPayee[], one: OfferWithPayee) =>
  offers.filter((other) => unitOf(other) === unitOf(one));

/**
 * An offer can be compared with a part on the other side in three cases: both have it with its payee, both
 * have exactly one offer in its unit, or both have it and share none of its payees.
 */
function isInBoth(one: OfferWithPayee, own: readonly OfferWithPayee[], others: readonly OfferWithPayee[]) {
  if (others.some((other) => isSame(one, other))) return true;
  if (ofUnit(own, one).length === 1 && ofUnit(others, one).length === 1) return true;
  const same = others.filter((other) => isSameOffer(one, other));
  const ownSame = own.filter((other) => isSameOffer(one, other));
  return same.length > 0 && !same.some((other) => ownSame.some(({ pay_to }) => pay_to === other.pay_to));
}

const comparable = <Offer extends OfferWithPayee>(
  { offers }: StatedOffers<Offer>,
  other: StatedOffers<Offer>,
): readonly Offer[] => (other.isWhole ? offers : offers.filter((one) => isInBoth(one, offers, other.offers)));

/**
 * The offers that are known to have changed or to be the same. An offer that a part lacks may be in the rest,
 * and is neither new nor gone.
 */
export const knownOnBoth = <Offer extends OfferWithPayee>(
  was: StatedOffers<Offer>,
  is: StatedOffers<Offer>,
) => ({ before: comparable(was, is), after: comparable(is, was) });

const isPaidIn = ({ network, pay_to }: OfferWithPayee, offers: readonly OfferWithPayee[]) =>
  offers.some((other) => other.network === network && other.pay_to === pay_to);

/** Leaves out payees that the other side has only in offers that are not compared. */
const withoutPaidElsewhere = (
  offers: readonly OfferWithPayee[],
  compared: readonly OfferWithPayee[],
  { offers: all }: StatedOffers,
) => offers.filter((one) => isPaidIn(one, compared) || !isPaidIn(one, all));

export function payeesOnBoth(was: StatedOffers, is: StatedOffers) {
  const { before, after } = knownOnBoth(was, is);
  return {
    before: withoutPaidElsewhere(before, after, is),
    after: withoutPaidElsewhere(after, before, was),
  };
}

/** A part has less than a whole list. It has less than another part if it lacks an offer of that part. */
export const hasLess = (was: StatedOffers, is: StatedOffers): boolean =>
  !is.isWhole && (was.isWhole || !was.offers.every((one) => is.offers.some((other) => isSame(one, other))));

/** The offers of a part, and the offers known before that the part does not show to have changed. */
export const joinOffers = <Offer extends OfferWithPayee>(
  { offers: before }: StatedOffers<Offer>,
  { offers: part }: StatedOffers<Offer>,
): readonly Offer[] => [...part, ...before.filter((one) => !isInBoth(one, before, part))];
