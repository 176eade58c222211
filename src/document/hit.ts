import { namespaceText } from '../core/handle.ts';
import { namespaceMatchesRepositoryOwner } from '../core/identity.ts';
import { dayText, lastOf } from '../core/text.ts';
import { code, codes, count, day, isEmpty, join, number, ours, own, say, Words } from '../core/words.ts';
import type { CopyField } from '../imports/import-run.ts';
import { hiddenSentence, isSample, isSpecified, type Listing } from '../listings/listing.ts';
import { holdsEndpoints } from '../listings/naming.ts';
import type { Outcome } from '../observations/asked/outcome.ts';
import { factsOf } from '../observations/known/kind.ts';
import { accessRequired } from '../observations/known/kinds/access.ts';
import { endpointAnswers, endpointAvailability } from '../observations/known/kinds/endpoint.ts';
import { listedNames, toolsSurface } from '../observations/known/kinds/lists/tools.ts';
import { packageNewestVersion } from '../observations/known/kinds/packages/newest-version.ts';
import { kindOf } from '../observations/known/kinds.ts';
import { saidAs } from '../observations/known/malware.ts';
import type { DatedObservation } from '../observations/known/observation.ts';
import { offersSummary } from '../observations/known/prices/offer.ts';
import { isQuote, priceOffers } from '../observations/known/prices/offers.ts';
import { formerPrice, noPrice, quoteWords } from '../observations/known/prices/words.ts';
import { answeredWords } from '../observations/known/timeline/tally.ts';
import type { NativeSignals } from '../ratings/rating.ts';
import { type Instead, isPlaceholder } from '../search/query.ts';
import { foldToolName } from '../search/tool-names.ts';
import { writtenIn } from '../search/words.ts';
import type { ListingDocument } from './listing-document.ts';
import { sourcesFirst } from './rated.ts';
import { recordedSecrets } from './record.ts';
import { type ChangedInTime, type Hit, type Resolved, shownApart } from './resolved.ts';
import { endpointWords, hostingWords, inputNames, packageWords } from './sentences.ts';
import { datesWords, laterWords, unique } from './words.ts';

type HitObservation = Pick<DatedObservation, 'details' | 'outcome' | 'response'> &
  ChangedInTime & { readonly missed?: unknown };

/** `listing` lacks texts that the operator has hidden. */
export interface HitFacts {
  readonly listing: Listing;
  readonly observations: readonly HitObservation[];
  /** The newest first, or it alone. */
  readonly versions?: readonly ListingDocument['versions'][number][];
  /** What the copy records of no listing; needed if nothing is recorded to reach it by. */
  readonly copyLacks?: readonly CopyField[];
  readonly native:
    | Omit<NativeSignals, 'statement' | 'computed_score' | 'proof_meanings' | 'recent'>
    | undefined;
}

export function publisherOf(listing: Listing): Words {
  const { handle, repository_key, remotes } = listing;
  const owner = namespaceMatchesRepositoryOwner(handle, repository_key);
  const isHeld = holdsEndpoints(listing) === true;
  const several = isHeld ? own('all its endpoints') : own('endpoints');
  const places = [...(isHeld ? [own('it')] : []), hostingWords(listing)].filter((one) => !isEmpty(one));
  const which = remotes.length > 1 ? several : own('its endpoint');
  const at = places.length > 0 ? say`, ${which} on ${join(places, ': ')}` : say``;
  const not = owner === 'no' ? own(', not the owner of the repository') : say``;
  return say`${ours(namespaceText(handle))}${at}${not}`;
}

const more = (values: readonly unknown[], most: number): Words =>
  values.length > most ? say` and ${number(values.length - most)} more` : say``;

/** Nothing recorded is not mentioned if the copy has no such field, because another might. */
export function reachOf(
  { remotes, packages, endpoint }: Pick<Listing, 'remotes' | 'packages' | 'endpoint'>,
  copyLacks: readonly CopyField[] = [],
): Words | undefined {
  const [remote] = remotes;
  const others = more([...new Set(remotes.map(({ url }) => url))], 1);
  if (endpoint) return say`${endpointWords(remotes, endpoint)}${others}`;
  if (remote) return say`template ${endpointWords(remotes, remote.url)}`;
  const [first] = packages;
  if (first) return say`${packageWords(first)}${more(packages, 1)}`;
  const isLacked = copyLacks.some((field) => field !== 'repository');
  return isLacked ? undefined : own('no endpoint or package recorded that Dossier reads');
}

const namesShown = 2;

function secretsAt(part: Pick<Listing, 'remotes' | 'packages'>): Words | undefined {
  const { needed, optional, ways, unmarked } = recordedSecrets(part);
  const isMarked = needed.length + optional.length > 0;
  const isOfAll = ways.every(({ length }) => length === needed.length);
  const some = (verb: 'asks for' | 'takes', names: readonly string[]) =>
    names.length > 0 &&
    say`${own(verb)}${isMarked && own(' secret')} ${inputNames(names, namesShown)}${more(names, namesShown)}${isMarked && !isOfAll && verb === 'asks for' && own(', not all for each use')}`;
  const shown = isMarked ? { needed, optional } : unmarked;
  const said = join([some('asks for', shown.needed), some('takes', shown.optional)], ', and ');
  return isEmpty(said) ? undefined : say`${said}${!isMarked && own(', not marked as secret')}`;
}

