import { claimMethods } from '../../claims/methods.ts';
import { handleParts, namespaceText } from '../../core/handle.ts';
import { namespaceHoldsEndpoints } from '../../core/identity.ts';
import { asMembers } from '../../core/json.ts';
import { amount, coded, codedList, counted, day, withoutStop } from '../../core/text.ts';
import { toText } from '../../core/words.ts';
import { signInWords } from '../../observations/kinds/access.ts';
import { readablePackages, toPackage } from '../../observations/kinds/package-record.ts';
import type { DatedObservation } from '../../observations/observation.ts';
import { outcomeWords } from '../../observations/outcome.ts';
import { kindOf } from '../../observations/recorded-kinds.ts';
import { groupTexts, shownGroups } from '../../ratings/groups.ts';
import { proofTexts } from '../../ratings/proof.ts';
import type { RatingCounts } from '../../ratings/rating.ts';
import { type Fact, noneRecorded, observed, ofService, recorded, unknownOf, whyOf } from '../fact.ts';
import type { ListingDocument } from '../listing-document.ts';
import {
  asksPayment,
  atPlace,
  factText,
  isAbsent,
  isChecked,
  isKnown,
  isNowhere,
  type Judged,
  signalValue,
  tallyOf,
} from '../seen.ts';
import { inputsText } from '../sentences.ts';
import { factName, joinCounts } from '../words.ts';

/** The seven questions of a buyer, in their order. */
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

type FactsOf = (judged: Judged) => Fact[];

function endpointsAtDomain({ handle, remotes }: ListingDocument): string {
  const there = remotes.filter(({ url }) => namespaceHoldsEndpoints(handle, [url])).length;
  if (remotes.length === 1) return `its endpoint is on ${there === 1 ? 'it' : 'another domain'}`;
  if (there === remotes.length) return 'all its endpoints are on it';
  return `${there === 0 ? 'none' : amount(there)} of its ${amount(remotes.length)} endpoints ${there > 1 ? 'are' : 'is'} on it`;
}

function namespaceOf(judged: Judged): Fact {
  const { handle } = judged.listing;
  const isShown = signalValue(judged.listing, 'namespace.proof') !== undefined;
  const owner = signalValue(judged.listing, 'namespace.matches_repository_owner');
  const atDomain = signalValue(judged.listing, 'namespace.holds_endpoint');
  const owns = owner === undefined ? '' : `, ${owner ? '' : 'not the '}owner of the recorded repository`;
  const name = isShown
    ? `${namespaceText(handle)}, proven to the registry`
    : `namespace ${handleParts(handle).namespace}, not proven`;
  const where = atDomain === undefined ? '' : `; ${endpointsAtDomain(judged.listing)}`;
  // Its words name the registry as their source.
  return ofService(judged, `${name}${owns}${where}`);
}

function repositoryOf(judged: Judged): Fact[] {
  const { listing, detail, seen, known } = judged;
  if (listing.repository === undefined)
    return [noneRecorded(judged, 'repository', 'no repository recorded', 'repository')];
  const [one] = seen('repository.exists');
  const isShort = detail === 'short';
  const text = isShort ? 'repository' : `repository ${coded(listing.repository)}`;
  if (!one) return isShort ? [] : [recorded(judged, text)];
  if (isAbsent(one)) return [observed(judged, one, `${text} is gone or not public`)];
  // The last commit is in the line about upkeep.
  if (isShort && one.value === 'there' && known('repository.last_commit').length > 0) return [];
  return [observed(judged, one, one.value === 'there' ? `${text} is public` : `${text}: ${whyOf(one)}`)];
}

function claimText({ claim, state }: ListingDocument): string {
  if (!claim) return 'not claimed';
  if (state === 'suspended')
    return `its claim of ${day(claim.claimed_at)} is suspended (${(claim.suspended_reason ?? '').replaceAll('_', ' ')})`;
  const { claimed_at, kind, failing } = claim;
  return `claimed on ${day(claimed_at)}: ${claimMethods[kind].control} was shown, nothing more${failing ? `; ${failing}` : ''}`;
}

const whose: FactsOf = (judged) => {
  const { website, signals } = judged.listing;
  const listings = signalValue(judged.listing, 'publisher.listings');
  return [
    namespaceOf(judged),
    ...(typeof listings === 'number' && listings > 1
      ? [recorded(judged, `${counted(listings, 'listing')} of this publisher`)]
      : []),
    // What else other publishers have in common with it stands out.
    ...signals.imported.flatMap(({ kind, value, reason = '' }) => {
      if (kind === 'shared.word') return [recorded(judged, withoutStop(reason))];
      const count = kind === 'publisher.same_endpoint' ? Number(value) : 0;
      const does = count === 1 ? 'records' : 'record';
      return count > 0
        ? [recorded(judged, `${counted(count, 'more listing')} of this publisher ${does} the same endpoint`)]
        : [];
    }),
    ...(website ? [recorded(judged, `website ${coded(website)}`)] : []),
    ...repositoryOf(judged),
    ...['terms.url', 'security.contact'].flatMap((kind) => {
      const all = judged.known(kind);
      return all.map((one) =>
        observed(judged, one, `${factName(kind)} ${codedList(String(one.value))}${atPlace(one, all)}`),
      );
    }),
    ofService(judged, claimText(judged.listing)),
  ];
};

