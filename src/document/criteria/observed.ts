import { betweenDays, code, dayOf, join, ours, own, say, toText } from '../../core/words.ts';
import { isUnanswered, outcomeWords } from '../../observations/asked/outcome.ts';
import { readablePackages, toPackage } from '../../observations/asked/published/recorded.ts';
import { type FactOf, factsOf, type KindValue, type NamedKind } from '../../observations/known/kind.ts';
import { answersNow, endpointAnswers } from '../../observations/known/kinds/endpoint.ts';
import { toolsSurface } from '../../observations/known/kinds/lists/tools.ts';
import { packageAdvisories, reportedMalware } from '../../observations/known/kinds/packages/advisories.ts';
import { packageDeprecated, packageExists } from '../../observations/known/kinds/packages/packages.ts';
import { packageProvenance } from '../../observations/known/kinds/packages/provenance.ts';
import {
  currentOutcome,
  isDated,
  type Observation,
  sameSince,
} from '../../observations/known/observation.ts';
import { isWithinLimit, readPriceLimit, symbolOf, toCaip19 } from '../../observations/known/prices/assets.ts';
import {
  areOthersEachTime,
  isAnotherEachTime,
  isWhole,
  type OffersSummary,
} from '../../observations/known/prices/offer.ts';
import { costOf, priceOffers, priceSubject, toolsPlace } from '../../observations/known/prices/offers.ts';
import { offersWords, quoteWords } from '../../observations/known/prices/words.ts';
import type { ListingDocument } from '../listing-document.ts';
import {
  because,
  criteriaOf,
  daysSince,
  daysUnchanged,
  decided,
  type JudgedResult,
  noEndpoint,
  noPackage,
  ofEvery,
  ofSome,
  plain,
  type Result,
  resultTexts,
  unknown,
} from './criterion.ts';
import { unlessUnread } from './recorded.ts';

type FactAt = <K extends NamedKind>(kind: K, place?: string) => FactOf<K> | undefined;

type Joined = (found: readonly Result[]) => Result | undefined;

const mostNamed = 3;

/** Why a fact does not answer the question. */
const notTold = (fact: Pick<Observation, 'reason' | 'outcome' | 'asks_for'> | undefined) =>
  unknown(fact ? (fact.reason ?? outcomeWords(fact)) : own('not checked'));

/** Each of several tells why the whole is not known. Undefined if there is none. */
function joinedOf(
  all: readonly { readonly place: string; readonly judged: JudgedResult | undefined }[],
  joined: Joined = ofEvery,
): JudgedResult | undefined {
  const found = all.flatMap(({ place, judged }) =>
    judged === undefined
      ? []
      : {
          place,
          ...(typeof judged === 'string' ? because(judged, ours(resultTexts[judged].toLowerCase())) : judged),
        },
  );
  const result = joined(found.map((one) => one.result));
  if (result !== 'unknown') {
    const told = all.flatMap(({ place, judged }) => {
      if (typeof judged !== 'object' || judged.result !== result) return [];
      return found.length > 1 ? say`${code(place)}: ${judged.because}` : judged.because;
    });
    return result && told.length > 0 ? because(result, join(told.slice(0, mostNamed), '; ')) : result;
  }
  const whys = Map.groupBy(found, ({ because: why }) => toText(why));
  const [first] = found;
  if (first && whys.size === 1) return unknown(first.because);
  const told = found
    .toSorted((a, b) => Number(b.result === 'unknown') - Number(a.result === 'unknown'))
    .map(({ place, because: why }) => say`${code(place)}: ${why}`);
  const left = told.length - mostNamed;
  return unknown(join([...told.slice(0, mostNamed), left > 0 && say`${left} more`], '; '));
}

/** What runs from a package has no endpoint to judge. `judge` may leave out one that asks for no payment. */
function ofEndpoints(
  listing: ListingDocument,
  judge: (at: FactAt) => JudgedResult | undefined,
  joined?: Joined,
): JudgedResult {
  const urls = [...new Set(listing.remotes.map(({ url }) => url))];
  if (urls.length === 0) return unlessUnread(listing, 'endpoint', noEndpoint);
  const all = urls.map((url) => {
    const at: FactAt = (kind, place) => {
      const named = place === undefined ? url : priceSubject(url, place);
      return factsOf(kind, listing.observations).find(({ subject = url }) => subject === named);
    };
    return { place: url, judged: judge(at), unjudged: notTold(at(priceOffers)) };
  });
  const asNone = all.map(({ place, unjudged }) => ({ place, judged: unjudged }));
  return joinedOf(all, joined) ?? joinedOf(asNone) ?? noEndpoint;
}

function isAlive(at: FactAt): JudgedResult {
  const answers = at(endpointAnswers);
  const outcome = currentOutcome(answers);
  if (!answers || outcome === undefined) return notTold(answers);
  if (answersNow(answers)) return 'met';
  const failed = isUnanswered(outcome) || outcome === 'absent' || answers.unanswered_since !== undefined;
  return failed ? 'not_met' : notTold(answers);
}

