import { asMembers } from '../../core/json.ts';
import { dayText, isTemplate } from '../../core/text.ts';
import {
  code,
  count,
  day,
  eachCode,
  isEmpty,
  join,
  listed,
  number,
  ours,
  own,
  phrase,
  say,
  type Words,
  within,
} from '../../core/words.ts';
import type { ListingPackage } from '../../listings/listing.ts';
import { firstOfEach, ownersOf } from '../../listings/naming.ts';
import { isExactVersion, isImageType, versionOfImage } from '../../listings/references/command.ts';
import { outcomeWords } from '../../observations/asked/outcome.ts';
import { readablePackages, toPackage } from '../../observations/asked/published/recorded.ts';
import { factsOf } from '../../observations/known/kind.ts';
import { accessOauth, accessRequired, signInWords } from '../../observations/known/kinds/access.ts';
import { endpointAnswers } from '../../observations/known/kinds/endpoint.ts';
import { toolsCount, toolsSurface } from '../../observations/known/kinds/lists/tools.ts';
import { packageExists } from '../../observations/known/kinds/packages/packages.ts';
import { credentials } from '../../observations/known/kinds/questions.ts';
import type { DatedObservation } from '../../observations/known/observation.ts';
import { type ListingDocument, partAsked } from '../listing-document.ts';
import { unreadOf, unreadWords, whyNoneRead } from '../record.ts';
import {
  type FactsOf,
  mostPlaces,
  noneRecorded,
  observed,
  recorded,
  saidIn,
  type TextFact,
  unknownOf,
  whyOf,
} from '../recorded-facts.ts';
import {
  asksPayment,
  asLastKnown,
  atPlace,
  isAbsent,
  isKnown,
  isSaidFirst,
  type JudgedListing,
  type KnownFact,
  type SeenFact,
  shareOf,
  whyNotAsked,
} from '../seen.ts';
import { digestWords, overWords, packageWords, startWords } from '../sentences.ts';
import { unique } from '../words.ts';
import { askedInputs } from './asked-inputs.ts';
import { costs } from './costs.ts';
import { keptUp, rated } from './kept-up.ts';
import { whose } from './whose.ts';

export const lineTitles = {
  whose: 'Whose',
  where: 'Where',
  asks: 'Asks',
  tools: 'Tools',
  costs: 'Costs',
  kept_up: 'Kept up',
  rated: 'Rated',
} as const;
export type LineName = keyof typeof lineTitles;
export const lineNames = Object.keys(lineTitles) as [LineName, ...LineName[]];

const mores = { endpoint: 'endpoints', package: 'packages', 'set of inputs': 'sets of inputs' } as const;

/** If there are more than three facts, those about something that is not there come first. */
function firstThree(
  judged: JudgedListing,
  facts: readonly TextFact[],
  noun: 'endpoint' | 'package' | 'set of inputs',
): readonly TextFact[] {
  const more = facts.length - mostPlaces;
  if (more <= 0) return facts;
  const shown = facts.toSorted((a, b) => Number(b.state === 'not_there') - Number(a.state === 'not_there'));
  if (judged.detail === 'full') return shown;
  return [
    ...shown.slice(0, mostPlaces),
    recorded(judged, say`${number(more)} more ${own(more === 1 ? noun : mores[noun])} recorded`),
  ];
}

function endpointWords(one: KnownFact<typeof endpointAnswers>, judged: JudgedListing, type: string): Words {
  const hasFailed = !one.missed_since && !isEmpty(shareOf(judged, one)?.failed ?? say``);
  const http = say`HTTP ${number(one.value)}`;
  const isRedirect = one.value >= 300 && one.value < 400;
  const returned = isRedirect ? say`returned a redirect to sign-in (${http})` : say`returned ${http}`;
  const { transport } = asMembers(one.as_seen);
  const isOther = typeof transport === 'string' && transport !== type;
  const over = isOther ? say` over ${code(transport)} (not as recorded)` : say``;
  const what = one.value === 200 ? say`answered${over}` : returned;
  // A failed check begins it anew.
  const since = hasFailed ? say` since ${day(one.first_seen_at)}` : sinceFirst(one, own(' since '));
  return say`${what}${since}`;
}

