import { own } from '../../text/json-object.ts';

/** A token that amounts are converted for. */
interface Asset {
  /** CAIP-19; contract addresses of eip155 in lower case. */
  readonly asset: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Where its address and decimals were read. */
  readonly source: string;
}

const circle = 'https://developers.circle.com/stablecoins/usdc-contract-addresses';
const usdc = (asset: string): Asset => ({ asset, symbol: 'USDC', decimals: 6, source: circle });
/** Tokens of test networks have no value; their symbol says so. */
const testUsdc = (asset: string): Asset => ({ asset, symbol: 'test-USDC', decimals: 6, source: circle });

/** The assets whose amounts this service converts. An asset that is not here is shown as quoted, and never guessed. */
const assets: readonly Asset[] = [
  usdc('eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'),
  usdc('eip155:10/erc20:0x0b2c639c533813f4aa9d7837caf62653d097ff85'),
  usdc('eip155:137/erc20:0x3c499c542cef5e3811e1192ce70d8cc03d5c3359'),
  usdc('eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'),
  usdc('eip155:42161/erc20:0xaf88d065e77c8cc2239327c5edb3a432268e5831'),
  usdc('eip155:43114/erc20:0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e'),
  usdc('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
  testUsdc('eip155:84532/erc20:0x036cbd53842c5426634e7929541ec2318f3dcf7e'),
  testUsdc('eip155:11155111/erc20:0x1c7d4b196cb0c7b01d743fbc6116a902379c7238'),
  {
    asset: 'eip155:4217/erc20:0x20c000000000000000000000b9537d11c60e8b50',
    symbol: 'USDC.e',
    decimals: 6,
    source: 'https://www.npmjs.com/package/mppx',
  },
];

const byAsset = new Map(assets.map((asset) => [asset.asset, asset]));

/** Names of networks in x402 version 1, as CAIP-2. */
const networks: Readonly<Record<string, string>> = {
  base: 'eip155:8453',
  'base-sepolia': 'eip155:84532',
  ethereum: 'eip155:1',
  sepolia: 'eip155:11155111',
  polygon: 'eip155:137',
  avalanche: 'eip155:43114',
  solana: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
};

/** CAIP-19 in the form that this table has. */
const toKey = (asset: string) => (asset.startsWith('eip155:') ? asset.toLowerCase() : asset);

/** The CAIP-19 name of a token at an address; undefined for networks other than eip155 and solana. */
export function toCaip19(network: string, address: string): string | undefined {
  const chain = own(networks, network) ?? network;
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