/** Of a listing with both, endpoints and packages apart, unless they ask for the same. */
function secretsOf({ remotes, packages }: Listing): Words[] {
  const where = (place: 'at its endpoint' | 'in its package', { length }: readonly unknown[]) =>
    length > 1 ? own(` ${place}s`) : own(` ${place}`);
  const asked = [
    { words: secretsAt({ remotes, packages: [] }), at: where('at its endpoint', remotes) },
    { words: secretsAt({ remotes: [], packages }), at: where('in its package', packages) },
  ].flatMap(({ words, at }) => (words ? [{ words, at }] : []));
  const said = asked.map(({ words }) => words);
  const isOfBoth = remotes.length > 0 && packages.length > 0;
  return isOfBoth && unique(said).length === said.length
    ? asked.map(({ words, at }) => say`${words}${at}`)
    : said.slice(0, 1);
}

function othersWords(shown: HitObservation, observations: readonly HitObservation[]): Words {
  const others = observations.filter(
    (one) => one.kind === shown.kind && one !== shown && one.outcome === 'seen' && !one.missed,
  );
  const newest = lastOf(others.map(({ observed_at }) => observed_at));
  return say`${newest !== undefined && say`; ${count(others.length, 'other endpoint')} answered ${day(newest)}`}`;
}

function priceOf(price: HitObservation | undefined): Words | undefined {
  const { data } = offersSummary.safeParse(price?.value);
  return data && price?.outcome === 'seen' && !price.missed ? quoteWords(data) : undefined;
}

const mostPrices = 2;

/** Endpoints with other prices are not one price. */
function pricesOf(observations: readonly HitObservation[]): Words | undefined {
  const quotes = observations.filter((one) => one.kind === priceOffers.kind && isQuote(one));
  const prices = unique(quotes.flatMap((one) => priceOf(one) ?? []));
  const others = prices.length > mostPrices && own(' or other prices');
  const by = prices.length > 1 && own(', by endpoint');
  return prices.length === 0 ? undefined : say`${join(prices.slice(0, mostPrices), ' or ')}${others}${by}`;
}

type Candidate = Required<Resolved>['candidates'][number];

export function withPrices(candidates: readonly Candidate[], facts: readonly HitFacts[]): Candidate[] {
  return candidates.map(({ handle, differs }) => {
    const found = facts.find(({ listing }) => listing.handle === handle)?.observations ?? [];
    const price = pricesOf(found);
    return { handle, differs: price ? say`${differs}, asks for ${price}` : differs };
  });
}

const ends: Readonly<Partial<Record<Outcome, Words>>> = {
  asks: own('refused without the recorded secret'),
  silent: own('no usable answer'),
  otherwise: own('returned something other than MCP on'),
  absent: own('nothing there'),
};

/** If not all checks were answered. Of an endpoint that does not answer now, what stands out counts them. */
function oftenWords(shown: HitObservation, observations: readonly HitObservation[]): Words {
  const { value, observed_at = '' } =
    factsOf(endpointAvailability, observations).find(({ subject }) => subject === shown.subject) ?? {};
  const { answered = 0, made = 0 } = value?.days_30 ?? {};
  const isAnswering = (shown.outcome === 'seen' || shown.outcome === 'asks') && !shown.missed;
  const isOfDay = dayText(observed_at) === dayText(shown.observed_at);
  const isTold = isAnswering && isOfDay && answered < made;
  return say`${isTold && say`; ${answeredWords({ answered, made })} were answered`}`;
}

function answerOf(endpoint: string | undefined, observations: readonly HitObservation[]): Words | undefined {
  const of = (kind: string) =>
    observations.find((one) => one.kind === kind && (endpoint === undefined || one.subject === endpoint));
  const one = of(endpointAnswers.kind);
  if (!one) return undefined;
  const often = oftenWords(one, observations);
  const others = say`${often}${othersWords(one, observations)}`;
  const to = one.response?.redirects_to;
  const ended = to === undefined ? ends[one.outcome] : say`redirected Dossier to another host, ${code(to)},`;
  if (ended) return say`${ended} ${day(one.observed_at)}${others}`;
  if (one.outcome !== 'seen') return undefined;
  if (one.missed) return say`last answered ${day(one.observed_at)}${others}`;
  const access = of(accessRequired.kind);
  const credentials = access?.value === true && !access.missed && own(', asks for credentials first');
  const price = pricesOf(observations);
  const payment = (price || one.value === 402) && say`, asks for a payment first${price && say` (${price})`}`;
  return say`answered ${day(one.observed_at)}${credentials}${payment}${often}`;
}

