import { asMembers, asObject, type JsonObject, readBase64Object } from '../../core/json.ts';
import { statedAddress, toAddress } from '../../core/payee.ts';
import { toLine } from '../../core/text.ts';
import { agreed, type BesideMember, besideAmong, isIdentifier, toNetwork } from '../prices/offer.ts';

/** A member that is not stated in a readable form is absent. */
export interface SentOffer {
  readonly pay_to?: string;
  /** All whom it pays, sorted: the recipient, and who gets a part, a fee or a deposit. */
  readonly pays?: readonly string[];
  /** A whole number of the asset's smallest unit. */
  readonly amount?: string;
  /** An address of eip155 is in lower case. */
  readonly asset?: string;
  /** In CAIP-2, or as the offer names it if Dossier does not know the name. */
  readonly network?: string;
  readonly scheme?: string;
  readonly asset_name?: string;
  /** What is paid for, by the offer or the request around it: an address, or `mcp://tool/<name>`. */
  readonly resource?: string;
  readonly expires?: string;
  /** Other members that may name a recipient, an account at an address, or a fee or deposit. */
  readonly beside?: readonly BesideMember[];
}

const longestName = 60;
/** The length of the longest address by which a listing is found. */
const longestResource = 500;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Models also send numbers. */
function toAmount(value: unknown): string | undefined {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && /^(?:0|[1-9]\d{0,77})$/.test(text) ? text : undefined;
}

interface StatedOffer {
  readonly pay_to: unknown;
  readonly amount: unknown;
  readonly asset: unknown;
  readonly network: unknown;
  readonly scheme: unknown;
  readonly asset_name?: unknown;
  readonly chain_id?: unknown;
  readonly expires?: unknown;
  readonly beside: readonly BesideMember[];
}

/** Returns undefined if the members name neither a payee nor a price. */
function toOffer(stated: StatedOffer): SentOffer | undefined {
  const { pay_to, asset, network, scheme, asset_name, chain_id, expires, beside } = stated;
  const amount = toAmount(stated.amount);
  const name = isText(asset_name) ? toLine(asset_name.slice(0, longestName).toWellFormed()) : '';
  const chain = Number.isSafeInteger(chain_id) ? (chain_id as number) : undefined;
  const on = isIdentifier(network) ? toNetwork(network, chain) : undefined;
  const paid = isIdentifier(pay_to) ? toAddress(statedAddress(pay_to, on)) : undefined;
  const others = beside.flatMap(({ pays }) => pays?.address ?? []);
  const pays =
    pay_to === undefined || paid !== undefined ? [...new Set([paid ?? [], others].flat())].sort() : [];
  const left = beside.filter((one) => !one.pays);
  const expires_ms = typeof expires === 'string' ? Date.parse(expires) : Number.NaN;
  const offer: SentOffer = {
    ...(paid !== undefined && { pay_to: paid }),
    ...(pays.length > 0 && { pays }),
    ...(amount !== undefined && { amount }),
    ...(isIdentifier(asset) && { asset: toAddress(asset) }),
    ...(on !== undefined && { network: on }),
    ...(isIdentifier(scheme) && { scheme }),
    ...(name !== '' && { asset_name: name }),
    ...(!Number.isNaN(expires_ms) && { expires: new Date(expires_ms).toISOString() }),
    ...(left.length > 0 && { beside: left }),
  };
  const isPriced = offer.amount !== undefined && (offer.asset ?? offer.network) !== undefined;
  return offer.pay_to !== undefined || isPriced ? offer : undefined;
}

/** Reads x402 in either version, and what agentkit gives a hook: {payTo, url, network, asset, amount}. */
function readRequirement(one: JsonObject): SentOffer | undefined {
  const { payTo, pay_to, amount, maxAmountRequired, asset, network, scheme, extra, ...others } = one;
  return toOffer({
    asset,
    network,
    scheme,
    pay_to: agreed(payTo, pay_to),
    amount: agreed(amount, maxAmountRequired),
    asset_name: asMembers(extra).name,
    beside: [...besideAmong(others), ...besideAmong({ extra })],
  });
}

/** In the Machine Payments Protocol, a request is base64url in a header, and JSON in a message of MCP. */
function readChallenge({ method, intent, request, expires }: JsonObject): SentOffer | undefined {
  const read = asObject(request) ?? (isText(request) ? readBase64Object(request) : undefined);
  if (!read) return undefined;
  const { amount, currency, recipient: pay_to, methodDetails, ...others } = read;
  return toOffer({
    pay_to,
    amount,
    asset: currency,
    network: method,
    scheme: intent,
    chain_id: asMembers(methodDetails).chainId,
    expires,
    beside: [...besideAmong(others), ...besideAmong({ methodDetails })],
  });
}

const shortened = (text: string): string =>
  text.length > longestResource ? `${text.slice(0, longestResource - 1).toWellFormed()}…` : text;

export const resourcesOf = (one: JsonObject): string[] => [
  ...new Set([one.resource, asMembers(one.resource).url, one.url].filter(isText).map(shortened)),
];

/** Returns an offer for each protocol and each resource, because a client may read any of them. */
export function readOffers(value: unknown, around: readonly string[] = []): SentOffer[] {
  const one = asMembers(value);
  const named = new Set([...around, ...resourcesOf(one)]);
  return [readRequirement(one), readChallenge(one)].flatMap((offer) => {
    if (!offer) return [];
    return named.size === 0 ? [offer] : [...named].map((resource) => ({ ...offer, resource }));
  });
}