/** If `isPriced` is false, a payment without an amount. */
const statedIn = ({ observations }: ListingDocument, isPriced: boolean): OffersSummary[] =>
  factsOf(priceOffers, observations).flatMap((one) =>
    one.value && currentOutcome(one) === 'seen' && costOf(one.value)?.isPriced === isPriced
      ? [one.value]
      : [],
  );

function asksNothing(at: FactAt): boolean {
  const tools = currentOutcome(at(priceOffers, toolsPlace));
  const isNone = at(priceOffers, toolsPlace) === undefined || tools === 'nothing' || tools === 'absent';
  return currentOutcome(at(priceOffers)) === 'nothing' && isNone;
}

/** What does not show that nothing is asked. */
const unsettled = (at: FactAt) =>
  at(priceOffers, currentOutcome(at(priceOffers)) === 'nothing' ? toolsPlace : undefined);

/** Only a quote is compared; that there is none is a reason only beside other prices. */
function quotesAtMost(at: FactAt, most: string, stated: readonly OffersSummary[]): JudgedResult {
  const quote = at(priceOffers);
  const limit = readPriceLimit(most);
  const [advertised] = stated.flatMap(({ place, offers }) =>
    place !== 'quote' && offers.length > 0 ? [offersWords(offers)] : [],
  );
  if (currentOutcome(quote) !== 'seen' || !limit)
    return stated.length > 0
      ? unknown(say`no quote${advertised && say`; advertised: ${advertised}`}`)
      : notTold(quote);
  const { offers = [], cheapest = offers } = quote?.value ?? {};
  const comparable = cheapest
    .map(({ amount, network = '', asset = '' }) =>
      isWhole(amount) ? isWithinLimit({ amount, network, asset }, limit) : undefined,
    )
    .filter((one) => one !== undefined);
  if (comparable.includes(true) && quote?.value && areOthersEachTime(quote.value))
    return unknown(say`quoted: ${quoteWords(quote.value)}`);
  if (comparable.length > 0) return decided(comparable.includes(true));
  const [first = {}] = cheapest;
  const isOther = isWhole(first.amount) && toCaip19(first.network ?? '', first.asset ?? '') !== undefined;
  const why = isOther ? own('not in the asset of this limit') : own('which Dossier cannot compare');
  return unknown(say`quoted: ${offersWords(cheapest)}, ${why}`);
}

/** The endpoint answers, but no longer shows the fact, which may have changed. */
function isHidden({ unanswered_since }: Observation, at: FactAt): boolean {
  const answers = at(endpointAnswers);
  return unanswered_since !== undefined && answers !== undefined && answersNow(answers);
}

/** An endpoint that asks for no payment has no payees. A payee that goes changes none that is left. */
function isUnchangedFor(
  at: FactAt,
  kind: typeof priceOffers | typeof toolsSurface,
  wanted: number,
): JudgedResult | undefined {
  const one = at(kind);
  if (kind === priceOffers && asksNothing(at)) return undefined;
  if (!one || currentOutcome(one) !== 'seen' || !isDated(one)) return notTold(one);
  const paid = typeof one.value === 'object' && one.value ? one.value : undefined;
  if (isAnotherEachTime(paid)) return unknown(own('the addresses to pay are other ones each time'));
  if (paid?.varies?.includes('offers')) return unknown(own('it makes not the same offers each time'));
  if (paid?.payees.length === 0) return unknown(own('no address to pay was seen'));
  if (isHidden(one, at)) return unknown(one.reason ?? own('it answers, and no longer shows them'));
  const { first_seen_at, changed_from: from } = one;
  const seen = { since: first_seen_at, before_until: from?.value === null ? undefined : from?.seen_until };
  const { since, before_until } = one.parts?.no_new_payee ?? one[sameSince] ?? seen;
  if ((daysSince(since, Date.parse(one.observed_at)) ?? 0) >= wanted) return 'met';
  if (before_until !== undefined)
    return because('not_met', say`${own(paid ? 'no new one' : 'the same')} since ${dayOf(since)}`);
  const { not_asked_since: left } = one;
  return unknown(
    left === undefined
      ? say`first seen by Dossier on ${dayOf(since)}`
      : say`not asked by Dossier ${betweenDays(left, since)}`,
  );
}

/**
 * `holds` returns undefined if the value does not answer the question. `needsPackage`: a fact about a package
 * that its registry lacks shows nothing.
 */
function ofPackages<K extends NamedKind>(
  listing: ListingDocument,
  kind: K,
  holds: (value: KindValue<K>) => boolean | undefined,
  needsPackage = false,
): JudgedResult {
  const readable = readablePackages(listing);
  const all = listing.packages.map((one) => {
    const checked = readable.find(({ recorded }) => recorded === toPackage(one)?.recorded);
    const at: FactAt = (of) =>
      checked &&
      factsOf(of, listing.observations).find(({ subject = checked.subject }) => subject === checked.subject);
    const judged = (): JudgedResult => {
      const fact = at(kind);
      if (!fact || fact.value === null || currentOutcome(fact) !== 'seen') return notTold(fact);
      const isHeld = holds(fact.value);
      if (isHeld === undefined) return unknown(own('what was seen cannot be compared'));
      const there = isHeld && needsPackage ? at(packageExists) : undefined;
      return currentOutcome(there) === 'absent' ? notTold(there) : decided(isHeld);
    };
    return { place: one.identifier, judged: judged() };
  });
  return joinedOf(all) ?? unlessUnread(listing, 'package', noPackage);
}