/** Without endpoints, about which `answerOf` says more. */
function absencesOf(observations: readonly HitObservation[]): Words[] {
  const named = new Set(
    observations.flatMap(({ kind, subject }) => (kind === packageNewestVersion.kind ? [subject] : [])),
  );
  const absent = observations.flatMap(({ kind, subject, outcome, observed_at }) => {
    const what = kindOf(kind)?.existsAs;
    if (what === undefined || what === 'endpoint' || outcome !== 'absent') return [];
    const isVersion = what === 'package' && named.has(subject);
    return [{ what: isVersion ? ('package version' as const) : what, on: dayText(observed_at) }];
  });
  return [...Map.groupBy(absent, ({ what, on }) => `${what} ${on}`).values()].flatMap((same) =>
    same.slice(0, 1).map(({ what, on }) => {
      const which = same.length > 1 ? count(same.length, what) : ours(what);
      return say`${which} not there ${day(on)}`;
    }),
  );
}

const ratingsOf = (native: HitFacts['native']): Words | false | undefined =>
  native && native.ratings > 0 && say`rated by ${sourcesFirst(native)}`;

interface Match {
  readonly words: number;
  /** Undefined if the search was for the handle. */
  readonly matched?: number | undefined;
  readonly instead?: readonly Instead[];
  /** The search was for endpoints that asked for no payment. */
  readonly asksFree?: boolean;
  /** Folded names that the search has. */
  readonly tools?: readonly string[];
}

const mostInstead = 2;

/** What it has instead of a word, as it writes it. */
export const toWritten = (listing: Listing, instead: readonly Instead[]) =>
  instead.flatMap(({ typed, terms }) => {
    const text = writtenIn(listing, terms);
    return text === undefined ? [] : [{ typed, text }];
  });

function matchedWords(listing: Listing, match: Match): Words | undefined {
  const { words, matched = words, instead = [] } = match;
  if (matched >= words) return undefined;
  const by = Map.groupBy(toWritten(listing, instead), ({ text }) => text);
  const others = [...by].map(
    ([text, all]) => say`${code(text)} instead of ${codes([...new Set(all.map(({ typed }) => typed))])}`,
  );
  const has = others.length > 0 && say`; has ${join(others.slice(0, mostInstead), ', ')}`;
  return say`matched ${matched} of ${count(words, 'word')}${has}${more(others, mostInstead)}`;
}

const toolsOf = (observations: readonly HitObservation[], asked: readonly string[]): Words[] =>
  observations
    .filter(({ kind, outcome }) => kind === toolsSurface.kind && outcome === 'seen')
    .flatMap(({ details, observed_at }) => {
      const names = listedNames(details?.tools).filter((name) => asked.includes(foldToolName(name)));
      return names.map((name) => say`listed the tool ${code(name)} to Dossier on ${day(observed_at)}`);
    });

/** No endpoint asks for a payment now. */
function freeWords(observations: readonly HitObservation[]): Words {
  const quotes = observations.filter((one) => one.kind === priceOffers.kind && isQuote(one));
  return quotes.map(formerPrice).find((words) => words !== undefined) ?? noPrice;
}

export function toHit(found: HitFacts, match?: Match, alike?: Words): Hit {
  const { listing, observations, versions = [] } = found;
  const hit = besideStandsOut(found, match, alike);
  const malware = saidAs(observations, ['malware']);
  const before = [...malware, ...saidAs(observations, ['other_malware'])];
  const told = saidAs(observations, ['package_deprecated', 'superseded', 'contradiction']);
  const facts = [...before, ...hit.facts, ...told].concat(laterWords(listing, versions) ?? []);
  return { ...hit, facts, [shownApart]: { ...hit[shownApart], malware } };
}

/** Reports of malicious code, and what ends or contradicts a package, are in what stands out. */
export function besideStandsOut(
  { listing, observations, native, copyLacks }: HitFacts,
  match?: Match,
  alike?: Words,
): Hit {
  const { handle, title, description, origin_status, facets, hidden } = listing;
  const { asksFree = false, tools = [] } = match ?? {};
  const matched = match && matchedWords(listing, match);
  const facts = [
    alike,
    ...toolsOf(observations, tools),
    matched,
    isSample(listing) && own('shipped sample'),
    hidden && ours(hiddenSentence),
    isPlaceholder(description) && own('placeholder description'),
    origin_status === 'deprecated' && own('deprecated'),
    answerOf(listing.endpoint, observations),
    asksFree && freeWords(observations),
    ...absencesOf(observations),
    !isSample(listing) && publisherOf(listing),
    !isSpecified(listing) && reachOf(listing, copyLacks),
    ...secretsOf(listing),
    facets.includes('state:claimed') && own('claimed'),
    facets.includes('state:suspended') && own('claim suspended'),
    ratingsOf(native),
    ...(isSpecified(listing) || listing.undated ? [] : datesWords(listing)),
  ];
  return {
    handle,
    ...(title && { title }),
    ...(description && { description }),
    facts: facts.filter((fact) => fact instanceof Words),
    [shownApart]: { isSample: isSample(listing), matched, alike, overTime: observations },
  };
}
