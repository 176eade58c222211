import { z } from 'zod';
import { payeeWords, toAddress } from '../../../core/payee.ts';
import { code, isEmpty, join, listed, ours, own, say, type Words } from '../../../core/words.ts';
import type { ShownFinding } from '../../kind.ts';
import { convert, networkName, networkWords, toCaip19, toChain } from './assets.ts';

/**
 * The form is the same for all versions of x402 and MPP. The payee of a quote is a fact of its own
 * (price.pay_to), so that a new payee does not change the price.
 */
const paidOffer = z.strictObject({
  /** A whole number of the asset's smallest unit. */
  amount: z.string(),
  /** An eip155 address is in lower case, since its capitals are only a checksum. */
  asset: z.string(),
  /** A CAIP-2 name, or the quoted name of a network that Dossier does not know. */
  network: z.string(),
  /** A scheme such as `exact`, `upto` or `charge`. */
  scheme: z.string(),
});
export type PaidOffer = z.infer<typeof paidOffer>;
export const paidOffers = z.array(paidOffer);

export const readOffers = (value: unknown): readonly PaidOffer[] => paidOffers.safeParse(value).data ?? [];

const quotedOffer = z.looseObject({
  ...paidOffer.shape,
  pay_to: z.string().optional(),
  chain_id: z.number().optional(),
});

/** The details or the value may have been shortened, so the one with more offers is read. */
export function allOffers({ value, details }: ShownFinding): readonly PaidOffer[] {
  const stored = readOffers(value);
  const quoted = toPaidOffers(z.array(quotedOffer).safeParse(details?.offers).data ?? []);
  return quoted.length < stored.length ? stored : quoted;
}

interface Quoted extends PaidOffer {
  readonly chain_id?: number | undefined;
  readonly pay_to?: string | undefined;
}

export interface OfferWithPayee extends PaidOffer {
  readonly pay_to?: string | undefined;
}

/** MPP states the method of payment, and may state the id of the chain beside it. */
export const toNetwork = (network: string, chain_id?: number): string =>
  chain_id === undefined ? toChain(network) : `eip155:${chain_id}`;

const toPaid = ({ amount, asset, network, chain_id, scheme }: Quoted): PaidOffer => ({
  amount,
  asset: toAddress(asset),
  network: toNetwork(network, chain_id),
  scheme,
});

const toPaidWithPayee = ({ pay_to, ...offer }: Quoted): OfferWithPayee => ({
  ...toPaid(offer),
  ...(pay_to !== undefined && { pay_to: toAddress(pay_to) }),
});

export const offerText = ({ asset, network, scheme, amount }: PaidOffer) =>
  `${[network, asset, scheme].join(' ')} ${amount.padStart(78, '0')}`;

/** Offers with the same asset, network and scheme can be compared by amount. */
export const unitOf = ({ asset, network, scheme }: PaidOffer) => [asset, network, scheme].join(' ');

const convertedOf = ({ amount, network, asset }: PaidOffer) => convert(amount, toCaip19(network, asset));

/** Returns each offer once. Dollars that Dossier knows come first. */
function inOrder<Offer extends OfferWithPayee>(offers: readonly Offer[]): Offer[] {
  const rank = (offer: Offer) =>
    `${convertedOf(offer)?.includes('USD') ? 0 : 1} ${offerText(offer)} ${offer.pay_to ?? ''}`;
  const ranked = new Map(offers.map((offer) => [rank(offer), offer]));
  return [...ranked].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, offer]) => offer);
}

/** Returns each offer once, without its payees. */
export const toPaidOffers = (quoted: readonly Quoted[]): PaidOffer[] => inOrder(quoted.map(toPaid));

/** Returns each offer once with each of its payees. */
export const toOffersWithPayees = (quoted: readonly Quoted[]): OfferWithPayee[] =>
  inOrder(quoted.map(toPaidWithPayee));

/** Says an amount as `0.01 USDC`, or as it was quoted. The usual scheme `exact` is not named. */
function amountWords(offer: PaidOffer, isExact: boolean): Words {
  const { amount, asset, scheme } = offer;
  const converted = isExact ? undefined : convertedOf(offer);
  const quoted = asset === '' ? ours(amount) : say`${ours(amount)} of ${code(asset)}`;
  const price = converted === undefined ? quoted : ours(converted);
  return scheme === 'exact' || scheme === '' ? price : say`${price} (scheme ${code(scheme)})`;
}

/** Returns each offer of a fact once with each of its payees. */
export function offersWithPayees(found: ShownFinding): OfferWithPayee[] {
  const quoted = z.array(quotedOffer).safeParse(found.details?.offers).data ?? [];
  const payeesOf = Map.groupBy(quoted, (one) => offerText(toPaid(one)));
  return allOffers(found).flatMap((offer): OfferWithPayee[] => {
    const payees = payeesOf.get(offerText(offer))?.map(({ pay_to }) => pay_to && toAddress(pay_to)) ?? [
      undefined,
    ];
    return [...new Set(payees)].map((pay_to) => ({ ...offer, ...(pay_to !== undefined && { pay_to }) }));
  });
}

