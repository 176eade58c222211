import { hash } from 'node:crypto';
import {
  asMembers,
  asObject,
  attempt,
  type JsonObject,
  readBase64Object,
  readObject,
} from '../../../core/json.ts';
import { toLine } from '../../../core/text.ts';
import { code, count, day, own, say, type Words } from '../../../core/words.ts';
import { type Fetched, mayPass, type NoAnswer, noAnswer, notAsked, returned } from '../../../net/answer.ts';
import { challengesOf } from '../../../net/challenges.ts';
import type { EndpointAnswer } from '../../asked/endpoint/conversation.ts';
import { nameOf, surfaces } from '../../asked/endpoint/surface.ts';
import { isLearnedOutcome } from '../../asked/outcome.ts';
import type { CheckRun } from '../../asked/run.ts';
import { placeOf } from '../kinds/cards.ts';
import type { RemoteFinding } from '../kinds/remotes.ts';
import {
  besideAmong,
  digestOf,
  dollars,
  dynamic,
  isIdentifier,
  mppMembers,
  type Offer,
  type OffersSummary,
  type PlaceName,
  readAccepted,
  type StatedOffers,
  statesOffers,
  toOffer,
  toOffers,
  toolOf,
  toToolName,
  unitOf,
} from './offer.ts';

type Read = RemoteFinding<OffersSummary> | NoAnswer;

const statedAt = (place: PlaceName, offers: readonly Offer[], none: Words) =>
  offers.length > 0 ? statesOffers(place, offers) : { value: null, outcome: 'nothing' as const, why: none };

/** MPP: `WWW-Authenticate: Payment method=..., intent=..., request=<base64url JSON>`. */
const readChallenges = (response: Fetched): Offer[] =>
  challengesOf(response)
    .filter(({ scheme, parameters }) => scheme === 'payment' && parameters.size > 0)
    .map(({ parameters }) => {
      const { method = null, intent = null, request = null } = Object.fromEntries(parameters);
      const read = readBase64Object(request ?? '');
      if (!read) return { unreadable: digestOf([method, intent, request]) };
      return toOffer(mppMembers(read, method, intent), ['amount', 'asset', 'network', 'scheme']);
    });

/** Version 2 has PAYMENT-REQUIRED (base64 JSON), or a JSON body as version 1. */
const readX402 = (version: 1 | 2, { headers, text }: Fetched): Offer[] | undefined => {
  const header = version === 2 ? headers['payment-required'] : undefined;
  const required = header === undefined ? readObject(text) : readBase64Object(header);
  const isRead = required?.x402Version === version && Array.isArray(required.accepts);
  return isRead ? (required.accepts as unknown[]).map((one) => readAccepted(one)) : undefined;
};

/** A response may use several formats. */
function quotedIn(response: Fetched): Offer[] | undefined {
  const challenges = readChallenges(response);
  const x402 = [readX402(2, response), readX402(1, response)].filter((offers) => offers !== undefined);
  return challenges.length + x402.length > 0 ? [...x402.flat(), ...challenges] : undefined;
}

const volatile: NonNullable<StatedOffers['varies']>[] = [
  [],
  ['pay_to'],
  ['unreadable'],
  ['pay_to', 'unreadable'],
];

type Varies = (typeof volatile)[number];

const without = (offers: readonly Offer[], varies: Varies) =>
  toOffers(
    offers.map(({ pays, unreadable, ...one }) => ({
      ...one,
      ...(pays && !varies.includes('pay_to') && { pays }),
      ...(unreadable !== undefined && !varies.includes('unreadable') && { unreadable }),
    })),
  );

