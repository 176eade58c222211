import {
  code,
  dayOf,
  isEmpty,
  listed,
  number,
  ours,
  own,
  quote,
  say,
  type Words,
} from '../../../core/words.ts';
import { networkWords, symbolOf, toCaip19, tokensOn } from './assets.ts';
import type { SentOffer } from './sent.ts';

const none = own('');

function assetNote({ asset, network, asset_name }: SentOffer): Words {
  if (asset === undefined || network === undefined || symbolOf(network, asset) !== undefined) return none;
  if (toCaip19(network, asset) === undefined) return none;
  const name = asset_name === undefined ? none : say`The offer names the asset ${quote(asset_name)}; `;
  const on = networkWords(network);
  // In their contracts USDC and EURC are named USD Coin and EURC.
  const isClaimed = ({ symbol }: { readonly symbol: string }) =>
    asset_name?.toLowerCase().includes(symbol.replace('test-', '').slice(0, 3).toLowerCase()) === true;
  const known = tokensOn(network)
    .filter(isClaimed)
    .map(({ symbol, address }) => say`${ours(symbol)} on ${on} is ${code(address)}`);
  if (known.length === 0) return isEmpty(name) ? none : say`${name}Dossier does not know ${code(asset)}.`;
  return say`${name}${listed(known)} (by Dossier’s table of assets), this is ${code(asset)}.`;
}

interface PaidThere {
  /** The oldest listing first, without the one that the offer is compared with. */
  readonly others: readonly { readonly handle: string; readonly as_of: string }[];
  readonly isAll: boolean;
  readonly isCompared: boolean;
}

const mostNamed = 3;

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

const mostBeside = 5;

function besideNote({ beside = [] }: SentOffer): Words {
  const named = beside.map(({ member, value }) => say`${code(value)} (${code(member)})`);
  if (named.length === 0) return none;
  return say`The offer also names ${listed(named, mostBeside)}; Dossier does not compare that.`;
}

const expiryNote = ({ expires }: SentOffer, now: Date): Words =>
  expires !== undefined && Date.parse(expires) < now.getTime()
    ? say`By its own words, the offer expired on ${dayOf(expires)}.`
    : none;

export const notesOf = (offer: SentOffer, paid: PaidThere, now: Date): Words[] =>
  [assetNote(offer), besideNote(offer), expiryNote(offer, now), othersNote(paid)].filter(
    (note) => !isEmpty(note),
  );
