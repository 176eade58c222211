import {
  asMembers,
  asObject,
  type JsonObject,
  parseForeignJson,
  readBase64Object,
} from '../../../core/json.ts';
import { toLine } from '../../../core/text.ts';
import { challengesOf } from '../../../net/challenges.ts';
import { readPriceLimit, toSpokenChain } from './assets.ts';
import {
  type BesideMember,
  isIdentifier,
  mppMembers,
  type Offer,
  type OfferMembers,
  readMembers,
  x402Members,
} from './offer.ts';

export interface SentOffer extends Omit<Offer, 'for' | 'unreadable'> {
  readonly pay_to?: string;
  readonly asset_name?: string;
  /** Stated, and no whole number. */
  readonly other_amount?: string;
  /** An address, or `mcp://tool/<name>`. */
  readonly resource?: string;
  /** Of a challenge of MPP; usually the host. */
  readonly realm?: string;
  readonly expires?: string;
  /** May name a recipient, an account at an address, or a fee or deposit. */
  readonly beside?: readonly BesideMember[];
}

export interface NumberedOffer extends SentOffer {
  /** From 1. A way to pay has one offer for each of its resources. */
  readonly number: number;
}

export interface SentOffers {
  /** At most twenty; repeated ones are left out first. */
  readonly offers: readonly NumberedOffer[];
  readonly count: number;
}

const longestName = 60;
/** The length of the longest address by which a listing is found. */
const longestResource = 500;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const isWritten = (amount: unknown): amount is string =>
  isIdentifier(amount) || (typeof amount === 'string' && readPriceLimit(amount) !== undefined);

function toSent(stated: OfferMembers, asset_name?: unknown, expires?: unknown): SentOffer | undefined {
  // Models also send numbers.
  const amount = typeof stated.amount === 'number' ? String(stated.amount) : stated.amount;
  const network = toSpokenChain(stated.network);
  const { read, recipient, pays } = readMembers({ ...stated, amount, network });
  const isPriced =
    isWritten(amount) &&
    /^\$?\d/.test(amount) &&
    (read.asset ?? read.network ?? readPriceLimit(amount)) !== undefined;
  if (recipient === undefined && !isPriced) return undefined;
  const arePaid = pays.length > 0 && (stated.pay_to === undefined || recipient !== undefined);
  const name = isText(asset_name) ? toLine(asset_name.slice(0, longestName).toWellFormed()) : '';
  const expires_ms = typeof expires === 'string' ? Date.parse(expires) : Number.NaN;
  const beside = stated.beside?.filter((one) => !one.pays) ?? [];
  return {
    ...read,
    ...(recipient !== undefined && { pay_to: recipient }),
    ...(arePaid && { pays }),
    ...(name !== '' && { asset_name: name }),
    ...(read.amount === undefined && isWritten(amount) && { other_amount: amount }),
    ...(!Number.isNaN(expires_ms) && { expires: new Date(expires_ms).toISOString() }),
    ...(beside.length > 0 && { beside }),
  };
}

const spoken = new Map([
  ['recipient', 'payTo'],
  ['chain', 'network'],
  ['currency', 'asset'],
]);

/** In the words of MPP and of wallets too, but for a member that is there in both. */
const inWordsOfX402 = (one: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(one).map(([name, value]) => {
      const meant = spoken.get(name) ?? name;
      return [meant in one ? name : meant, value];
    }),
  );

/** What an amount is for; no offer that Dossier was quoted has it. */
const termName = /interval|period|frequency|recurr|renew|subscri|quantity/i;

const termsIn = (one: JsonObject): BesideMember[] =>
  Object.entries(one).flatMap(([name, value]) =>
    termName.test(name) && isIdentifier(String(value))
      ? [{ member: toLine(name.slice(0, longestName).toWellFormed()), value: String(value) }]
      : [],
  );