/** What differs is named. Some endpoints name other payees in each answer. */
function statedInBoth(quoted: readonly Offer[], again: readonly Offer[]): StatedOffers {
  for (const varies of volatile) {
    const offers = without(quoted, varies);
    if (JSON.stringify(offers) === JSON.stringify(without(again, varies)))
      return { offers, ...(varies.length > 0 && { varies }) };
  }
  const before = Map.groupBy(quoted, unitOf);
  const after = Map.groupBy(again, unitOf);
  const haveNone = (of: (one: Offer) => string) =>
    before.entries().some(([unit, offers]) => {
      const had = new Set(offers.map(of));
      return after.get(unit)?.every((one) => !had.has(of(one)));
    });
  const isOfUnits = before.size === after.size && before.keys().every((unit) => after.has(unit));
  const varies: Varies = [
    ...(haveNone(({ pays }) => JSON.stringify(pays)) ? (['pay_to'] as const) : []),
    ...(haveNone(({ unreadable = '' }) => unreadable) ? (['unreadable'] as const) : []),
    isOfUnits ? 'amount' : 'offers',
  ];
  return { offers: without([...quoted, ...again], varies), varies };
}

const noPrice = own(
  'The endpoint did not ask for a payment (HTTP 402) when Dossier asked what it is and which tools it has; Dossier calls no tool, and a call may still cost something.',
);

const noneQuoted = ({ headers, text }: Fetched, isKnown: boolean) => ({
  value: null,
  outcome: 'asks' as const,
  asks_for: 'payment' as const,
  ...mayPass({ headers, text }, 'payment'),
  why: own(
    `The endpoint asked for a payment (HTTP 402) ${isKnown ? 'and offered no way to pay' : 'in a form that Dossier does not know'}.`,
  ),
  as_seen: {
    sha256_of_body: hash('sha256', text),
    ...(headers['payment-required'] && {
      sha256_of_payment_required: hash('sha256', headers['payment-required']),
    }),
  },
});

export function quotedPrices({ payment, paymentAgain, credentials, list }: EndpointAnswer): Read {
  // Behind credentials, or without an answer to the question for tools, it is not known whether to pay.
  const isOpen = list.result === 'no_answer' && (credentials || !isLearnedOutcome(list.outcome));
  if (!payment) return isOpen ? list : statedAt('quote', [], noPrice);
  const quoted = quotedIn(payment);
  const again = paymentAgain === 'none' ? [] : paymentAgain && (quotedIn(paymentAgain) ?? []);
  if (!quoted?.length && !again?.length) return noneQuoted(payment, quoted !== undefined);
  const { offers, varies } = statedInBoth(quoted ?? [], again ?? quoted ?? []);
  const found = statesOffers('quote', offers, varies);
  const { unreadable, count: all } = found.value;
  if (unreadable === undefined) return found;
  const why = say`Dossier could not read ${unreadable} of the ${all} offers, or not whole, so it may not know every payee.`;
  return { ...found, ...(unreadable === all && mayPass(payment, 'payment')), why };
}

const longestName = 200;
const toName = (text: string) => toLine(text).slice(0, longestName).toWellFormed();

const price = /^\$?(\d{1,20}(?:\.\d{1,20})?)$/;
/** A JavaScript number keeps all of at most this many digits. */
const mostDigits = 15;

/** `0.01` and `"$0.010"` are the same price. */
function toDollars(stated: unknown): string | undefined {
  if (typeof stated === 'number') return stated >= 0 && Number.isFinite(stated) ? String(stated) : undefined;
  if (typeof stated !== 'string') return undefined;
  const amount = price.exec(stated)?.[1]?.replace(/\.0+$|(?<=\.\d*[1-9])0+$/, '');
  return amount !== undefined && amount.replace('.', '').length <= mostDigits
    ? String(Number(amount))
    : amount;
}

function toPriced({ name, _meta }: JsonObject): Offer[] {
  const { 'agents-x402/priceUSD': stated, 'agents-x402/paymentRequired': required } = asMembers(_meta);
  const of = { for: typeof name === 'string' ? toName(name) : '' };
  if (stated === undefined) return required ? [of] : [];
  const amount = stated === dynamic ? dynamic : toDollars(stated);
  return [
    { ...of, ...(amount === undefined ? { unreadable: digestOf(stated) } : { amount, asset: dollars }) },
  ];
}