function oftenWords(one: SeenFact<typeof endpointAnswers>, judged: JudgedListing): Words {
  const { words, failed = say`` } = shareOf(judged, one) ?? {};
  // The checks before another status answered otherwise.
  const did = one.value !== 200 && own('answered in ');
  return say`${words && say`, ${did}${words}`}${!isEmpty(failed) && say` (${failed})`}`;
}

const sinceFirst = (
  { first_seen_at, observed_at }: Pick<DatedObservation, 'first_seen_at' | 'observed_at'>,
  before: Words,
): Words => (dayText(first_seen_at) < dayText(observed_at) ? say`${before}${day(first_seen_at)}` : say``);

/**
 * Adds why later checks did not ask the endpoint. If it was asked and did not answer, `stands_out` says so.
 */
function withMissed(one: DatedObservation, fact: TextFact): TextFact {
  const why = whyNotAsked(one);
  return why ? { ...fact, text: say`${fact.text}: ${within(phrase(why))}` } : fact;
}

/** If only some are shown, the first of each owner comes first. */
function byOwner<Item, Owned extends { readonly owner: string }>(
  { detail }: JudgedListing,
  items: readonly Item[],
  owned: readonly Owned[],
) {
  const all = items.map((item, at) => ({ item, ...(owned[at] as Owned) }));
  return detail !== 'full' && all.length > mostPlaces ? firstOfEach(all, ({ owner }) => owner) : all;
}

const notYet = (judged: JudgedListing) => !isSaidFirst(judged) && own(', not checked');

const remotesOf: FactsOf = (judged) => {
  const { listing, detail } = judged;
  const answers = new Map(judged.seen(endpointAnswers).map((one) => [one.subject, one]));
  const isOnly = listing.remotes.length === 1;
  const { remotes } = listing;
  return byOwner(judged, remotes, ownersOf(listing).remotes).map(({ item: { url, type } }) => {
    const one = answers.get(url) ?? (isOnly && answers.size === 1 ? [...answers.values()][0] : undefined);
    const isNamed = detail === 'short' && isOnly && url === listing.endpoint;
    const at = say`${isTemplate(url) && own('template ')}${isNamed ? own('endpoint') : code(url)}${overWords(type)}`;
    const unasked = factsOf(endpointAnswers, listing.observations).find(({ subject }) => subject === url);
    const why = unasked?.vantage !== '' && unasked?.reason;
    if (!one && why) return recorded(judged, say`${at}: ${within(phrase(why))}`, 'not_known');
    if (!one) return recorded(judged, say`${at}${notYet(judged)}`, 'not_known');
    const what = isKnown(one) ? endpointWords(one, judged, type) : whyOf(one);
    const named = isKnown(one) ? say`${at} ${what}` : say`${at}: ${what}`;
    return withMissed(one, observed(judged, one, say`${named}${oftenWords(one, judged)}`));
  });
};

/** Of npm and images, which alone have tags. */
function movingWords({ registry_type, identifier, version }: ListingPackage): Words {
  const hasTags = isImageType(registry_type) || registry_type === 'npm';
  const tag = (isImageType(registry_type) && versionOfImage(identifier)) || version || 'latest';
  return say`${hasTags && !isExactVersion(registry_type, tag) && own(', a tag that can move')}`;
}