type Listed = 'yes' | 'no' | 'unknown';

/** One that is listed counts even if not seen again; only the newest check can show that there is none. */
function isListedNowhere(
  listing: ListingDocument,
  isListed: (value: KindValue<typeof packageAdvisories>) => Listed,
): JudgedResult {
  const found = factsOf(packageAdvisories, listing.observations);
  if (found.some(({ value }) => value !== null && isListed(value) === 'yes')) return 'not_met';
  const holds = (value: KindValue<typeof packageAdvisories>) => isListed(value) === 'no' || undefined;
  return ofPackages(listing, packageAdvisories, holds, true);
}

const listedAdvisory = ({ count, not_compared }: KindValue<typeof packageAdvisories>): Listed =>
  count > 0 ? 'yes' : not_compared.length > 0 ? 'unknown' : 'no';

const symbolsIn = ({ offers, cheapest = offers }: OffersSummary) =>
  cheapest.flatMap(({ network = '', asset = '' }) => symbolOf(network, asset) ?? []);

/** Tokens of test networks have no value. */
const isOfTests = (quote: OffersSummary): boolean => {
  const symbols = symbolsIn(quote);
  return symbols.length > 0 && symbols.every((symbol) => symbol.startsWith('test-'));
};

const observed = criteriaOf('observed');

export const observedCriteria = {
  endpoint_observed_alive: observed(
    'The newest check saw an endpoint answer',
    plain,
    ['no_answer', 'where'],
    (listing) => ofEndpoints(listing, isAlive, ofSome),
  ),
  price_known: observed('A price was seen', plain, ['costs'], (listing) => {
    if (statedIn(listing, true).some((quote) => !isOfTests(quote))) return 'met';
    // Not met only if every endpoint was seen to ask for no payment.
    return ofEndpoints(
      listing,
      (at) => {
        if (asksNothing(at)) return 'not_met';
        const quote = unsettled(at);
        if (quote?.value && isOfTests(quote.value))
          return unknown(own('its quote is in tokens of a test network, which have no value'));
        const seen = currentOutcome(quote) === 'seen' && quote?.value && costOf(quote.value);
        return seen ? unknown(seen.words) : notTold(quote);
      },
      (found) => (found.includes('unknown') ? 'unknown' : found[0]),
    );
  }),
  price_at_most: observed('Quotes at most {}', { kind: 'price' }, ['costs'], (listing, most: string) => {
    const stated = statedIn(listing, true);
    return ofEndpoints(listing, (at) => quotesAtMost(at, most, stated));
  }),
  no_payment_seen: observed('The newest check saw no request for a payment', plain, ['costs'], (listing) => {
    if ([true, false].some((isPriced) => statedIn(listing, isPriced).length > 0)) return 'not_met';
    return ofEndpoints(listing, (at) => {
      const quote = at(priceOffers);
      if (currentOutcome(quote) === 'asks' && quote?.asks_for === 'payment') return 'not_met';
      return asksNothing(at) ? 'met' : notTold(unsettled(at));
    });
  }),
  pay_to_unchanged_for: observed(
    'Addresses to pay unchanged for at least {} day(s) (one that goes does not count)',
    daysUnchanged,
    ['changed', 'costs'],
    (listing, wanted: number) => ofEndpoints(listing, (at) => isUnchangedFor(at, priceOffers, wanted)),
  ),
  tools_unchanged_for: observed(
    'Tools unchanged for at least {} day(s)',
    daysUnchanged,
    ['changed', 'unread_tools', 'tools'],
    (listing, wanted: number) => ofEndpoints(listing, (at) => isUnchangedFor(at, toolsSurface, wanted)),
  ),
  no_malware_report: observed(
    'No recorded package is reported as malicious code',
    plain,
    ['malware', 'other_malware', 'where', 'kept_up'],
    (listing) => isListedNowhere(listing, reportedMalware),
  ),
  no_advisory: observed(
    'No advisory about a recorded package is known',
    plain,
    ['malware', 'advisories', 'where', 'kept_up'],
    (listing) => isListedNowhere(listing, listedAdvisory),
  ),
  package_not_deprecated: observed(
    'No recorded package is deprecated',
    plain,
    ['package_deprecated', 'where'],
    (listing) => ofPackages(listing, packageDeprecated, ({ deprecated }) => !deprecated),
  ),
  package_built_from_repository: observed(
    'Packages have provenance from the recorded repository',
    plain,
    ['contradiction', 'kept_up'],
    (listing) =>
      ofPackages(listing, packageProvenance, ({ result }) =>
        result === 'not_comparable' ? undefined : result === 'match',
      ),
  ),
};
