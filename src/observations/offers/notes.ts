import { code, dayOf, isEmpty, listed, number, ours, own, quote, say, type Words } from '../../core/words.ts';
import { networkWords, symbolOf, tokensOn } from '../kinds/prices/assets.ts';
import { isWhole, offerWords, type PaidOffer } from '../kinds/prices/offers.ts';
import type { Advertised } from './seen.ts';
import type { SentOffer } from './sent.ts';

const none = own('');

/**
 * That the asset is none that Dossier knows, whatever the offer calls it, beside those that it knows on the
 * same network.
 */
function assetNote({ asset, network, asset_name }: SentOffer): Words {
  if (asset === undefined || network === undefined || symbolOf(network, asset) !== undefined) return none;
  const name = asset_name === undefined ? none : say`The offer names the asset ${quote(asset_name)}; `;
  const on = networkWords(network);
  const known = tokensOn(network).map(
    ({ symbol, address }) => say`${ours(symbol)} on ${on} is ${code(address)}`,
  );
  if (known.length === 0) return isEmpty(name) ? none : say`${name}Dossier does not know ${code(asset)}.`;
  return say`${name}${listed(known)} (by Dossier’s table of assets), this is ${code(asset)}.`;
}

/**
 * The listings, beside the one that an offer is compared with, that ask to be paid where it pays, the oldest
 * first.
 */
interface PaidThere {
  readonly others: readonly { readonly handle: string; readonly as_of: string }[];
  /** These are all of them. */
  readonly isAll: boolean;
  /** The offer is compared with a listing. */
  readonly isCompared: boolean;
}

const mostNamed = 3;

/** Who else asks to be paid there: up to three handles, when Dossier saw that last, and how many they are. */
function othersNote({ others, isAll, isCompared }: PaidThere): Words {
  if (others.length === 0) return none;
  const named = others.slice(0, mostNamed);
  const shown = listed(named.map(({ handle, as_of }) => say`${code(handle)} (seen ${dayOf(as_of)})`));
  const all = isAll ? number(others.length) : say`More than ${others.length - 1}`;
  const [one, several] = isCompared
    ? [own('other listing'), own('other listings')]
    : [own('listing'), own('listings')];
  const ask = others.length === 1 ? say`${one} asks` : say`${several} ask`;
  return say`${all} ${ask} to be paid at this payee${others.length > mostNamed ? say`, among them` : say`:`} ${shown}.`;
}

/** How an advertised amount is beside that of the offer; nothing of another asset, network or scheme. */
function relationWords(advertised: PaidOffer, { amount, asset, network, scheme }: SentOffer): Words {
  const isSameUnit =
    advertised.asset === asset &&
    advertised.network === network &&
    (scheme === undefined || advertised.scheme === scheme);
  if (!isSameUnit || amount === undefined || !isWhole(advertised.amount)) return none;
  const [listedAmount, sent] = [BigInt(advertised.amount), BigInt(amount)];
  if (listedAmount === sent) return own(', the same amount');
  return listedAmount < sent ? own(', less than this') : own(', more than this');
}

/**
 * How much of an offer an advertised one has: the same asset and network first, of these the same amount,
 * scheme and payee.
 */
const likeness = (one: Advertised['offers'][number], offer: SentOffer): number =>
  (one.asset === offer.asset && one.network === offer.network ? 8 : 0) +
  (one.amount === offer.amount ? 4 : 0) +
  (one.scheme === offer.scheme ? 2 : 0) +
  (one.pay_to === offer.pay_to ? 1 : 0);

/**
 * What a catalogue, or a document of the host, lists beside an offer; of several tools, for the one that is
 * paid for.
 */
function advertisedNote(
  { source, observed_at, ...listed }: Advertised,
  offer: SentOffer,
  paidTool: string | undefined,
): Words {
  const offers = listed.offers.filter(
    (one) => paidTool === undefined || one.tool === undefined || one.tool === paidTool,
  );
  const near = offers.toSorted((a, b) => likeness(b, offer) - likeness(a, offer))[0];
  if (!near) return none;
  const isSame = (one: PaidOffer & { readonly tool?: string | undefined }) =>
    (['asset', 'network', 'tool', 'amount', 'scheme'] as const).every((name) => one[name] === near[name]);
  const payees = offers.filter(isSame).flatMap(({ pay_to }) => pay_to ?? []);
  const [payee] = payees;
  // On another network every payee has another address.
  const isAnother = offer.pay_to !== undefined && near.network === offer.network;
  const to = isAnother ? own(', but paid to another address, ') : own(', paid to ');
  const other = payee === undefined ? none : say`${to}${code(payee)}`;
  const paid = payees.some((one) => one === offer.pay_to) ? own(', paid to the same address') : other;
  const tool = near.tool === undefined ? none : say` for ${code(near.tool)}`;
  const more = offers.length > 1 ? say`; ${offers.length - 1} more there` : none;
  return say`${code(source)} (${dayOf(observed_at)}) lists ${offerWords(near)}${tool}${relationWords(near, offer)}${paid}${more}.`;
}

/** What else is to be said of an offer: its asset, who else is paid there, and what is advertised. */
export function notesOf(
  offer: SentOffer,
  {
    advertised,
    paidTool,
    ...paid
  }: PaidThere & {
    readonly advertised: readonly Advertised[];
    /** The tool of an MCP server that is paid for, if that is known. */
    readonly paidTool: string | undefined;
  },
): Words[] {
  return [
    assetNote(offer),
    othersNote(paid),
    ...advertised.map((one) => advertisedNote(one, offer, paidTool)),
  ].filter((note) => !isEmpty(note));
}
