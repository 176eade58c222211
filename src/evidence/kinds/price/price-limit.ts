import { convert, isSymbol, toCaip19 } from './assets.ts';
import type { Offer } from './offer.ts';

/** The most that a caller would pay, in one asset. */
export interface PriceLimit {
  /** A decimal number of units of a symbol, or a whole number of the smallest unit of a CAIP-19 asset. */
  readonly amount: string;
  /** A symbol of the table of assets, or a CAIP-19 asset. */
  readonly asset: string;
}

const inUnits = /^(\d{1,20}(?:\.\d{1,18})?) ([A-Za-z][\w.-]{0,19})$/;
const inSmallestUnit = /^(\d{1,78}) ([-a-z0-9]{3,8}:[\w-]{1,32}\/[-a-z0-9]{3,8}:[\w.%-]{1,128})$/;

/** Reads "0.01 USDC" (a symbol of the table), or a whole number of the smallest unit of a CAIP-19 asset; undefined for anything else. */
export function readPriceLimit(text: string): PriceLimit | undefined {
  const [, units, symbol] = inUnits.exec(text) ?? [];
  if (units !== undefined && symbol !== undefined)
    return isSymbol(symbol) ? { amount: units, asset: symbol } : undefined;
  const [, amount, asset] = inSmallestUnit.exec(text) ?? [];
  return amount !== undefined && asset !== undefined ? { amount, asset } : undefined;
}

/** A decimal number as a whole number of 10^-18. */
function toFixed18(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(18, '0'));
}

/** Whether an offer asks for at most the limit, compared exactly; undefined for an offer in another asset. */
export function isWithinLimit(
  { amount, network, chain_id, asset }: Offer,
  limit: PriceLimit,
): boolean | undefined {
  const named = toCaip19(chain_id === undefined ? network : `eip155:${chain_id}`, asset);
  if (named === undefined) return undefined;
  if (limit.asset.includes('/')) {
    const isSame = named === (limit.asset.startsWith('eip155:') ? limit.asset.toLowerCase() : limit.asset);
    return isSame ? BigInt(amount) <= BigInt(limit.amount) : undefined;
  }
  const [converted, symbol] = convert(amount, named)?.split(' ') ?? [];
  return converted !== undefined && symbol === limit.asset
    ? toFixed18(converted) <= toFixed18(limit.amount)
    : undefined;
}