/** x402 in either version, and what agentkit gives a hook: {payTo, url, network, asset, amount}. */
function readRequirement(one: JsonObject): SentOffer | undefined {
  const { beside = [], ...members } = x402Members(inWordsOfX402(one));
  return toSent({ ...members, beside: [...beside, ...termsIn(one)] }, asMembers(one.extra).name);
}

const shortened = (text: string): string =>
  text.length > longestResource ? `${text.slice(0, longestResource - 1).toWellFormed()}…` : text;

/** MPP: base64url in a header, JSON in a message of MCP. */
function readChallenge({ method, intent, request, expires, realm }: JsonObject): SentOffer | undefined {
  const read = asObject(request) ?? (isText(request) ? readBase64Object(request) : undefined);
  const sent = read && toSent(mppMembers(read, method, intent), undefined, expires);
  return sent && { ...sent, ...(isText(realm) && { realm: shortened(realm) }) };
}

const resourcesOf = (one: JsonObject): string[] => [
  ...new Set([one.resource, asMembers(one.resource).url, one.url].filter(isText).map(shortened)),
];

/** An offer for each protocol and each resource, because a client may read any of them. */
function readOffers(value: unknown, around: readonly string[]): SentOffer[] {
  const one = asMembers(value);
  const named = [...new Set([...around, ...resourcesOf(one)])];
  return [readRequirement(one), readChallenge(one)].flatMap((offer) => {
    if (!offer) return [];
    return named.length === 0 ? [offer] : named.map((resource) => ({ ...offer, resource }));
  });
}

const mostOffers = 20;
/** A tool result in a message of JSON-RPC in a text has six, and texts may be in texts. */
const deepest = 32;

interface Item {
  readonly offers: readonly SentOffer[];
  readonly text: string;
}

type Place = readonly Item[];

const toPlace = (list: readonly unknown[], around: readonly string[] = []): Place =>
  list.map((one) => ({ offers: readOffers(one, around), text: JSON.stringify(one) ?? '' }));

const isOffer = ({ offers }: Item): boolean => offers.length > 0;

/** Members of a tool result, of a message of JSON-RPC, and of what clients wrap around them. */
const wrappers =
  /^(?:structuredcontent|content|text|resource|result|error|data|body|payment-?required|paymentrequirements|org\.paymentauth\/payment-required|_meta|www-authenticate|headers)$/i;

/** Also of the output of `curl -i`. */
const headerValues = (text: string, name: string): string[] =>
  text
    .split(/\r?\n/)
    .filter((line) => line.toLowerCase().startsWith(`${name}:`))
    .map((line) => line.slice(name.length + 1).trim());

/** Of these schemes, Dossier reads only the challenges of `payment`. */
const paymentSchemes = new Set(['payment', 'l402', 'lsat']);

/** Challenges after a fault in the header are read too, since clients begin anew at each `Payment`. */
const placesInHeader = (text: string): Place[] =>
  [text, ...text.split(/(?<=,)\s*(?=payment\s)/i)].map((part) =>
    toPlace(
      challengesOf({ headers: { 'www-authenticate': part } })
        // Words such as "Payment required" are no challenge.
        .filter(({ scheme, parameters }) => paymentSchemes.has(scheme) && parameters.size > 0)
        .map(({ parameters }) => Object.fromEntries(parameters)),
    ),
  );

