import { code, dayOf, isEmpty, listed, number, ours, own, quote, say, type Words } from '../../core/words.ts';
import { networkWords, symbolOf, tokensOn } from '../kinds/prices/assets.ts';
import type { SentOffer } from './sent-offer.ts';

const none = own('');

/**
 * Says that Dossier does not know the asset, whatever the offer calls it, and which assets it knows on the
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
 * The listings that ask to be paid where an offer pays, the oldest first, without the one that it is compared
 * with.
 */
interface PaidThere {
  readonly others: readonly { readonly handle: string; readonly as_of: string }[];
  /** `others` has all of them. */
  readonly isAll: boolean;
  /** The offer is compared with a listing. */
  readonly isCompared: boolean;
}

const mostNamed = 3;

/** Names up to three listings that ask to be paid there, when Dossier saw that last, and how many do. */
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

/** The notes on an offer that go with its comparison: about its asset, and who else is paid there. */
export const notesOf = (offer: SentOffer, paid: PaidThere): Words[] =>
  [assetNote(offer), othersNote(paid)].filter((note) => !isEmpty(note));
