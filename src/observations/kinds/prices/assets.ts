import { ownMember } from '../../../core/json.ts';
import { code, ours, type Words } from '../../../core/words.ts';
import table from './assets.json' with { type: 'json' };

/**
 * `assets`: the tokens whose amounts this service converts, each by its CAIP-19 name (contract addresses of
 * eip155 in lower case), with where its address and decimals were read; those of test networks have no value,
 * and their symbol says so. An asset that is not there is shown as quoted, and never guessed. `networks`:
 * names of networks in x402 version 1, as CAIP-2.
 */
const { assets, networks } = table;

const byAsset = new Map(assets.map((asset) => [asset.asset, asset]));

/** A network as CAIP-2; a name that is not in the table stays. */
export const toChain = (network: string): string => ownMember(networks, network) ?? network;

/** The name of a network that people use, as `Base Sepolia`; undefined of one that is not in the table. */
export function networkName(network: string): string | undefined {
  const chain = toChain(network);
  const [name] = Object.entries(networks).find(([, one]) => one === chain) ?? [];
  return name?.replace(/(?:^|-)[a-z]/g, (start) => start.replace('-', ' ').toUpperCase());
}

/** A network by the name that people use, or as it is given. */
export function networkWords(network: string): Words {
  const name = networkName(network);
  return name === undefined ? code(network) : ours(name);
}

/** CAIP-19 in the form that this table has. */
export const toKey = (asset: string) => (asset.startsWith('eip155:') ? asset.toLowerCase() : asset);

/** The CAIP-19 name of a token at an address; undefined for networks other than eip155 and solana. */
export function toCaip19(network: string, address: string): string | undefined {
  const chain = toChain(network);
  if (/^eip155:\d{1,20}$/.test(chain) && /^0x[\da-f]{40}$/i.test(address))
    return toKey(`${chain}/erc20:${address}`);
  return /^solana:\w{32}$/.test(chain) && /^\w{32,44}$/.test(address)
    ? `${chain}/token:${address}`
    : undefined;
}

/** An amount of the smallest unit as a decimal number, exactly. */
function toDecimal(amount: string, decimals: number): string {
  const digits = amount.padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return fraction ? `${digits.slice(0, -decimals)}.${fraction}` : digits.slice(0, -decimals);
}

/** An amount converted by the table, as "0.01 USDC"; undefined for assets that are not in it. */
export function convert(amount: string, asset: string | undefined): string | undefined {
  const known = asset === undefined ? undefined : byAsset.get(toKey(asset));
  return known && `${toDecimal(amount, known.decimals)} ${known.symbol}`;
}

/** Whether a symbol is one of the table. */
export const isSymbol = (symbol: string): boolean => assets.some((asset) => asset.symbol === symbol);

/** The symbol of a token by the table; undefined of one that is not in it. */
export function symbolOf(network: string, address: string): string | undefined {
  const named = toCaip19(network, address);
  return named === undefined ? undefined : byAsset.get(named)?.symbol;
}

/** The tokens of a network in the table, each with its address. */
export const tokensOn = (network: string): { readonly symbol: string; readonly address: string }[] =>
  assets.flatMap(({ asset, symbol }) => {
    const [chain, token] = asset.split('/');
    return chain === toChain(network) ? [{ symbol, address: token?.split(':')[1] ?? '' }] : [];
  });
