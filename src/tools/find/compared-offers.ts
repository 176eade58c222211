import type { Context } from '../../context.ts';
import { attempt } from '../../core/json.ts';
import { code, codes, dayOf, join, own, phrase, say, Words, within } from '../../core/words.ts';
import { lineWords, toAnswer } from '../../document/answers/answers.ts';
import { toListingDocument } from '../../document/document.ts';
import { holdsEndpoints } from '../../listings/naming.ts';
import { toEndpoints } from '../../listings/references/name.ts';
import {
  type ComparedOffer,
  compareOffer,
  isInNewest,
  paidElsewhere,
} from '../../observations/known/prices/compare.ts';
import { toToolName } from '../../observations/known/prices/offer.ts';
import { compareWithLists } from '../../observations/known/prices/price-lists.ts';
import { type OfferReading, type SeenPlace, toSeenPlaces } from '../../observations/known/prices/seen.ts';
import type { NumberedOffer, SentOffer, SentOffers } from '../../observations/known/prices/sent.ts';
import { paidForWords } from '../../observations/known/prices/words.ts';
import { whyNone } from './listing.ts';
import { findPlace, isAddress, type PaidPlace } from './paid-place.ts';
import { keptAt } from './seen-lists.ts';

const mostResources = 3;

export type CheckedOffer = Awaited<ReturnType<typeof compareAt>>[number];

const isQuoting = ({ place, quotes }: SeenPlace): boolean =>
  place === 'quote' && quotes.some(({ value }) => value);

/** Of the first holder that was quoted a price there. */
async function readFormer(
  { former: { handles, references } }: PaidPlace,
  readingOf: (handle: string) => OfferReading,
  { store }: Context,
): Promise<SeenPlace[]> {
  for (const handle of references.length > 0 ? handles : []) {
    const kept = await store.observations.ofListing(handle);
    for (const reference of kept ? references : []) {
      const { timelines, observations } = keptAt(kept ?? { timelines: [] }, [reference]);
      const all = observations.map(({ recorded, subject = '' }) => recorded ?? subject);
      const places = await toSeenPlaces(observations, timelines, all, {
        ...readingOf(handle),
        isFormer: true,
      });
      if (places.some(isQuoting)) return places.filter(isQuoting);
    }
  }
  return [];
}

async function readSeen(place: PaidPlace, offers: readonly NumberedOffer[], context: Context) {
  const { facts, endpoints } = place;
  const { store, clock } = context;
  const isWanted: OfferReading['isWanted'] = ({ asset, amount, pays = [] }) =>
    offers.some(
      (one) =>
        (one.asset === asset && one.amount === amount) || pays.some(({ address }) => address === one.pay_to),
    );
  const readingOf = (handle: string): OfferReading => ({
    now: clock(),
    whole: (digest) => store.observations.whole(handle, digest),
    isWanted,
  });
  const former = await readFormer(place, readingOf, context);
  if (!facts) return { seen: former, lists: [], others: [] };
  const { handle } = facts.listing;
  const { timelines = [] } = (await store.observations.ofListing(handle)) ?? {};
  const all = facts.listing.remotes.map(({ url }) => url);
  const places = await toSeenPlaces(facts.observed?.observations ?? [], timelines, all, readingOf(handle));
  const isThere = ({ endpoint = '' }: SeenPlace) => endpoints.includes(endpoint);
  const isList = ({ place, fact }: SeenPlace) => fact.outcome === 'seen' && /^(?:x402|catalog)$/.test(place);
  return {
    seen: former.length > 0 ? former : places.filter((one) => isThere(one) && one.place === 'quote'),
    lists: places.filter((one) => isThere(one) && isList(one)),
    // A stranger can record an address beside an endpoint of its own.
    others: holdsEndpoints(facts.listing)
      ? places.filter((one) => !isThere(one) || (one.place !== 'quote' && !isList(one)))
      : [],
  };
}

function messageOf({ facts, endpoints, found }: PaidPlace, place: SeenPlace | undefined): Words {
  const noneSeen = say`Dossier was quoted no price at ${codes(endpoints)}.`;
  if (!place) return join([found, facts && (whyNone(facts) ?? noneSeen)], ' ');
  const { endpoint = '', fact, since, quotes } = place;
  const last = quotes.find(({ value }) => value !== undefined);
  const until = last
    ? say`A price ${paidForWords(last.value ?? [])} was last quoted to Dossier at ${code(endpoint)} on ${dayOf(last.until)}${last.each}.`
    : say``;
  const read = since === undefined ? say`` : say`The comparison covers quotes since ${dayOf(since)}.`;
  const why = fact.why ? within(phrase(new Words(fact.why))) : own('no price was quoted');
  const where = last ? own('On') : say`At ${code(endpoint)} on`;
  const not = fact.outcome === 'seen' ? say`` : say`${where} ${dayOf(fact.observed_at)}: ${why}.`;
  return join([found, until, not, read], ' ');
}