/** `agents-x402` */
export const toolPrices = ({ list }: EndpointAnswer): Read =>
  list.result === 'listed'
    ? statedAt(
        'tools',
        list.members.flatMap(toPriced),
        own('No tool in the list that Dossier read states a price in its _meta (agents-x402).'),
      )
    : list;

/** MPP, without amounts. */
export function paymentMethods({ introduction, list }: EndpointAnswer): Read {
  if (!introduction) return list as NoAnswer;
  const { capabilities } = introduction;
  if (!capabilities)
    return noAnswer('otherwise', own('The endpoint sent no capabilities that Dossier could read.'));
  const { methods } = asMembers(asMembers(capabilities.experimental).payment);
  const offers = Object.entries(asMembers(methods)).flatMap(([method, stated]): Offer[] => {
    const { intents } = asMembers(stated);
    const network = toName(method);
    const named = (Array.isArray(intents) ? intents : []).filter(isIdentifier);
    return named.length > 0 ? named.map((scheme) => ({ network, scheme })) : [{ network }];
  });
  const none = own('The endpoint names no payment methods among its capabilities (experimental.payment).');
  return statedAt('capabilities', offers, none);
}

const httpMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

function toAdvertised(operation: string, stated: unknown): Offer {
  const info = asObject(stated);
  if (!info) return { for: operation, unreadable: digestOf(stated) };
  const { intent: scheme, method: network, amount, currency: asset, ...others } = info;
  const members = { for: operation, scheme, network, asset, beside: besideAmong(others) };
  return amount === null
    ? { ...toOffer(members, []), amount: dynamic }
    : toOffer({ ...members, amount }, ['amount']);
}

/** `x-payment-info` holds a list of offers, or is itself one. */
export function openapiPrices({ text }: Fetched): RemoteFinding<OffersSummary> | undefined {
  const document = readObject(text);
  if (typeof document?.openapi !== 'string') return undefined;
  const offers = Object.entries(asMembers(document.paths)).flatMap(([path, item]) =>
    httpMethods.flatMap((method) => {
      const info = asMembers(asMembers(item)[method])['x-payment-info'];
      const { offers: stated } = asMembers(info);
      const all = Array.isArray(stated) ? stated : info === undefined ? [] : [info];
      return all.map((one) => toAdvertised(toName(`${method.toUpperCase()} ${path}`), one));
    }),
  );
  const none = own('No operation that Dossier reads in the OpenAPI document states x-payment-info.');
  return statedAt('openapi', offers, none);
}

/** No standard: lists of addresses, or of objects as in catalogues (x402-foundation/x402 869, 2582, 2979). */
const paths = ['/.well-known/x402', '/.well-known/x402.json'];

const lists = ['resources', 'items', 'endpoints', 'services'];

/** A host that does not answer is not asked for the second path. */
async function findDocument(run: CheckRun, origin: string) {
  let failure: NoAnswer | undefined;
  for (const path of paths) {
    const at = `${origin}${path}`;
    const answer = await run.get(at);
    const document = asMembers(answer.result === 'response' ? readObject(answer.text) : undefined);
    const found = lists.map((name) => document[name]).filter(Array.isArray);
    if (found.length > 0) return { result: 'document' as const, at, resources: found.flat() as unknown[] };
    const none = answer.result === 'response' ? returned(code(at), answer, own('an x402 document')) : answer;
    if (!failure || failure.outcome === 'absent') failure = none;
    if (none.outcome === 'silent' || none.outcome === 'not_asked') break;
  }
  return failure as NoAnswer;
}

