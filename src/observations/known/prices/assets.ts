import { ownMember } from '../../../core/json.ts';
import { code, ours, own, say, type Words } from '../../../core/words.ts';
import table from './assets.json' with { type: 'json' };

/**
 * By CAIP-19; test tokens have no value. `networks`: names of x402 version 1, and chains of MPP, whose method
 * `tempo` is no name of a chain.
 */
const { assets, networks } = table;

const byAsset = new Map(assets.map((asset) => [asset.asset, asset]));

/** As people write a chain: `Base mainnet`, `Polygon PoS`, `Arbitrum One`, `8453`. */
export function toSpokenChain(network: unknown): unknown {
  const name = /^(?:string|number)$/.test(typeof network)
    ? String(network)
        .trim()
        .toLowerCase()
        .replace(/[\s_]+/g, '-')
    : '';
  const short = name.replace(/-(?:mainnet|network|chain|pos|one)$/, '');
  return (
    ownMember(networks, name) ??
    ownMember(networks, short) ??
    (/^\d+$/.test(name) ? `eip155:${name}` : network)
  );
}

/** In CAIP-2, such as `eip155:8453` for `Base`; an unknown name stays. */
export const toChain = (network: string): string =>
  ownMember(networks, network.toLowerCase()) ??
  network
    .replace(/^[-a-z\d]{3,8}:/i, (namespace) => namespace.toLowerCase())
    .replace(/^eip155:0+(?=\d)/, 'eip155:');

export function networkName(network: string): string | undefined {
  const chain = toChain(network);
  const [name] = Object.entries(networks).find(([, one]) => one === chain) ?? [];
  return name?.replace(/(?:^|-)[a-z]/g, (start) => start.replace('-', ' ').toUpperCase());
}

export function networkWords(network: string): Words {
  const name = networkName(network);
  return name === undefined ? code(network) : ours(name);
}

export const toKey = (asset: string) => (asset.startsWith('eip155:') ? asset.toLowerCase() : asset);

/** Undefined for networks other than eip155 and solana. */
export function toCaip19(network: string, address: string): string | undefined {
  const chain = toChain(network);
  if (/^eip155:\d{1,20}$/.test(chain) && /^0x[\da-f]{40}$/i.test(address))
    return toKey(`${chain}/erc20:${address}`);
  return /^solana:\w{32}$/.test(chain) && /^\w{32,44}$/.test(address)
    ? `${chain}/token:${address}`
    : undefined;
}

function toDecimal(amount: string, decimals: number): string {
  const digits = amount.padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return fraction ? `${digits.slice(0, -decimals)}.${fraction}` : digits.slice(0, -decimals);
}

export function convert(amount: string, asset: string | undefined): string | undefined {
  const known = asset === undefined ? undefined : byAsset.get(toKey(asset));
  return known && `${toDecimal(amount, known.decimals)} ${known.symbol}`;
}

export function symbolOf(network: string, address: string): string | undefined {
  const named = toCaip19(network, address);
  return named === undefined ? undefined : byAsset.get(named)?.symbol;
}

export const tokensOn = (network: string): { readonly symbol: string; readonly address: string }[] =>
  assets.flatMap(({ asset, symbol }) => {
    const [chain, token] = asset.split('/');
    return chain === toChain(network) ? [{ symbol, address: token?.split(':')[1] ?? '' }] : [];
  });

const inUnits = /^\$?(\d{1,20}(?:\.\d{1,18})?) ?([A-Za-z][\w.-]{0,19})?$/;
const inSmallestUnit = /^(\d{1,78}) ([-a-z0-9]{3,8}:[\w-]{1,32}\/[-a-z0-9]{3,8}:[\w.%-]{1,128})$/;

/** "0.01 usdc", "$0.01" (of USDC, as in x402), or a whole number of the smallest unit of a CAIP-19 asset. */
export function readPriceLimit(text: string) {
  const [, smallest, asset] = inSmallestUnit.exec(text) ?? [];
  if (smallest !== undefined && asset !== undefined) return { amount: smallest, asset };
  const [, amount = '', named = text.startsWith('$') ? 'USDC' : ''] = inUnits.exec(text) ?? [];
  const known = assets.find(({ symbol }) => symbol.toLowerCase() === named.toLowerCase());
  return known && { amount, asset: known.symbol };
}

function toFixed18(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(18, '0'));
}

const decimal = /^\d{1,20}(?:\.\d{1,18})?$/;

/** `2,450 times that`, of a number beside `0.02 USDC`. Undefined if one is no number. */
export function timesOf(stated: string, converted = ''): Words | undefined {
  const [quoted = ''] = converted.split(' ');
  if (!decimal.test(stated) || !decimal.test(quoted)) return undefined;
  const [one, other] = [stated, quoted].map(toFixed18) as [bigint, bigint];
  if (one === other) return own('the same');
  if (one < other || other === 0n) return one < other ? own('lower') : own('higher');
  return one % other === 0n ? say`${ours((one / other).toLocaleString('en'))} times that` : own('higher');
}

/** Undefined for a different asset. */
export function isWithinLimit(
  { amount, network, asset }: Readonly<Record<'amount' | 'network' | 'asset', string>>,
  limit: NonNullable<ReturnType<typeof readPriceLimit>>,
): boolean | undefined {
  const named = toCaip19(network, asset);
  if (named === undefined) return undefined;
  if (limit.asset.includes('/'))
    return named === toKey(limit.asset) ? BigInt(amount) <= BigInt(limit.amount) : undefined;
  const [converted, symbol] = convert(amount, named)?.split(' ') ?? [];
  return converted !== undefined && symbol === limit.asset
    ? toFixed18(converted) <= toFixed18(limit.amount)
    : undefined;
}