const most = 3;

/** Three facts, of what is not there first, and how many more there are; in full all of them. */
function firstThree(judged: Judged, facts: readonly Fact[], noun: string): readonly Fact[] {
  const more = facts.length - most;
  if (more <= 0) return facts;
  const shown = facts.toSorted((a, b) => Number(b.state === 'not_there') - Number(a.state === 'not_there'));
  if (judged.detail === 'full') return shown;
  return [...shown.slice(0, most), recorded(judged, `${counted(more, `more ${noun}`)} recorded`)];
}

function answeredText(one: DatedObservation, judged: Judged): string {
  const tally = tallyOf(judged, one);
  const often = tally ? `, ${tally} checks in 30 days` : '';
  const since = day(one.first_seen_at) < day(one.observed_at) ? ` since ${day(one.first_seen_at)}` : '';
  return `answered${one.value === 200 ? '' : ` HTTP ${one.value}`}${since}${often}`;
}

const remotesOf: FactsOf = (judged) => {
  const { listing, detail } = judged;
  const answers = new Map(judged.seen('endpoint.answers').map((one) => [one.subject, one]));
  const isOnly = listing.remotes.length === 1;
  return listing.remotes.map(({ url, type }) => {
    const one = answers.get(url) ?? (isOnly && answers.size === 1 ? [...answers.values()][0] : undefined);
    const isNamed = detail === 'short' && isOnly && url === listing.endpoint;
    const over = type === 'streamable-http' ? '' : ` (${coded(type)})`;
    const at = `${isNamed ? 'endpoint' : coded(url)}${over}`;
    const gap = isNamed && !over ? { gap: 'endpoint.answers' } : {};
    if (!one) return { ...recorded(judged, `${at}, not checked`, 'not_known'), ...gap };
    const how = isKnown(one) ? ` ${answeredText(one, judged)}` : `: ${whyOf(one)}`;
    const text = `${at}${how.replace(/^: The endpoint|(?<=^: )A request to \S+ ended with /, '')}`;
    // Where nothing else is named, the line is about nothing else.
    return observed(
      judged,
      one,
      listing.packages.length > 0 ? text : text.replace(/^endpoint(?:: | (?=a))/, ''),
    );
  });
};

const packagesOf: FactsOf = (judged) => {
  const exist = new Map(judged.seen('package.exists').map((one) => [one.subject, one]));
  const read = new Set(readablePackages(judged.listing).map((one) => one.recorded));
  return judged.listing.packages.map((recordedPackage) => {
    const { registry_type, identifier, version, transport } = recordedPackage;
    const name = coded(version ? `${identifier}@${version}` : identifier);
    const text = `run on your machine from ${coded(registry_type)} ${name}${transport && transport !== 'stdio' ? ` over ${coded(transport)}` : ''}`;
    const found = toPackage(recordedPackage);
    const one = found && read.has(found.recorded) ? exist.get(found.subject) : undefined;
    if (!one) return recorded(judged, `${text}, not checked`, 'not_known');
    if (isAbsent(one)) return observed(judged, one, `${text}, which is not there`);
    const seen = String(asMembers(one.details).version ?? version);
    const what = seen === String(version) ? 'which' : `of which ${coded(seen)}`;
    return observed(judged, one, isKnown(one) ? `${text}, ${what} is published` : `${text}: ${whyOf(one)}`);
  });
};

const where: FactsOf = (judged) => {
  const [remotes, packages] = [remotesOf(judged), packagesOf(judged)];
  if (remotes.length > 0)
    return [...firstThree(judged, remotes, 'endpoint'), ...firstThree(judged, packages, 'package')];
  if (packages.length > 0)
    return [
      noneRecorded(judged, 'endpoint', 'no endpoint recorded', 'endpoint.answers'),
      ...firstThree(judged, packages, 'package'),
    ];
  const lacking = (['endpoint', 'package'] as const).find((field) =>
    judged.listing.copy_lacks?.includes(field),
  );
  return [noneRecorded(judged, lacking ?? 'endpoint', 'no endpoint or package is recorded')];
};

