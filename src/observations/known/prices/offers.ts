import { isTemplate } from '../../../core/text.ts';
import { own, type Words } from '../../../core/words.ts';
import type { NoAnswer } from '../../../net/answer.ts';
import type { EndpointAnswer } from '../../asked/endpoint/conversation.ts';
import { shortNameOf, surfaces } from '../../asked/endpoint/surface.ts';
import type { CheckRun } from '../../asked/run.ts';
import { defineKind } from '../kind.ts';
import { ofOrigins, ofRemotes, ownProbe, type RemoteFinding, withoutAnswer } from '../kinds/remotes.ts';
import type { Finding, Observation } from '../observation.ts';
import { offersDifference } from './difference.ts';
import { type OffersSummary, offersSummary, type PlaceName } from './offer.ts';
import {
  catalogPrices,
  openapiPrices,
  paymentMethods,
  quotedPrices,
  toolPrices,
  x402Prices,
} from './places.ts';
import { offersChangeWords, offersParts, summaryWords, weighOffersChange } from './words.ts';

type Found = Finding<OffersSummary>;

export const priceSubject = (url: string, place: string): string => `${url} in ${place}`;

export const toolsPlace = 'tools/list';

export const isQuote = ({ subject = '' }: Pick<Observation, 'subject'>): boolean => !subject.includes(' in ');

const isAsked = (url: string) => !isTemplate(url) && /^https?:$/.test(URL.parse(url)?.protocol ?? '');

const at = (url: string, place: string, found: Omit<Found, 'source'> & Partial<Found>): Found => ({
  source: ownProbe,
  ...found,
  subject: priceSubject(url, place),
  recorded: url,
});

/** Asking for credentials says nothing about what the endpoint stated before. */
const unseen = ({ asks_for: _, ...found }: Found): Found =>
  found.outcome === 'asks' ? { ...found, outcome: 'not_asked' } : found;

/** An endpoint that does not show its list or capabilities has no such fact, unless one was known before. */
const inMcp =
  (place: string, read: (endpoint: EndpointAnswer) => RemoteFinding<OffersSummary> | NoAnswer) =>
  async (run: CheckRun) =>
    (await ofRemotes(read, true).check(run)).map((found) => at(found.subject ?? '', place, unseen(found)));

async function ofOpenapi(run: CheckRun): Promise<Found[]> {
  const found = await ofOrigins('/openapi.json', own('an OpenAPI document'), openapiPrices).check(run);
  const urls = run.listing.remotes.map(({ url }) => url);
  return found.flatMap(({ subject: origin = '', ...one }) => {
    const url = urls.find((remote) => URL.parse(remote)?.origin === origin);
    return url === undefined
      ? []
      : [{ ...one, subject: priceSubject(origin, 'openapi.json'), recorded: url }];
  });
}

const ofX402 = (run: CheckRun): Promise<Found[]> =>
  Promise.all(
    run.listing.remotes
      .filter(({ url }) => isAsked(url))
      .map(async ({ url }) => {
        const found = await x402Prices(run, url);
        const isNone = 'result' in found;
        return at(url, '.well-known/x402', isNone ? { ...withoutAnswer(found), rule: 'rare' } : found);
      }),
  );

async function ofCatalogs(run: CheckRun): Promise<Found[]> {
  const found: Found[] = [];
  for (const { url } of run.listing.remotes)
    for (const { source, source_url, found: one } of await catalogPrices(run, url)) {
      const named = source_url === undefined ? {} : { source, source_url };
      found.push(at(url, source, { ...('result' in one ? withoutAnswer(one) : one), ...named }));
    }
  return found;
}

const quotes = ofRemotes(quotedPrices);

const places = [
  quotes.check,
  inMcp(toolsPlace, toolPrices),
  inMcp('capabilities', paymentMethods),
  ofOpenapi,
  ofX402,
  ofCatalogs,
];

async function withUnlisted(found: Found, run: CheckRun): Promise<Found> {
  const { value, recorded: url } = found;
  if (!value?.tools || !url || !/^(?:x402|catalog)$/.test(value.place)) return found;
  const endpoint = await run.endpoint({ url });
  if (endpoint.result !== 'answered' || endpoint.list.result !== 'listed') return found;
  const names = new Set(endpoint.list.members.map((tool) => shortNameOf(tool, surfaces.tools)));
  const unlisted = value.tools.filter((tool) => !names.has(tool));
  return unlisted.length === 0 ? found : { ...found, as_seen: { ...found.as_seen, unlisted } };
}

const statedBy: Readonly<Record<PlaceName, Words>> = {
  quote: own('The endpoint quoted Dossier a price.'),
  tools: own('Tools in the endpoint’s list state that a call costs something.'),
  capabilities: own(''),
  openapi: own('The OpenAPI document of the endpoint’s host advertises prices.'),
  x402: own('The x402 document of the endpoint’s host states prices.'),
  catalog: own('A catalogue of prices lists the endpoint.'),
};

const namedAsPaid = own(
  'The x402 document of the endpoint’s host names the endpoint among the resources that are paid for.',
);
const unreadablePrice = own('A payment is asked for, in a form in which Dossier could read no price.');

/** Payment methods may not be used. */
export function costOf({ place, priced }: OffersSummary) {
  if (place === 'capabilities') return undefined;
  if (priced > 0 || place === 'tools') return { words: statedBy[place], isPriced: true };
  return { words: place === 'x402' ? namedAsPaid : unreadablePrice, isPriced: false };
}

export const priceOffers = defineKind({
  kind: 'price.offers',
  answers: 'price',
  entryName: 'price',
  pinnedAs: 'pay_to',
  line: 'costs',
  isLocked: true,
  isToldByChange: true,
  question: 'price',
  title: 'Prices and payees',
  means:
    'The offers at one place, with whom they pay: in the answer of the endpoint before it introduces itself or sends one of its lists (HTTP 402), in its list of tools, its capabilities, its OpenAPI document, its x402 document or a catalogue configured by the operator of this Dossier. Dossier asks for a quote twice; “each time” means that the two answers differed.',
  doesNotMean:
    'Dossier pays nothing and calls no tool. A call may be charged differently, a catalogue is a third party’s word, and an address does not say whose it is.',
  changed: own('The prices or payees are different'),
  value: offersSummary,
  say: summaryWords,
  sayChange: offersChangeWords,
  weighChange: weighOffersChange,
  difference: offersDifference,
  partsOf: offersParts,
  method_version: 'offers/1',
  about: quotes.about,
  async check(run) {
    const found: Found[] = [];
    for (const read of places) found.push(...(await read(run)));
    const first = new Map(found.toReversed().map((one) => [one.subject, one]));
    return Promise.all([...first.values()].reverse().map((one) => withUnlisted(one, run)));
  },
});
