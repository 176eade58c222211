import { asMembers, asObject, type JsonObject, parseForeignJson, readBase64Object } from '../../core/json.ts';
import { toAddress } from '../../core/payee.ts';
import { toLine } from '../../core/text.ts';
import { challengesOf } from '../../net/answer.ts';
import { isIdentifier } from '../kinds/prices/offer.ts';
import { toNetwork } from '../kinds/prices/offers.ts';

/**
 * One way to pay, as a caller was asked for it; what it does not state, or not in a form that can be read, is
 * absent.
 */
export interface SentOffer {
  readonly pay_to?: string;
  /** A whole number of the asset's smallest unit. */
  readonly amount?: string;
  /** An address of eip155 in lower case. */
  readonly asset?: string;
  /** CAIP-2, or the name that the source uses of a network that Dossier does not know. */
  readonly network?: string;
  readonly scheme?: string;
  /** The name that the offer gives the asset. */
  readonly asset_name?: string;
}

/** All ways to pay that a caller was sent. */
export interface SentOffers {
  /** The first twenty. */
  readonly offers: readonly SentOffer[];
  /** How many there were. */
  readonly count: number;
  /** The resource that the request for a payment names: an address, or `mcp://tool/<name>`. */
  readonly resource?: string;
}

const mostOffers = 20;
/** A tool result within a message of JSON-RPC, within its text, has six levels of wrapping. */
const deepest = 8;
const longestName = 60;
/** No listing is found by a longer address. */
const longestResource = 500;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** A whole number of at most 78 digits; models also send numbers. */
function toAmount(value: unknown): string | undefined {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && /^(?:0|[1-9]\d{0,77})$/.test(text) ? text : undefined;
}

/** The members that can be read; undefined if they neither name who is paid nor what. */
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
 * The value that a member has under either of two names; undefined if they differ, because which of them a
 * client reads is not known.
 */
function agreedValue(one: unknown, other: unknown): unknown {
  const first = one ?? other ?? undefined;
  const second = other ?? one ?? undefined;
  return first === second || (isText(first) && first === String(second)) ? first : undefined;
}

/**
 * An offer of x402, of either version, or as agentkit gives it to a hook: {payTo, url, network, asset,
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
 * A challenge of the Machine Payments Protocol, whose request is base64url in a header and JSON in a message
 * of MCP.
 */
function readChallenge(one: unknown): SentOffer | undefined {
  const { method, intent, request } = asMembers(one);
  const read = asObject(request) ?? (isText(request) ? readBase64Object(request) : undefined);
  const { amount, currency, recipient, methodDetails } = read ?? {};
  const stated = { pay_to: recipient, amount, asset: currency, network: method, scheme: intent };
  return toOffer({ ...stated, asset_name: undefined }, asMembers(methodDetails).chainId);
}

/** An offer of either kind. */
function readEither(one: unknown): SentOffer | undefined {
  const { method, intent, request } = asMembers(one);
  return isText(method) && isText(intent) && request !== undefined
    ? readChallenge(one)
    : readRequirement(one);
}

/** Some offers in one form; undefined if none of them can be read. */
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
 * The offers of several places. All of them count, because clients differ in which place they read: a place
 * with the usual offer could stand before the one that is paid. What several places have in common counts
 * once.
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
 * Members that a request for a payment may stand in: of a tool result, of a message of JSON-RPC, of what
 * clients wrap around both.
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

/** The values of a header in what `curl -i` prints, or alone with its name. */
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
 * What a caller was asked to pay, in any form that agents have it: the body of a 402 or its header (x402,
 * MPP), a tool result or a message of MCP with either, a list of offers, or one offer; as JSON or as its
 * text. Undefined if it is none of them.
 */
export const readSentOffers = (sent: unknown): SentOffers | undefined => readAt(sent, 0);