const packagesOf: FactsOf = (judged) => {
  const exist = new Map(judged.seen(packageExists).map((one) => [one.subject, one]));
  const read = new Set(readablePackages(judged.listing).map((one) => one.recorded));
  const { packages } = judged.listing;
  const owned = ownersOf(judged.listing).packages;
  return byOwner(judged, packages, owned).map(
    ({ item: recordedPackage, runtime_hosts = [], starts = [] }) => {
      const { version } = recordedPackage;
      const others = listed(eachCode([...starts, ...runtime_hosts]), 3);
      const named = isEmpty(others) ? others : say`, with arguments that name ${others}`;
      const isWhole = judged.detail === 'table' || judged.detail === 'full';
      const digest = isWhole && digestWords(recordedPackage);
      const text = say`a package for your machine: ${packageWords(recordedPackage)}${movingWords(recordedPackage)}${named}${digest}`;
      const found = toPackage(recordedPackage);
      const one = found && read.has(found.recorded) ? exist.get(found.subject) : undefined;
      if (!one) return recorded(judged, say`${text}${notYet(judged)}`, 'not_known');
      if (isAbsent(one)) return observed(judged, one, say`${text}, which is not there`);
      const seen = one.value && 'version' in one.value ? one.value.version : version;
      const what = seen === undefined || seen === version ? own('which') : say`of which ${code(seen)}`;
      const isFile = one.value && 'size_bytes' in one.value;
      return observed(
        judged,
        one,
        isKnown(one)
          ? say`${text}, ${what} is ${isFile ? own('there') : own('published')}`
          : say`${text}: ${whyOf(one)}`,
      );
    },
  );
};

/** Of packages whose start arguments name another version or other packages. */
export function startedOtherwise(listing: ListingDocument): Words[] {
  const owned = ownersOf(listing).packages;
  return listing.packages.flatMap((one, at) => {
    const others = listed(eachCode(owned[at]?.starts ?? []), 3);
    return [
      ...(isEmpty(startWords(one)) ? [] : [say`The record names two versions: ${packageWords(one)}`]),
      ...(isEmpty(others)
        ? []
        : [
            say`The record starts ${packageWords(one)} with arguments that name ${others}, besides this package or instead of it`,
          ]),
    ];
  });
}

const ofWhere = saidIn('where');

const where: FactsOf = (judged) => {
  const remotes = remotesOf(judged);
  const packages = packagesOf(judged);
  if (remotes.length > 0)
    return [
      ...firstThree(judged, remotes, 'endpoint'),
      ...firstThree(judged, packages, 'package'),
      ...ofWhere(judged),
    ];
  if (packages.length > 0)
    return [
      ...(judged.listing[partAsked]
        ? []
        : [noneRecorded(judged, 'endpoint', own('no endpoint recorded'), endpointAnswers.kind)]),
      ...firstThree(judged, packages, 'package'),
      ...ofWhere(judged),
    ];
  const lacking = (['endpoint', 'package'] as const).find((field) => whyNoneRead(judged.listing, field));
  return [noneRecorded(judged, lacking ?? 'endpoint', own('no endpoint or package is recorded'))];
};

function accessWords(one: KnownFact<typeof accessRequired>, { seen }: JudgedListing): Words {
  const isPaid = asksPayment(seen, one);
  if (one.value)
    return own(
      isPaid ? 'asked Dossier for credentials, and for a payment' : 'asked Dossier for credentials first',
    );
  return own(
    isPaid ? 'asked for a payment, not for credentials' : 'introduced itself without asking for credentials',
  );
}

const mostAsking = 2;

/** The tools whose arguments take secrets. */
function toolSecrets({ details }: KnownFact<typeof toolsSurface>): Words {
  const { tools } = asMembers(details);
  const asking = (Array.isArray(tools) ? tools : []).flatMap((tool) => {
    const { name, secrets } = asMembers(tool);
    return Array.isArray(secrets) ? [{ name: String(name), secrets: secrets.map(String) }] : [];
  });
  const said = asking.slice(0, mostAsking).map(({ name, secrets }) => {
    const taken = say`${own(secrets.length > 1 ? 'secrets' : 'secret')} ${listed(eachCode(secrets))}`;
    return say`its tool ${code(name)} takes the ${taken}`;
  });
  const more = asking.length - said.length;
  return join(
    [...said, more > 0 && say`${count(more, 'more tool')} ${own(more === 1 ? 'takes' : 'take')} secrets`],
    '; ',
  );
}

