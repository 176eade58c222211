import { asMembers, asObject, type JsonObject, parseForeignJson, readBase64Object } from '../../core/json.ts';
import { challengesOf } from '../../net/challenges.ts';
import { readOffers, resourcesOf, type SentOffer } from './sent-offer.ts';

export interface NumberedOffer extends SentOffer {
  /** From 1, among all ways to pay that were sent. A way has one offer for each of its resources. */
  readonly number: number;
}

export interface SentOffers {
  /** At most twenty offers. Of more offers, repeated ones are left out first. */
  readonly offers: readonly NumberedOffer[];
  readonly count: number;
}

const mostOffers = 20;
/** The most levels: a tool result in a message of JSON-RPC in a text has six, and texts may be in texts. */
const deepest = 32;

interface Item {
  /** Empty if nothing could be read. */
  readonly offers: readonly SentOffer[];
  readonly text: string;
}

/** The items in one place, such as a list or a header. */
type Place = readonly Item[];

const toPlace = (list: readonly unknown[], around?: readonly string[]): Place =>
  list.map((one) => ({ offers: readOffers(one, around), text: JSON.stringify(one) ?? '' }));

/** `level` is how deep a reading is, and `levels` the lowest level at which each text was read. */
interface SentReading {
  readonly level: number;
  readonly levels: Map<string, number>;
}

const deeper = ({ level, levels }: SentReading): SentReading => ({ level: level + 1, levels });

const isOffer = ({ offers }: Item): boolean => offers.length > 0;

/** Members of a tool result, of a message of JSON-RPC, and of what clients wrap around them. */
const wrappers =
  /^(?:structuredcontent|content|text|resource|result|error|data|body|payment-?required|paymentrequirements|org\.paymentauth\/payment-required|_meta|www-authenticate|headers)$/i;

/** Lists of offers are read in members of any name, because a client may read them there. */
function placesWithin(one: JsonObject, reading: SentReading): Place[] {
  if (reading.level > deepest) return [];
  const { accepts, challenges } = one;
  const around = resourcesOf(one);
  return [
    ...[accepts, challenges].flatMap((list) => (Array.isArray(list) ? [toPlace(list, around)] : [])),
    ...Object.entries(one).flatMap(([name, value]) =>
      wrappers.test(name)
        ? placesAt(value, deeper(reading))
        : [value].flat().flatMap((inner) => placesWithin(asMembers(inner), deeper(reading))),
    ),
  ];
}

/** Also reads the output of `curl -i`. */
const headerValues = (text: string, name: string): string[] =>
  text
    .split(/\r?\n/)
    .filter((line) => line.toLowerCase().startsWith(`${name}:`))
    .map((line) => line.slice(name.length + 1).trim());

/** Of these schemes, Dossier reads only the challenges of `payment`. */
const paymentSchemes = new Set(['payment', 'l402', 'lsat']);

/** Challenges after a fault in the header are read too, since clients begin anew at each `Payment`. */
const placesInHeader = (text: string): Place[] =>
  [text, ...text.split(/(?<=,)\s*(?=payment\s)/i)].map((part) => {
    const challenges = challengesOf({ headers: { 'www-authenticate': part } });
    // Words such as "Payment required" are no challenge.
    const payment = challenges.filter(
      ({ scheme, parameters }) => paymentSchemes.has(scheme) && parameters.size > 0,
    );
    return toPlace(payment.map(({ parameters }) => Object.fromEntries(parameters)));
  });

const placesInJson = (text: string, reading: SentReading): Place[] =>
  placesAt(parseForeignJson(text), deeper(reading));

/** A response that is printed with its head has a blank line before its body. */
function bodyOf(response: string): string | undefined {
  const all = response.split(/\r?\n/);
  const at = all.findIndex((line, index) => all[index - 1] === '' && /^\s*[[{]/.test(line));
  return at === -1 ? undefined : all.slice(at).join('\n');
}

/** A text may hold itself twice, in 2^n copies, so it is read again only at a lower level. */
function placesInText(text: string, reading: SentReading): Place[] {
  const { level, levels } = reading;
  const sent = text.trim();
  if ((levels.get(sent) ?? Infinity) <= level) return [];
  levels.set(sent, level);
  if (/^[[{"]/.test(sent)) return placesInJson(sent, reading);
  const values = [sent, ...headerValues(sent, 'payment-required')].flatMap((value) => value.split(','));
  const encoded = values.map((value) => readBase64Object(value.trim()));
  const challenges = [sent, headerValues(sent, 'www-authenticate').join(', ')];
  // The output may have the response of a proxy before that of the server.
  const bodies = sent.split(/^(?=HTTP\/)/m).flatMap((response) => bodyOf(response) ?? []);
  return [
    ...encoded.flatMap((one) => (one ? placesAt(one, deeper(reading)) : [])),
    ...challenges.flatMap(placesInHeader),
    // A server may send the result of a tool as events.
    ...[...bodies, ...headerValues(sent, 'data')].flatMap((json) => placesInJson(json, reading)),
  ];
}

function placesAt(value: unknown, reading: SentReading): Place[] {
  if (reading.level > deepest) return [];
  if (typeof value === 'string') return placesInText(value, reading);
  const list = Array.isArray(value) ? value : asObject(value) ? [value] : [];
  const inner = (one: unknown) => {
    const members = asObject(one);
    return members ? placesWithin(members, reading) : placesAt(one, deeper(reading));
  };
  const within = list.map(inner);
  // An object around offers is no offer itself, and not every list is a list of offers.
  const own = toPlace(list).filter((item, at) => isOffer(item) || within[at]?.length === 0);
  return [...(own.some(isOffer) ? [own] : []), ...within.flat()];
}

const partsOf = ({ pay_to, amount, asset, network, scheme }: SentOffer): string =>
  JSON.stringify([pay_to, amount, asset, network, scheme]);

const keyOf = (offer: SentOffer): string => `${partsOf(offer)} ${offer.resource}`;

/** All places count, because clients read different ones. Otherwise a usual offer could hide the paid one. */
function joinPlaces(places: readonly Place[]): SentOffers {
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
  const firstAt = new Map(offers.toReversed().map((one) => [keyOf(one), one]));
  const isFirst = (one: NumberedOffer) => firstAt.get(keyOf(one)) === one;
  const byNews = [...offers.filter(isFirst), ...offers.filter((one) => !isFirst(one))];
  return { offers: byNews.slice(0, mostOffers), count };
}

/** A 402 body or header (x402, MPP), a tool result, a list or an offer, as JSON or text; or undefined. */
export function readSentOffers(sent: unknown): SentOffers | undefined {
  const read = joinPlaces(placesAt(sent, { level: 0, levels: new Map() }));
  return read.offers.length === 0 ? undefined : read;
}
