import { asMembers, asObject, type JsonObject, parseForeignJson, readBase64Object } from '../../core/json.ts';
import { toAddress } from '../../core/payee.ts';
import { toLine } from '../../core/text.ts';
import { challengesOf } from '../../net/answer.ts';
import { isIdentifier } from '../kinds/prices/offer.ts';
import { toNetwork } from '../kinds/prices/offers.ts';

/** One way to pay that a caller was sent; members that it does not state in a readable form are absent. */
export interface SentOffer {
  readonly pay_to?: string;
  /** A whole number of the asset's smallest unit. */
  readonly amount?: string;
  /** The address of the asset, on eip155 in lower case. */
  readonly asset?: string;
  /** The network in CAIP-2, or by the source's name if Dossier does not know it. */
  readonly network?: string;
  readonly scheme?: string;
  /** The name that the offer gives the asset. */
  readonly asset_name?: string;
}

/** All ways to pay that a caller was sent. */
export interface SentOffers {
  /** The first twenty. */
  readonly offers: readonly SentOffer[];
  /** The number of all of them. */
  readonly count: number;
  /** The resource that the request for a payment names: an address, or `mcp://tool/<name>`. */
  readonly resource?: string;
}

const mostOffers = 20;
/** The most levels; a tool result in a message of JSON-RPC in a text has six. */
const deepest = 8;
const longestName = 60;
/** The length of the longest address by which a listing is found. */
const longestResource = 500;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Reads a whole number of at most 78 digits; models also send numbers. */
function toAmount(value: unknown): string | undefined {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && /^(?:0|[1-9]\d{0,77})$/.test(text) ? text : undefined;
}

/** Reads the members that can be read; undefined if they name neither a payee nor a price. */
function toOffer(
  stated: Readonly<Record<'pay_to' | 'amount' | 'asset' | 'network' | 'scheme' | 'asset_name', unknown>>,
  chain_id?: unknown,
): SentOffer | undefined {
  const { pay_to, asset, network, scheme, asset_name } = stated;
  const amount = toAmount(stated.amount);
  const name = isText(asset_name) ? toLine(asset_name.slice(0, longestName).toWellFormed()) : '';
  const chain = Number.isSafeInteger(chain_id) ? (chain_id as number) : undefined;
  const offer: SentOffer = {
    ...(isIdentifier(pay_to) && { pay_to: toAddress(pay_to) }),
    ...(amount !== undefined && { amount }),
    ...(isIdentifier(asset) && { asset: toAddress(asset) }),
    ...(isIdentifier(network) && { network: toNetwork(network, chain) }),
    ...(isIdentifier(scheme) && { scheme }),
    ...(name !== '' && { asset_name: name }),
  };
  const isPriced = offer.amount !== undefined && (offer.asset ?? offer.network) !== undefined;
  return offer.pay_to !== undefined || isPriced ? offer : undefined;
}

const resourceOf = (one: JsonObject): string | undefined =>
  [one.resource, asMembers(one.resource).url, one.url]
    .filter(isText)
    .find((text) => text.length <= longestResource);

/**
 * The value of a member that has two names; undefined if the two differ, because it is not known which one a
 * client reads.
 */
function agreedValue(one: unknown, other: unknown): unknown {
  const first = one ?? other ?? undefined;
  const second = other ?? one ?? undefined;
  return first === second || (isText(first) && first === String(second)) ? first : undefined;
}

/**
 * Reads an offer of x402 in either version, or as agentkit gives it to a hook: {payTo, url, network, asset,
 * amount}.
 */
function readRequirement(one: unknown): SentOffer | undefined {
  const { payTo, pay_to, amount, maxAmountRequired, asset, network, scheme, extra } = asMembers(one);
  return toOffer({
    asset,
    network,
    scheme,
    pay_to: agreedValue(payTo, pay_to),
    amount: agreedValue(amount, maxAmountRequired),
    asset_name: asMembers(extra).name,
  });
}

/**
 * Reads a challenge of the Machine Payments Protocol, whose request is base64url in a header and JSON in a
 * message of MCP.
 */
function readChallenge(one: unknown): SentOffer | undefined {
  const { method, intent, request } = asMembers(one);
  const read = asObject(request) ?? (isText(request) ? readBase64Object(request) : undefined);
  const { amount, currency, recipient, methodDetails } = read ?? {};
  const stated = { pay_to: recipient, amount, asset: currency, network: method, scheme: intent };
  return toOffer({ ...stated, asset_name: undefined }, asMembers(methodDetails).chainId);
}

/** Reads an offer of either protocol. */
function readEither(one: unknown): SentOffer | undefined {
  const { method, intent, request } = asMembers(one);
  return isText(method) && isText(intent) && request !== undefined
    ? readChallenge(one)
    : readRequirement(one);
}