function toEntry(listed: unknown): { readonly address: string; readonly item: JsonObject } | undefined {
  if (typeof listed === 'string') return { address: listed, item: {} };
  const item = asMembers(listed);
  const { resource, url, endpoint } = item;
  const address = [resource, asMembers(resource).url, url, endpoint].find((one) => typeof one === 'string');
  return typeof address === 'string' ? { address, item } : undefined;
}

/** x402 names a tool of MCP without an endpoint in this form: `mcp://tool/search`. */
const toolForm = /^mcp:\/\/tool\/([^/?#]{1,600})$/;

function offersOf({ accepts, ...item }: JsonObject, tool: string | undefined): Offer[] {
  const ways = Array.isArray(accepts) ? accepts : item.payTo === undefined ? [] : [item];
  const of = tool === undefined ? {} : { for: tool };
  return ways.length > 0 ? ways.map((one) => readAccepted(one, tool)) : [of];
}

const isPriced = (one: Offer) => Object.keys(one).some((name) => name !== 'for');

/** A tool without an endpoint is only known to be this one's if the endpoint lists it. */
export async function x402Prices(run: CheckRun, url: string) {
  const document = await findDocument(run, new URL(url).origin);
  if (document.result !== 'document') return document;
  const { at, resources } = document;
  const endpoint = await run.endpoint({ url });
  const list: EndpointAnswer['list'] = endpoint.result === 'answered' ? endpoint.list : endpoint;
  const members = list.result === 'listed' ? list.members : [];
  const tools = new Set(members.map((tool) => nameOf(tool, surfaces.tools)));
  const place = placeOf(new URL(url));
  const offers: Offer[] = [];
  for (const { address, item } of resources.flatMap((listed) => toEntry(listed) ?? [])) {
    const alone = toolForm.exec(address)?.[1];
    if (alone !== undefined && list.result !== 'listed')
      return notAsked(
        say`${code(at)} names tools without an endpoint; Dossier did not see whether this endpoint has them.`,
      );
    const tool =
      alone === undefined ? toolOf(item) : toToolName(attempt(() => decodeURIComponent(alone)) ?? alone);
    const named = alone === undefined ? URL.parse(address, at) : undefined;
    const isHere = named
      ? /^https?:$/.test(named.protocol) && placeOf(named) === place
      : tools.has(tool ?? '');
    if (isHere) for (const one of offersOf(item, tool)) offers.push(one);
  }
  const priced = new Set(offers.filter(isPriced).map((one) => one.for));
  const stated = offers.filter((one) => !priced.has(one.for) || isPriced(one));
  const none = say`${code(at)} names ${count(resources.length, 'resource')}, but not this endpoint.`;
  return { ...statedAt('x402', stated, none), source_url: at };
}

const off = own('Dossier is not configured here to read catalogues of prices (PRICE_CATALOGS).');

export async function catalogPrices(run: CheckRun, url: string) {
  const catalogs = await run.catalogs(url);
  if (catalogs.length === 0) return [{ source: 'a catalogue', source_url: undefined, found: notAsked(off) }];
  const ofHost = Map.groupBy(catalogs, ({ catalog }) => new URL(catalog).host);
  return catalogs.map(({ catalog, ...found }) => {
    const { host, pathname } = new URL(catalog);
    const source = (ofHost.get(host)?.length ?? 0) > 1 ? `${host}${pathname}` : host;
    const named = { source, source_url: catalog };
    if (found.result !== 'read') return { ...named, found };
    const { listed, read_at } = found;
    const { offers = [], last_updated = '' } = listed ?? {};
    const when = say`Dossier read the catalogue on ${day(read_at)}`;
    const none = say`${when}; it ${own(listed ? 'lists this endpoint without a price' : 'does not list this endpoint')}.`;
    const as_seen = { read_at, ...(last_updated !== '' && { last_updated }) };
    const stated = {
      why: say`${when}.`,
      ...statedAt('catalog', offers as Offer[], none),
      ...(offers.length > 0 && { as_seen }),
    };
    return { ...named, found: stated };
  });
}