function accessText(one: DatedObservation, { seen }: Judged): string {
  if (one.value) return 'asked Dossier for credentials first';
  return asksPayment(seen, one)
    ? 'asked for a payment, not for credentials'
    : 'introduced itself without credentials';
}

const asks: FactsOf = (judged) => {
  const { listing, known, detail } = judged;
  const places = [
    ...listing.remotes.map(({ url, inputs }) => ({ noun: 'endpoint', subject: url, inputs })),
    ...listing.packages.map(({ identifier, inputs }) => ({ noun: 'package', subject: identifier, inputs })),
  ].filter(({ inputs = [] }) => inputs.length > 0);
  const isOfBoth = new Set(places.map(({ noun }) => noun)).size > 1;
  const needs = places.map(({ noun, subject, inputs }) => {
    const text = inputsText(inputs, coded) ?? '';
    if (detail === 'full') return `${text}${atPlace({ subject }, [...listing.remotes, ...listing.packages])}`;
    return isOfBoth ? `${noun} ${text}` : text;
  });
  const facts = [
    ...firstThree(
      judged,
      [...new Set(needs)].map((text) => recorded(judged, text)),
      'set of inputs',
    ),
    ...known('auth.required').map((one) =>
      observed(judged, one, `${accessText(one, judged)}${atPlace(one, listing.remotes)}`),
    ),
    ...known('auth.oauth').map((one) =>
      observed(judged, one, `${toText(signInWords(one))}${atPlace(one, listing.remotes)}`),
    ),
  ];
  return facts.length > 0 ? facts : [unknownOf(judged, 'auth', 'no credentials recorded')];
};

const mostTools = 15;

function toolNames({ details }: DatedObservation, { detail }: Judged): string {
  const { tools } = asMembers(details);
  const names = (Array.isArray(tools) ? tools : []).map((tool) => {
    const { name, hints } = asMembers(tool);
    return `${coded(String(name))}${Array.isArray(hints) ? ` (says ${hints.join(', ')})` : ''}`;
  });
  const more = detail === 'full' ? 0 : names.length - mostTools;
  return [...names.slice(0, names.length - Math.max(more, 0)), ...(more > 0 ? [`${more} more`] : [])].join(
    ', ',
  );
}

/** What the line before this one says of an endpoint is not explained again. */
const whyNoTools = (one: DatedObservation): string =>
  one.outcome === 'asks' ? toText(outcomeWords(one)) : whyOf(one);

const tools: FactsOf = (judged) => {
  const all = judged.seen('tools.surface');
  if (isNowhere(judged)) return [];
  return all.map((one) => {
    if (!isKnown(one)) {
      return observed(judged, one, `none seen${atPlace(one, all)}: ${whyNoTools(one)}`);
    }
    const names = toolNames(one, judged);
    const since = day(one.first_seen_at) < day(one.observed_at) ? `since ${day(one.first_seen_at)}: ` : '';
    return observed(judged, one, `${since}${names || 'lists none'}${atPlace(one, all)}`);
  });
};

const otherPrices = ['price.tool', 'price.openapi', 'price.catalog', 'price.capability'];
/** Whether a price is quoted in x402, whose offers are for the request that they answer. */
const isForRequest = ({ details }: DatedObservation): boolean => {
  const { offers } = asMembers(details);
  const { format } = asMembers(Array.isArray(offers) ? offers[0] : undefined);
  return typeof format === 'string' && format.startsWith('x402/');
};

const noPrice = 'no price seen; calls may cost';

/** That no price was seen; what kept Dossier from seeing tools is said of these. */
function noPriceText(one: DatedObservation, { seen, known }: Judged): string {
  // A price that is stated elsewhere is said beside it.
  const isStated = otherPrices.some((kind) => kindOf(kind)?.priced && known(kind).length > 0);
  if (one.outcome === 'nothing')
    return isStated ? 'no payment asked for before it answers; calls may cost' : noPrice;
  if (one.outcome === 'asks' && one.asks_for === 'payment') return `price not known: ${whyOf(one)}`;
  const isSaid = seen('tools.surface').some(
    ({ subject, reason }) => subject === one.subject && reason === one.reason,
  );
  return isSaid ? 'no price could be seen' : `no price could be seen: ${whyOf(one)}`;
}