/**
 * Says everything by which a payment can be compared with an offer: `0.02 USDC (20000 of <address>) on Base
 * (<network>), paid to <address>`.
 */
export function offerInFull({ pay_to, ...offer }: OfferWithPayee): Words {
  const { amount, asset, network, scheme } = offer;
  const converted = convertedOf(offer);
  const exact = say`${ours(amount)} of ${code(asset)}`;
  const price = converted === undefined ? exact : say`${ours(converted)} (${exact})`;
  const by = scheme === 'exact' ? own('') : say` (scheme ${code(scheme)})`;
  const name = networkName(network);
  const on = name === undefined ? code(network) : say`${ours(name)} (${code(network)})`;
  const to = pay_to === undefined ? own('') : say`, paid to ${payeeWords({ address: pay_to, network })}`;
  return say`${price}${by} on ${on}${to}`;
}

/** Says an offer as `0.01 USDC on Base`. If `isExact` is set, the unit and the names are the quoted ones. */
export function offerWords(offer: PaidOffer, isExact = false): Words {
  const amount = amountWords(offer, isExact);
  if (offer.network === '') return amount;
  return say`${amount} on ${isExact ? code(offer.network) : networkWords(offer.network)}`;
}

export function offersWords(offers: readonly PaidOffer[], count = offers.length): Words {
  const [first] = offers;
  if (!first) return own('');
  const more = count - 1;
  if (more === 0) return offerWords(first);
  return say`${offerWords(first)} (${more} more ${more === 1 ? own('offer') : own('offers')})`;
}

function without(offers: readonly PaidOffer[], others: readonly PaidOffer[]): PaidOffer[] {
  const known = new Set(others.map(offerText));
  return offers.filter((offer) => !known.has(offerText(offer)));
}

/** Tells whether an amount can be compared. A long amount may have been shortened, and is then no number. */
export const isWhole = (amount: string): boolean => /^\d{1,78}$/.test(amount);

/**
 * Pairs a gone and an added offer with the same asset, network and scheme, if there is exactly one of each.
 */
function toMoved(gone: readonly PaidOffer[], added: readonly PaidOffer[]) {
  const now = Map.groupBy(added, unitOf);
  return [...Map.groupBy(gone, unitOf)].flatMap(([unit, before]) => {
    const after = now.get(unit) ?? [];
    const [was] = before;
    const [is] = after;
    const isOne = was && is && before.length + after.length === 2;
    return isOne && isWhole(was.amount) && isWhole(is.amount) ? [{ was, is }] : [];
  });
}

function raiseWeight({ was, is }: ReturnType<typeof toMoved>[number]): number {
  const before = BigInt(was.amount);
  const after = BigInt(is.amount);
  if (after <= before) return 0;
  if (after >= before * 10n) return 3;
  return after >= before * 2n ? 2 : 1;
}

/** A new asset, network or scheme in place of an old one weighs most; a raise weighs by its size. */
export function offersWeight(before: readonly PaidOffer[], after: readonly PaidOffer[]): number {
  const gone = without(before, after);
  const added = without(after, before);
  const old = new Set(before.map(unitOf));
  const now = new Set(after.map(unitOf));
  const isReplaced = [...old].some((unit) => !now.has(unit)) && [...now].some((unit) => !old.has(unit));
  const added_weight = added.length > 0 && gone.length === 0 ? 1 : 0;
  return Math.max(isReplaced ? 4 : added_weight, ...toMoved(gone, added).map(raiseWeight));
}

const mostNamed = 2;

/**
 * The words are, for example, `Price raised from 0.01 USDC to 0.05 USDC on Base`. Only amounts with the same
 * asset, network and scheme are called raised or lowered.
 */
export function offersChange(before: readonly PaidOffer[], after: readonly PaidOffer[]): Words | undefined {
  const gone = without(before, after);
  const added = without(after, before);
  const all = [...gone, ...added];
  // Two assets may have the same symbol.
  const isExact = new Set(all.map((offer) => JSON.stringify(offerWords(offer)))).size < all.length;
  const name = (offers: readonly PaidOffer[]) =>
    listed(
      offers.map((offer) => offerWords(offer, isExact)),
      mostNamed,
    );
  const moved = toMoved(gone, added);
  const said = moved.slice(0, mostNamed).map(({ was, is }) => {
    const how = BigInt(was.amount) < BigInt(is.amount) ? own('raised') : own('lowered');
    return say`Price ${how} from ${amountWords(was, isExact)} to ${offerWords(is, isExact)}`;
  });
  const left = without(
    gone,
    moved.map(({ was }) => was),
  );
  const came = without(
    added,
    moved.map(({ is }) => is),
  );
  const more = moved.length > mostNamed ? [say`${moved.length - mostNamed} more amounts changed`] : [];
  const others =
    left.length > 0 && came.length > 0
      ? [say`Price changed from ${name(left)} to ${name(came)}`]
      : left.length > 0
        ? [say`No longer quoted: ${name(left)}`]
        : came.length > 0
          ? [say`Also quoted: ${name(came)}`]
          : [];
  const words = join([...said, ...more, ...others], '. ');
  return isEmpty(words) ? undefined : words;
}