/** A response that is printed with its head has a blank line before its body. */
function bodyOf(response: string): string[] {
  const all = response.split(/\r?\n/);
  const at = all.findIndex((line, index) => all[index - 1] === '' && /^\s*[[{]/.test(line));
  return at === -1 ? [] : [all.slice(at).join('\n')];
}

/** A model may send it in a block of Markdown, or within a sentence. */
const jsonWithin = (text: string): unknown =>
  ['{}', '[]']
    .map(([open = '', close = '']) => text.slice(text.indexOf(open), text.lastIndexOf(close) + 1))
    .map(parseForeignJson)
    .find((value) => value !== undefined);

function findPlaces(sent: unknown): Place[] {
  const levels = new Map<string, number>();

  /** A client may read lists in members of any name. */
  function within(one: JsonObject, level: number): Place[] {
    if (level > deepest) return [];
    const lists = [one.accepts, one.challenges].filter(Array.isArray);
    return [
      ...lists.map((list) => toPlace(list, resourcesOf(one))),
      ...Object.entries(one).flatMap(([name, value]) =>
        wrappers.test(name)
          ? at(value, level + 1)
          : [value].flat().flatMap((inner) => within(asMembers(inner), level + 1)),
      ),
    ];
  }

  /** A text may hold itself twice, in 2^n copies, so it is read again only at a lower level. */
  function inText(text: string, level: number): Place[] {
    if ((levels.get(text) ?? Infinity) <= level) return [];
    levels.set(text, level);
    const whole = /^[[{"]/.test(text) ? parseForeignJson(text) : undefined;
    if (whole !== undefined) return at(whole, level + 1);
    const encoded = [text, ...headerValues(text, 'payment-required')].flatMap((value) => value.split(','));
    // The output may have the response of a proxy before that of the server, or events with a result.
    const bodies = [...text.split(/^(?=HTTP\/)/m).flatMap(bodyOf), ...headerValues(text, 'data')];
    return [
      ...encoded.flatMap((value) => at(readBase64Object(value.trim()), level + 1)),
      ...[text, headerValues(text, 'www-authenticate').join(', ')].flatMap(placesInHeader),
      ...[...bodies.map(parseForeignJson), jsonWithin(text)].flatMap((value) => at(value, level + 1)),
    ];
  }

  function at(value: unknown, level: number): Place[] {
    if (level > deepest) return [];
    if (typeof value === 'string') return inText(value.trim(), level);
    const list = Array.isArray(value) ? value : asObject(value) ? [value] : [];
    const inside = list.map((one) => {
      const members = asObject(one);
      return members ? within(members, level) : at(one, level + 1);
    });
    // An object around offers is no offer, and not every list is one of offers.
    const own = toPlace(list).filter((item, index) => isOffer(item) || inside[index]?.length === 0);
    return [...(own.some(isOffer) ? [own] : []), ...inside.flat()];
  }

  return at(sent, 0);
}

const partsOf = ({ pay_to, amount, asset, network, scheme }: SentOffer): string =>
  JSON.stringify([pay_to, amount, asset, network, scheme]);

const keyOf = (offer: SentOffer): string => `${partsOf(offer)} ${offer.resource}`;

/**
 * A 402 body or header (x402, MPP), a tool result, a list or an offer, as JSON or text. All places count,
 * because clients read different ones, and a usual offer could hide the paid one.
 */
export function readSentOffers(sent: unknown): SentOffers | undefined {
  const places = findPlaces(sent);
  const all = places.flat().flatMap((item) => item.offers);
  const withResource = new Set(all.filter(({ resource }) => resource !== undefined).map(partsOf));
  const elsewhere = new Set<string>();
  const offers: NumberedOffer[] = [];
  let count = 0;
  for (const place of places) {
    for (const item of place) {
      const added = item.offers.filter(
        (one) =>
          !elsewhere.has(keyOf(one)) && (one.resource !== undefined || !withResource.has(partsOf(one))),
      );
      if (added.length === 0 && (isOffer(item) || elsewhere.has(item.text))) continue;
      count += 1;
      offers.push(...added.map((one) => ({ ...one, number: count })));
    }
    for (const item of place) for (const key of [item.text, ...item.offers.map(keyOf)]) elsewhere.add(key);
  }
  const first = new Set(new Map(offers.toReversed().map((one) => [keyOf(one), one])).values());
  const byNews = offers.toSorted((a, b) => Number(first.has(b)) - Number(first.has(a)));
  return offers.length === 0 ? undefined : { offers: byNews.slice(0, mostOffers), count };
}