const costs: FactsOf = (judged) => {
  const { known } = judged;
  if (isNowhere(judged)) return [];
  const quoted = judged.seen('price.challenge');
  const prices = known('price.challenge').map((one) => {
    const payee = known('price.pay_to').find(({ subject }) => subject === one.subject);
    const to = payee ? `, paid to ${factText(payee)}` : '';
    // An offer of x402 is for the request that it answers; other formats have units that Dossier does not read.
    const unit = isForRequest(one) ? 'for one request' : '(unit not known)';
    const text = `quotes ${factText(one)} ${unit}${to} before it answers${atPlace(one, quoted)}`;
    return observed(judged, one, text);
  });
  const others = otherPrices.flatMap((kind) =>
    known(kind).map((one) => observed(judged, one, `${factName(kind)}: ${factText(one)}`)),
  );
  const notSeen = quoted.filter((one) => !isKnown(one));
  const unread = judged.listing.not_known.find(
    ({ kind, state }) => kind === 'price' && state === 'not_checked',
  );
  return [
    ...prices,
    ...others,
    ...notSeen.map((one) => observed(judged, one, `${noPriceText(one, judged)}${atPlace(one, quoted)}`)),
    ...(unread && quoted.length > 0 ? [recorded(judged, withoutStop(unread.reason), 'not_known')] : []),
    ...(quoted.length + others.length === 0
      ? [unknownOf(judged, 'price', isChecked(judged) ? 'not stated' : 'not recorded, not checked')]
      : []),
  ];
};

const provenances: Readonly<Record<string, string>> = {
  match: 'signed provenance names the recorded repository',
  other: 'signed provenance names another repository',
  none: 'no provenance',
};

const packageTexts: Readonly<Record<string, (value: DatedObservation['value']) => string>> = {
  'package.version_age': (value) => `package version of ${day(String(value))}`,
  'package.provenance': (value) => provenances[String(value)] ?? 'provenance that cannot be compared',
  'package.advisories': (value) => `${counted(Number(value), 'advisory')} about the package`,
};

const ofPackage = (judged: Judged, kind: string, textOf: (value: DatedObservation['value']) => string) => {
  const all = judged.known(kind);
  return all
    .slice(0, judged.detail === 'full' ? all.length : most)
    .map((one) => observed(judged, one, `${textOf(one.value)}${atPlace(one, all)}`));
};

const keptUp: FactsOf = (judged) => {
  const { listing } = judged;
  const signal = (text: string): Fact => ({ ...recorded(judged, text), isSignal: true });
  const first = signalValue(listing, 'registry.first_published');
  const versions = signalValue(listing, 'registry.versions');
  const unread = signalValue(listing, 'record.unread_fields');
  const isOther = listing.packages.some(({ version = listing.version }) => version !== listing.version);
  return [
    signal(`${isOther ? 'listing version' : 'version'} ${coded(listing.version)}`),
    ...(typeof first === 'string' && day(first) === day(listing.updated_at)
      ? [signal(`published ${day(first)}`)]
      : [
          signal(`updated ${day(listing.updated_at)}`),
          ...(typeof first === 'string' ? [signal(`first published ${day(first)}`)] : []),
        ]),
    ...(typeof versions === 'number' && versions > 1 ? [signal(counted(versions, 'version'))] : []),
    ...(unread === undefined
      ? []
      : [signal(`${counted(String(unread).split(', ').length, 'field')} that Dossier does not read`)]),
    ...judged
      .known('repository.last_commit')
      .map((one) => observed(judged, one, `last commit ${day(String(one.value))}`)),
    ...Object.entries(packageTexts).flatMap(([kind, textOf]) => ofPackage(judged, kind, textOf)),
  ];
};

const counts = (of: Readonly<Record<string, number>>, name = (key: string) => key) =>
  joinCounts(of, (key, count) => `${count} ${name(key)}`);

function groupText(name: string, of: RatingCounts): string {
  const { ratings, sources, outcomes, source_outcomes, by_proof, last_at } = of;
  if (!last_at) return `${name}: none`;
  const newest = sources < ratings ? `; newest of each source ${counts(source_outcomes)}` : '';
  const isProven = by_proof.none < ratings;
  const proof = isProven
    ? counts(by_proof, (key) => proofTexts[key as keyof typeof proofTexts].name.toLowerCase())
    : 'none with a proof';
  return `${name}: ${counted(ratings, 'rating')} by ${counted(sources, 'source')}: ${counts(outcomes)}${newest}; ${proof}; last ${day(last_at)}`;
}

const rated: FactsOf = (judged) => {
  const { native } = judged.listing.signals;
  if (native.ratings === 0) return [ofService(judged, withoutStop(native.statement), 'not_there')];
  const texts = shownGroups(native).map((group) =>
    groupText(groupTexts[group].name.toLowerCase(), native[group]),
  );
  // The groups say what its first sentence does.
  return [ofService(judged, withoutStop(native.statement.replace(/^[^.]*/, () => texts.join('; '))))];
};

/** The facts of each line. */
export const toFacts: Readonly<Record<LineName, FactsOf>> = {
  whose,
  where,
  asks,
  tools,
  costs,
  kept_up: keptUp,
  rated,
};
