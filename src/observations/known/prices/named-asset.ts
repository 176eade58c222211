import { code, dayOf, say } from '../../../core/words.ts';
import { networkWords, symbolOf, toCaip19 } from './assets.ts';
import type { SeenOffers } from './seen.ts';
import type { SentOffer } from './sent.ts';

export const isSame = (one = '', other = '') => one.toLowerCase() === other.toLowerCase();

/** A symbol or a name, not its address. */
export const isAssetName = (asset: string, network: string): boolean =>
  /^(?:eip155|solana):/.test(network) && toCaip19(network, asset) === undefined;

/** Of an address that is not whole. */
export const brokenWords = ({ asset = '', network = '' }: SentOffer) =>
  /^0x/i.test(asset) && isAssetName(asset, network)
    ? say`it is no address of an asset on ${networkWords(network)}: send it as the 402 states it`
    : undefined;

/** The asset whose symbol an offer has in place of an address, as last quoted on its network. */
export function likeNamed({ asset: named, network = '' }: SentOffer, { quotes }: SeenOffers) {
  if (named === undefined || !isAssetName(named, network)) return undefined;
  const found = quotes.flatMap(({ value = [], isNow, until }) =>
    value.flatMap(({ asset = '', ...one }) =>
      one.network === network && isSame(symbolOf(network, asset), named) ? [{ asset, isNow, until }] : [],
    ),
  );
  return found.slice(0, 1).map(({ asset, isNow, until }) => ({
    asset,
    words: isNow
      ? say`the quoted asset ${code(asset)}`
      : say`the asset ${code(asset)}, quoted until ${dayOf(until)},`,
  }))[0];
}