/** The place that most parts are as at; a place with a quote comes before others. */
function compareWithClosest(offers: readonly SentOffer[], seen: readonly SeenPlace[]) {
  const all = seen.map((place) => {
    const compared = offers.map((offer) => compareOffer(offer, place));
    const parts = compared.flatMap((one) => Object.values(one));
    const asSeen = parts.filter(({ seen: how }) => isInNewest(how)).length;
    const before = parts.filter(({ seen: how }) => how === 'seen_until').length;
    const quoting = place.quotes.some(({ value }) => value) ? 1 : 0;
    return { place, compared, asSeen, before, quoting };
  });
  return all.sort((a, b) => b.asSeen - a.asSeen || b.before - a.before || b.quoting - a.quoting)[0];
}

type Named = Parameters<typeof findPlace>[0];

async function compareAt(
  offers: readonly NumberedOffer[],
  named: Named,
  address: string | undefined,
  context: Context,
) {
  const [{ realm } = {}] = offers;
  const place = await findPlace(named, { resource: address, realm }, context);
  const { seen, lists, others } = await readSeen(place, offers, context);
  const closest = compareWithClosest(offers, seen);
  const endpoint = closest?.place.endpoint;
  const message = messageOf(place, closest?.place);
  const unseen = { now: context.clock(), endpoint: undefined, unseen: place.unseen, quotes: [] };
  return offers.map((offer, at) => {
    const compared: ComparedOffer = closest?.compared[at] ?? compareOffer(offer, unseen);
    const isKnown = isInNewest(compared.payee.seen);
    const besides = [...others, ...seen.filter((one) => one !== closest?.place)];
    return {
      offer,
      handle: place.facts?.listing.handle,
      facts: place.shown ?? place.facts,
      message,
      compared,
      lists: compareWithLists(lists, offer, { paidTool: toolIn(offer.resource), endpoint }),
      /** Other places of the listing with the payee, if the compared place is not known for it. */
      elsewhere: isKnown || !offer.pays ? undefined : paidElsewhere(offer, besides),
    };
  });
}

/** What the listing asked Dossier for, beside an offer that it cannot read. Undefined if none is named. */
export async function askedBeside(offer: unknown, named: Named, context: Context) {
  if ((named.handle ?? named.url) === undefined) return undefined;
  const { facts: whole, shown: facts = whole, found } = await findPlace(named, {}, context);
  const text = typeof offer === 'string' ? offer : JSON.stringify(offer);
  const form = lightning.test(text)
    ? own(
        'The offer is a request of Lightning (L402), which Dossier does not read, so nothing of it is compared.',
      )
    : own(
        'The offer has no form that Dossier reads (x402, MPP), so nothing of it is compared: send the body or the header of the 402 unchanged.',
      );
  if (!facts) return { facts, message: join([form, found], ' ') };
  const { lines } = toAnswer(toListingDocument(facts, context.config, context.clock()), 'short');
  const asked = [lines.where, lines.costs].map(lineWords);
  return { facts, message: join([form, found, ...asked], ' ') };
}

const lightning = /\b(?:l402|lsat)\b|\blnbc/i;

/** `mcp://tool/search` */
function toolIn(resource = ''): string | undefined {
  const [, written = ''] = /^mcp:\/\/tool\/(.+)$/.exec(resource) ?? [];
  return toToolName(attempt(() => decodeURIComponent(written)) ?? written);
}

/**
 * Each offer only at its own resource, or else at the first address that any offer names. Throws as findPlace
 * does.
 */
export async function compareEach({ offers }: SentOffers, named: Named, context: Context) {
  const first = offers.map(({ resource }) => resource).find(isAddress);
  const addressOf = ({ resource }: NumberedOffer) => (isAddress(resource) ? resource : first);
  const byPlace = Map.groupBy(
    offers,
    (offer) => toEndpoints(addressOf(offer) ?? '')[0]?.key ?? addressOf(offer) ?? offer.realm,
  );
  const checked = [];
  for (const some of [...byPlace.values()].slice(0, mostResources))
    checked.push(...(await compareAt(some, named, some.map(addressOf)[0], context)));
  return checked.sort((a, b) => a.offer.number - b.offer.number);
}