/** Reads offers of one form; undefined if none of them can be read. */
function toOffers(
  list: readonly unknown[],
  read: (one: unknown) => SentOffer | undefined,
  resource?: string,
): SentOffers | undefined {
  const offers = list.slice(0, mostOffers).flatMap((one) => read(one) ?? []);
  const named = resource ?? resourceOf(asMembers(list[0]));
  if (offers.length === 0) return undefined;
  return { offers, count: list.length, ...(named !== undefined && { resource: named }) };
}

const parts = ['pay_to', 'amount', 'asset', 'network', 'scheme'] as const;
const isSameOffer = (one: SentOffer, other: SentOffer): boolean =>
  parts.every((name) => one[name] === other[name]);

/**
 * Joins the offers of several places, because clients differ in which they read: the usual offer could hide
 * the one that is paid. An offer in several places counts once.
 */
const joinOffers = (places: readonly (SentOffers | undefined)[]): SentOffers | undefined =>
  places.reduce((one, other) => {
    if (!one || !other) return one ?? other;
    const added = other.offers.filter((offer) => !one.offers.some((known) => isSameOffer(known, offer)));
    const resource = one.resource ?? other.resource;
    return {
      offers: [...one.offers, ...added].slice(0, mostOffers),
      count: one.count + other.count - (other.offers.length - added.length),
      ...(resource !== undefined && { resource }),
    };
  }, undefined);

/**
 * The members in which a request for a payment may be: of a tool result, of a message of JSON-RPC, and of
 * what clients wrap around them.
 */
const wrappers = new Set([
  'structuredcontent',
  'content',
  'text',
  'result',
  'error',
  'data',
  'body',
  'paymentrequired',
  'org.paymentauth/payment-required',
  '_meta',
  'payment-required',
  'www-authenticate',
  'headers',
]);

const readWithin = (one: JsonObject, level: number): SentOffers | undefined =>
  joinOffers(
    Object.entries(one).map(([name, value]) =>
      wrappers.has(name.toLowerCase()) ? readAt(value, level + 1) : undefined,
    ),
  );

function readMembers(one: JsonObject, level: number): SentOffers | undefined {
  const { accepts, challenges } = one;
  return joinOffers([
    Array.isArray(accepts) ? toOffers(accepts, readRequirement, resourceOf(one)) : undefined,
    Array.isArray(challenges) ? toOffers(challenges, readChallenge) : undefined,
    toOffers([one], readEither),
    readWithin(one, level),
  ]);
}

/** The values of a header in the output of `curl -i`, or in a header line alone. */
const headerValues = (text: string, name: string): string[] =>
  text
    .split(/\r?\n/)
    .filter((line) => line.toLowerCase().startsWith(`${name}:`))
    .map((line) => line.slice(name.length + 1).trim());

const readHeader = (text: string): SentOffers | undefined => {
  const challenges = challengesOf({ headers: { 'www-authenticate': text } });
  const payment = challenges.filter(({ scheme }) => scheme === 'payment');
  return toOffers(
    payment.map(({ parameters }) => Object.fromEntries(parameters)),
    readChallenge,
  );
};

function readText(text: string, level: number): SentOffers | undefined {
  const sent = text.trim();
  if (/^[[{"]/.test(sent)) return readAt(parseForeignJson(sent), level + 1);
  const encoded = [sent, ...headerValues(sent, 'payment-required')].map(readBase64Object);
  const challenges = [sent, headerValues(sent, 'www-authenticate').join(', ')];
  const body = sent.slice(sent.search(/\r?\n\r?\n/) + 1).trim();
  return joinOffers([
    ...encoded.map((one) => one && readAt(one, level + 1)),
    ...challenges.map(readHeader),
    body.startsWith('{') ? readAt(parseForeignJson(body), level + 1) : undefined,
  ]);
}

function readAt(value: unknown, level: number): SentOffers | undefined {
  if (level > deepest) return undefined;
  if (typeof value === 'string') return readText(value, level);
  if (!Array.isArray(value)) {
    const members = asObject(value);
    return members && readMembers(members, level);
  }
  const wrapped = value.map((one) =>
    typeof one === 'object' && readEither(one) ? undefined : readAt(one, level + 1),
  );
  return joinOffers([toOffers(value, readEither), ...wrapped]);
}

/**
 * Reads what a caller was asked to pay, in any form that agents have it: the body of a 402 or its header
 * (x402, MPP), a tool result or message of MCP with either, a list of offers, or one offer; as JSON or as
 * text. Undefined if it is none of these.
 */
export const readSentOffers = (sent: unknown): SentOffers | undefined => readAt(sent, 0);