const asks: FactsOf = (judged) => {
  const { listing, known, detail } = judged;
  const toFact = (text: Words) => recorded(judged, text);
  const { some, none } = askedInputs(judged);
  const reaching = listing.packages.flatMap(({ identifier, reaches = [] }) => {
    const by = listed(eachCode(reaches), detail === 'full' ? reaches.length : mostPlaces);
    const its = say`its container${atPlace({ subject: identifier }, listing.packages)}`;
    return reaches.length > 0 ? say`${its} reaches more of your machine by ${by}` : [];
  });
  const reached = firstThree(judged, unique(reaching).map(toFact), 'package');
  const unread = unreadOf(listing);
  const facts = [
    ...firstThree(judged, some.map(toFact), 'set of inputs'),
    ...reached,
    ...(unread.length > 0 ? [] : none.map(toFact)),
    ...(unread.length > 0 ? [recorded(judged, unreadWords(unread), 'not_known')] : []),
    ...known(accessRequired).map((one) =>
      observed(judged, one, say`${accessWords(one, judged)}${atPlace(one, listing.remotes)}`),
    ),
    ...known(accessOauth).map((one) =>
      observed(judged, one, say`${signInWords(one)}${atPlace(one, listing.remotes)}`),
    ),
    ...known(toolsSurface).flatMap((one) => {
      const said = toolSecrets(one);
      return isEmpty(said) ? [] : [observed(judged, one, say`${said}${atPlace(one, listing.remotes)}`)];
    }),
  ];
  if (facts.length > reached.length) return facts;
  const unknown = unknownOf(judged, credentials, own('no credentials recorded'));
  // If the record names an endpoint or a package, the line itself says that no credentials are recorded.
  const isSaid =
    listing.remotes.length + listing.packages.length > 0 &&
    listing.not_known.some(({ kind, state }) => kind === unknown.gap && state === 'not_stated');
  return [isSaid ? recorded(judged, unknown.text, 'not_known') : unknown, ...reached];
};

const mostTools = 15;

function toolNames({ details, subject }: KnownFact<typeof toolsSurface>, { detail, seen }: JudgedListing) {
  const { tools } = asMembers(details);
  const all = Array.isArray(tools) ? tools : [];
  const shown = detail === 'full' ? all : all.slice(0, mostTools);
  const names = shown.map((tool) => {
    const { name, hints } = asMembers(tool);
    const says = Array.isArray(hints) ? say` (says ${ours(hints.join(', '))})` : say``;
    return say`${code(String(name))}${says}`;
  });
  // A long list is stored shortened, so it may name fewer tools than there are.
  const counted = seen(toolsCount)
    .map(asLastKnown)
    .find((one) => one.subject === subject)?.value;
  const more = (counted ?? all.length) - shown.length;
  // As of a past day there are no names.
  if (names.length === 0) return count(more, 'tool');
  return join([...names, ...(more > 0 ? [say`${more} more`] : [])], ', ');
}

/** If the endpoint asks for credentials or a payment, another line gives the reason. */
const whyNoTools = (one: SeenFact<typeof toolsSurface>): Words =>
  one.outcome === 'asks' ? outcomeWords(one) : whyOf(one);

/**
 * Adds the day since which a list is unchanged, if the tools of the endpoint are unchanged since another day.
 */
const besidesTools = saidIn('tools', (one, judged) => {
  const ofTools = judged.known(toolsSurface).find(({ subject }) => subject === one.subject);
  const isOther = ofTools && dayText(ofTools.first_seen_at) !== dayText(one.first_seen_at);
  return isOther ? say` since ${day(one.first_seen_at)}` : say``;
});

const tools: FactsOf = (judged) => {
  const all = judged.seen(toolsSurface);
  const listed = all.map((newest) => {
    const one = asLastKnown(newest);
    if (!isKnown(one)) {
      return observed(judged, one, say`none seen${atPlace(one, all)}: ${whyNoTools(one)}`);
    }
    const names = toolNames(one, judged);
    const since = sinceFirst(one, own('since '));
    const shown = isEmpty(names) ? own('lists none') : names;
    const text = say`${since}${isEmpty(since) ? say`` : own(': ')}${shown}${atPlace(one, all)}`;
    const said = observed(judged, one, text);
    return one === newest ? said : { ...said, text: say`${said.text}: ${whyNoTools(newest)}` };
  });
  return [...listed, ...besidesTools(judged)];
};

export const toFacts: Readonly<Record<LineName, FactsOf>> = {
  whose,
  where,
  asks,
  tools,
  costs,
  kept_up: keptUp,
  rated,
};
