import { z } from 'zod';
import { payeeWords, toAddress } from '../../../core/payee.ts';
import { code, isEmpty, join, listed, ours, own, say, type Words } from '../../../core/words.ts';
import type { ShownFinding } from '../../kind.ts';
import { convert, networkName, networkWords, toCaip19, toChain } from './assets.ts';

/**
 * One way to pay as it is stored and compared: the same for an offer in x402 version 1, version 2 or MPP. Who
 * is paid is a fact of its own (price.pay_to), so that another payee is no other price.
 */
const paidOffer = z.strictObject({
  /** A whole number of the asset's smallest unit. */
  amount: z.string(),
  /** An address of eip155 in lower case, since its capitals are only a checksum. */
  asset: z.string(),
  /** CAIP-2, or the name that the source uses of a network that Dossier does not know. */
  network: z.string(),
  /** `exact`, `upto`, `charge` and the like. */
  scheme: z.string(),
});
export type PaidOffer = z.infer<typeof paidOffer>;
export const paidOffers = z.array(paidOffer);

/** The offers of a value that is stored; none if it is no list of them. */
export const readOffers = (value: unknown): readonly PaidOffer[] => paidOffers.safeParse(value).data ?? [];

const quotedOffer = z.looseObject({
  ...paidOffer.shape,
  pay_to: z.string().optional(),
  chain_id: z.number().optional(),
});

/**
 * All offers of a fact whose details have them as they were quoted: a value holds what fits into 1 KiB.
 * Details may be shortened more.
 */
export function allOffers({ value, details }: ShownFinding): readonly PaidOffer[] {
  const stored = readOffers(value);
  const quoted = toPaidOffers(z.array(quotedOffer).safeParse(details?.offers).data ?? []);
  return quoted.length < stored.length ? stored : quoted;
}

interface Quoted extends PaidOffer {
  readonly chain_id?: number | undefined;
}

/** A network as it is compared; MPP names the method of a payment, and the id of the chain beside it. */
export const toNetwork = (network: string, chain_id?: number): string =>
  chain_id === undefined ? toChain(network) : `eip155:${chain_id}`;

/** An offer as it is compared. */
const toPaid = ({ amount, asset, network, chain_id, scheme }: Quoted): PaidOffer => ({
  amount,
  asset: toAddress(asset),
  network: toNetwork(network, chain_id),
  scheme,
});

const textOf = ({ asset, network, scheme, amount }: PaidOffer) =>
  `${[network, asset, scheme].join(' ')} ${amount.padStart(78, '0')}`;

/** Offers that can be compared stand together: the same asset on the same network under the same scheme. */
const unitOf = ({ asset, network, scheme }: PaidOffer) => [asset, network, scheme].join(' ');

const convertedOf = ({ amount, network, asset }: PaidOffer) => convert(amount, toCaip19(network, asset));

/**
 * Offers as they are compared, each once: those in assets that Dossier knows first, whatever order they were
 * quoted in.
 */
export function toPaidOffers(quoted: readonly Quoted[]): PaidOffer[] {
  const offers = new Map(quoted.map(toPaid).map((offer) => [textOf(offer), offer]));
  const rank = (offer: PaidOffer) => `${convertedOf(offer) === undefined ? 1 : 0} ${textOf(offer)}`;
  return [...offers.values()].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** `0.01 USDC`, or as it was quoted; the usual scheme is not named: exactly this amount is paid. */
function amountWords(offer: PaidOffer, isExact: boolean): Words {
  const { amount, asset, scheme } = offer;
  const converted = isExact ? undefined : convertedOf(offer);
  const price = converted === undefined ? say`${ours(amount)} of ${code(asset)}` : ours(converted);
  return scheme === 'exact' ? price : say`${price} (scheme ${code(scheme)})`;
}

/** An offer with who is paid by it. */
export interface OfferWithPayee extends PaidOffer {
  readonly pay_to?: string;
}

/**
 * The offers of a fact as they were quoted, each once, each with its payee, in the order of `toPaidOffers`.
 */
export function offersWithPayees(found: ShownFinding): OfferWithPayee[] {
  const quoted = z.array(quotedOffer).safeParse(found.details?.offers).data ?? [];
  const payeesOf = Map.groupBy(quoted, (one) => textOf(toPaid(one)));
  return allOffers(found).flatMap((offer): OfferWithPayee[] => {
    const payees = payeesOf.get(textOf(offer))?.map(({ pay_to }) => pay_to && toAddress(pay_to)) ?? [
      undefined,
    ];
    return [...new Set(payees)].map((pay_to) => ({ ...offer, ...(pay_to !== undefined && { pay_to }) }));
  });
}

/**
 * An offer with all that a payment would be compared by: `0.02 USDC (20000 of <address>) on Base (<network>),
 * paid to <address>`.
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

/** An offer, as `0.01 USDC on Base`. `isExact`: in the unit and with the names that were quoted. */
export function offerWords(offer: PaidOffer, isExact = false): Words {
  const network = isExact ? code(offer.network) : networkWords(offer.network);
  return say`${amountWords(offer, isExact)} on ${network}`;
}

/** The first offer, and how many more there are. */
export function offersWords(offers: readonly PaidOffer[], count = offers.length): Words {
  const [first] = offers;
  if (!first) return own('');
  const more = count - 1;
  if (more === 0) return offerWords(first);
  return say`${offerWords(first)} (${more} more ${more === 1 ? own('offer') : own('offers')})`;
}

/** The offers of one list that are not in another. */
function without(offers: readonly PaidOffer[], others: readonly PaidOffer[]): PaidOffer[] {
  const known = new Set(others.map(textOf));
  return offers.filter((offer) => !known.has(textOf(offer)));
}

/** Whether an amount can be compared: one that is stored shortened is no number any more. */
export const isWhole = (amount: string): boolean => /^\d{1,78}$/.test(amount);

/** Offers of the same asset, network and scheme of which there was one before, and is one now. */
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

/** How many times as much a raised amount is, as a weight. */
function raiseWeight({ was, is }: ReturnType<typeof toMoved>[number]): number {
  const before = BigInt(was.amount);
  const after = BigInt(is.amount);
  if (after <= before) return 0;
  if (after >= before * 10n) return 3;
  return after >= before * 2n ? 2 : 1;
}

/**
 * How much a change of offers weighs: most if another asset, network or scheme takes the place of one, then
 * by how much more is asked for.
 */
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
 * What became of the offers that were quoted before, as `Price raised from 0.01 USDC to 0.05 USDC on Base`;
 * undefined if they are the same. Only amounts of one asset, network and scheme are higher or lower than each
 * other.
 */
export function offersChange(before: readonly PaidOffer[], after: readonly PaidOffer[]): Words | undefined {
  const gone = without(before, after);
  const added = without(after, before);
  const all = [...gone, ...added];
  // Two assets may have one symbol.
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
        ? [say`No longer quotes ${name(left)}`]
        : came.length > 0
          ? [say`Also quotes ${name(came)}`]
          : [];
  const words = join([...said, ...more, ...others], '. ');
  return isEmpty(words) ? undefined : words;
}
