import { ownerTexts } from '../../core/handle.ts';
import { Holder } from '../../core/identity.ts';
import { dayText } from '../../core/text.ts';
import { count, dayOf, join, ours, own, say, sentence, type Words } from '../../core/words.ts';
import { copyFields } from '../../imports/import-run.ts';
import { isSpecified, type ListingRemote } from '../../listings/listing.ts';
import { isWeighty } from '../../listings/moves.ts';
import { factsOf, type RecordKind } from '../../observations/kind.ts';
import { accessRequired } from '../../observations/kinds/access.ts';
import { recordMoves, versionMoveWords } from '../../observations/kinds/moves.ts';
import {
  namespaceHoldsEndpoint,
  namespaceOwner,
  publisherListings,
  sharedKinds,
} from '../../observations/kinds/publisher.ts';
import { registryFirstPublished, registryVersions } from '../../observations/kinds/record.ts';
import { repositoryExists } from '../../observations/kinds/repository.ts';
import { currentOutcome, knowingOf } from '../../observations/observation.ts';
import { groupTexts, shownGroups } from '../../ratings/groups.ts';
import { nativeWords, sourcesFirst } from '../rated.ts';
import { noDates, packageTypes, recordedSecrets, transports, unreadOf, unreadWords } from '../record.ts';
import {
  absentFinding,
  type ComparedListing,
  type Criterion,
  type CriterionFinding,
  type CriterionResult,
  criteriaOf,
  daysSince,
  decided,
  met,
  notMet,
  observedFinding,
  recordedFinding,
  signalOf,
  unknown,
} from './criterion.ts';

const recorded = criteriaOf('imported', recordedFinding);
const maxDays = 3650;
const unique = (values: readonly string[]) => [...new Set(values)];

const originWords = ({ listing }: ComparedListing) =>
  listing.sample ? own('The sample') : own('The registry');

function needs(remote: ListingRemote | undefined): Words {
  const headers = (remote?.inputs ?? []).filter(({ kind, required }) => kind === 'header' && required);
  if (headers.length === 0) return say``;
  return headers.some(({ secret }) => secret)
    ? own('; it needs a secret header')
    : own('; it needs a header');
}

const future = unknown(own('The recorded date is in the future.'));
const noRecord = unknown(own('No registry record of this listing was read.'));

export const recordedCriteria = {
  active: recorded.plain('Listed as active', (compared) => {
    const { origin_status, status_message } = compared.listing;
    const isActive = origin_status === 'active';
    const fact = say`${originWords(compared)} ${isActive ? own('lists it as active') : own('marks it as deprecated')}.`;
    return { ...decided(isActive, fact), ...(status_message && { recorded: [status_message] }) };
  }),
  has_endpoint: recorded.plain('Remote endpoint recorded', (compared) => {
    const { endpoint, remotes } = compared.listing;
    const needed = needs(remotes.find(({ url }) => url === endpoint));
    if (endpoint) return { ...met(say`A remote address is recorded${needed}.`), recorded: [endpoint] };
    const fact =
      remotes.length > 0
        ? own('Remotes are recorded, but none has a complete address.')
        : own('No remote endpoint is recorded.');
    return absentFinding(compared, 'endpoint', notMet(fact));
  }),
  has_repository: recorded.plain('Source repository recorded', (compared) => {
    const { repository, observations } = compared.listing;
    if (!repository)
      return absentFinding(compared, 'repository', notMet(own('No source repository is recorded.')));
    const gone = factsOf(repositoryExists, observations).find((one) => knowingOf(one) === 'not_seen');
    const fact = own('A source repository is recorded; Dossier looked for it, and it is not there.');
    return gone && currentOutcome(gone) === 'absent'
      ? observedFinding(gone, { ...notMet(fact), recorded: [repository] })
      : { ...met(own('A source repository is recorded.')), recorded: [repository] };
  }),
  needs_no_secret: recorded.plain('Asks for no secret', (compared) => {
    const { remotes, packages, observations, copy_lacks = [] } = compared.listing;
    const { all, needed } = recordedSecrets(compared.listing);
    const asks = say`The record asks for ${count(needed.length, 'secret')}.`;
    if (needed.length > 0) return { ...notMet(asks), recorded: unique(needed) };
    const asked = factsOf(accessRequired, observations).find(
      (one) => one.value === true && currentOutcome(one) === 'seen',
    );
    if (asked)
      return observedFinding(
        asked,
        notMet(own('An endpoint asked Dossier for credentials, although the record requires none.')),
      );
    const takes = say`The record names ${count(all.length, 'secret')} that a caller may send, and requires none.`;
    if (all.length > 0) return { ...unknown(takes), recorded: unique(all) };
    const lacking = (['endpoint', 'package'] as const).find((field) => copy_lacks.includes(field));
    if (isSpecified(compared.listing)) return noRecord;
    const unread = unreadOf(compared.listing);
    if (unread.length > 0) return unknown(sentence(unreadWords(unread)));
    if (!lacking && remotes.length + packages.length > 0)
      return met(own('The record asks for no secret; the service may still ask for one.'));
    const fact = own('The record does not say how the service is reached or run.');
    return absentFinding(compared, lacking ?? 'endpoint', unknown(fact));
  }),
  transport: recorded.choice('Transport {} recorded', transports, (compared, wanted) => {
    const { remotes, packages } = compared.listing;
    const ofPackages = packages.flatMap(({ transport: recorded }) => recorded || []);
    const known = [...remotes.map(({ type }) => type), ...ofPackages].filter(Boolean);
    const holds = known.includes(wanted);
    const field = wanted === 'stdio' ? 'package' : 'endpoint';
    if (known.length === 0 || (!holds && compared.listing.copy_lacks?.includes(field)))
      return absentFinding(compared, field, unknown(own('No transport is recorded.')));
    const fact = say`${ours(wanted)} is ${holds ? say`` : own('not ')}among the recorded transports.`;
    return { ...decided(holds, fact), recorded: unique(known) };
  }),
  package: recorded.choice('Package of kind {} recorded', packageTypes, (compared, wanted) => {
    const { packages } = compared.listing;
    if (packages.length === 0)
      return absentFinding(compared, 'package', notMet(own('No package is recorded.')));
    const found = packages.find(({ registry_type }) => registry_type === wanted);
    const types = unique(packages.map(({ registry_type }) => registry_type));
    if (!found)
      return {
        ...notMet(say`No package of kind ${ours(wanted)} is recorded; packages of other kinds are.`),
        recorded: types,
      };
    const { identifier, version } = found;
    const name = version ? `${identifier}@${version}` : identifier;
    return { ...met(say`A package of kind ${ours(wanted)} is recorded.`), recorded: [name] };
  }),
  tag: recorded.tag('Has the tag {}', (compared, wanted) => {
    const found = compared.listing.tags.find((candidate) => candidate.tag === wanted);
    return found
      ? { ...met(own('It has this tag.')), recorded: [found.reason] }
      : notMet(own('It does not have this tag. Tags follow from recorded facts and publisher keywords.'));
  }),
  /** The date of any version shows a minimum age. Only the date of the first version shows the exact age. */
  listed_for_days: recorded.number('First published at least {} day(s) ago', maxDays, (compared, days) => {
    const { published_at, sample } = compared.listing;
    const first = signalOf(compared, registryFirstPublished);
    if (published_at === undefined) return unknown(noDates);
    const age_days = daysSince(published_at, compared.now_ms);
    if (age_days === undefined) return future;
    const date = dayOf(published_at);
    if (first?.outcome === 'seen')
      return decided(age_days >= days, say`It was first published in the registry on ${date}.`);
    return age_days >= days && !sample
      ? met(say`A version published on ${date} was read.`)
      : unknown(
          join(
            [say`It is not known whether a version was published before ${date}.`, first?.reason ?? say``],
            ' ',
          ),
        );
  }),
  updated_within_days: recorded.number('Updated within the last {} day(s)', maxDays, (compared, days) => {
    const { updated_at } = compared.listing;
    if (updated_at === undefined) return unknown(noDates);
    const age_days = daysSince(updated_at, compared.now_ms);
    if (age_days === undefined) return future;
    const fact = say`${originWords(compared)} says that its entry was last updated on ${dayOf(updated_at)}.`;
    return decided(age_days <= days, fact);
  }),
} as const satisfies Record<string, Criterion>;

function signalFinding(
  compared: ComparedListing,
  kind: RecordKind,
  found: CriterionResult,
): CriterionFinding {
  const signal = signalOf(compared, kind);
  if (!signal) return recordedFinding(compared, found);
  return { ...found, source: signal.source, as_of: dayText(signal.observed_at) };
}

const ofSignal = (kind: RecordKind) =>
  criteriaOf<CriterionResult>('imported', (compared, found) => signalFinding(compared, kind, found));

/** Words that follow “no version”. */
const unmoved = 'moved to another owner, asked for another secret, changed a runtime or left https';

function judgeUnmoved(compared: ComparedListing, days: number): CriterionResult {
  const { published_at } = compared.listing;
  const { value: fact, outcome, reason } = signalOf(compared, recordMoves) ?? {};
  if (published_at === undefined) return unknown(noDates);
  const ageOf = (date: string) => daysSince(date, compared.now_ms) ?? 0;
  const last = fact?.moves.find(isWeighty);
  if (last && last.published_at === undefined) return unknown(noDates);
  if (last?.published_at !== undefined && ageOf(last.published_at) < days)
    return notMet(sentence(versionMoveWords(last)));
  const versions = signalOf(compared, registryVersions);
  if (outcome === 'not_asked') return unknown(reason ?? say``);
  if (!fact && versions?.value !== 1)
    return unknown(versions?.reason ?? own('Dossier does not have two versions of the record to compare.'));
  if (fact?.partly_read) return unknown(own('A version of the record was not compared as a whole.'));
  const since = last?.published_at ?? fact?.since ?? published_at;
  const compares = fact
    ? say`${count(fact.versions, 'version')} were compared`
    : own('the record has one version');
  const none = say`After ${dayOf(since)} no version of the record ${own(unmoved)}; ${compares}`;
  return ageOf(since) >= days
    ? met(say`${none}.`)
    : unknown(say`${none}. This is a shorter time than was asked for.`);
}

export const signalCriteria = {
  namespace_matches_repository_owner: ofSignal(namespaceOwner).plain(
    'Namespace and repository have the same owner',
    (compared) => {
      const signal = signalOf(compared, namespaceOwner);
      if (signal?.outcome !== 'seen') return unknown(ours(ownerTexts.not_comparable));
      return signal.value ? met(ours(ownerTexts.yes)) : notMet(ours(ownerTexts.no));
    },
  ),
  endpoint_at_domain: ofSignal(namespaceHoldsEndpoint).plain(
    'Endpoint at the domain of its namespace',
    (compared) => {
      const value = signalOf(compared, namespaceHoldsEndpoint)?.value;
      if (typeof value === 'boolean')
        return value
          ? met(own('Every recorded endpoint is on the domain of its namespace, or below it.'))
          : notMet(own('A recorded endpoint is neither on the domain of its namespace nor below it.'));
      const { handle, remotes } = compared.listing;
      if (isSpecified(compared.listing)) return noRecord;
      if (remotes.length === 0)
        return absentFinding(compared, 'endpoint', unknown(own('No endpoint is recorded.')));
      if (Holder.ofNamespace(handle).isAccount)
        return unknown(own('Its namespace stands for an account, not for a domain.'));
      return unknown(own('The host of a recorded endpoint is not known: its address is a template.'));
    },
  ),
  nothing_shared: ofSignal(publisherListings).plain(
    'No other publisher records its endpoint, package, repository or description',
    (compared) => {
      const found = sharedKinds.find((kind) => kind.basis === 'records' && signalOf(compared, kind));
      if (found === undefined) {
        const { copy_lacks = [] } = compared.listing;
        const lacking = copyFields.find((field) => copy_lacks.includes(field));
        const none = met(
          own(
            'Dossier has no listing of another publisher with the same endpoint, package, repository or description. A description shorter than 40 characters is compared only between listings of the same name.',
          ),
        );
        return lacking ? absentFinding(compared, lacking, none) : none;
      }
      const { outcome, reason = say`` } = signalOf(compared, found) ?? {};
      return signalFinding(compared, found, outcome === 'seen' ? notMet(reason) : unknown(reason));
    },
  ),
  record_unmoved_for: ofSignal(recordMoves).number(
    `No version of the last {} day(s) ${unmoved}`,
    maxDays,
    judgeUnmoved,
  ),
  publisher_listings_at_most: ofSignal(publisherListings).number(
    'Publisher has at most {} listing(s)',
    100_000,
    (compared, most) => {
      const listings = signalOf(compared, publisherListings)?.value;
      if (listings == null) return unknown(own('The listings of this publisher were not counted.'));
      const fact = say`${count(listings, 'listing')} of this namespace ${listings === 1 ? own('is') : own('are')} stored here, this one included.`;
      return decided(listings <= most, fact);
    },
  ),
} as const satisfies Record<string, Criterion>;

const maxRatings = 1000;
/** With fewer sources no share is computed (docs/ratings.md). */
const minForShare = 5;

/** A time in the future counts, because the clocks of nodes differ. */
const isWithin = (time: string, days: number, now_ms: number) => (daysSince(time, now_ms) ?? 0) <= days;

const native = criteriaOf<CriterionResult>('native', ({ listing }, found) => ({
  ...found,
  source: 'ratings made on Dossier by claimed listings',
  as_of: listing.evidence_snapshot_date,
}));

const ofClaims = criteriaOf<CriterionResult>(
  'native',
  ({ listing: { claim, evidence_snapshot_date } }, found) => ({
    ...found,
    source: 'claims made on Dossier',
    as_of: dayText(claim?.tried_at ?? claim?.checked_at ?? evidence_snapshot_date),
  }),
);

function whyNotClaimed({ state, claim }: ComparedListing['listing']): Words | undefined {
  if (!claim) return own('This listing is not claimed.');
  if (state === 'claimed') return undefined;
  const reason = claim.suspended_reason ?? 'no reason recorded';
  return say`The claim is suspended: ${ours(reason.replaceAll('_', ' '))}.`;
}

function ratingsFact({ signals: { native } }: ComparedListing['listing']): Words {
  if (native.ratings === 0) return nativeWords(native);
  const others = shownGroups(native).filter((group) => group !== 'independent');
  const apart = others.map(
    (group) => say`${native[group].ratings} ${ours(groupTexts[group].name.toLowerCase())}`,
  );
  const groups = apart.length > 0 ? say` (${join(apart, ', ')})` : say``;
  return sentence(say`${sourcesFirst(native)}${groups}`);
}

export const nativeCriteria = {
  claimed: ofClaims.plain('Claimed', ({ listing }) => {
    const why = whyNotClaimed(listing);
    return why === undefined ? met(ours(listing.claim?.statement ?? '')) : notMet(why);
  }),
  claim_checked_within_days: ofClaims.number(
    'Claimed, and checked within the last {} day(s)',
    maxDays,
    ({ listing, now_ms }, days) => {
      const missing = whyNotClaimed(listing);
      if (missing || !listing.claim) return notMet(missing ?? say``);
      const { checked_at, failing } = listing.claim;
      const fact = failing
        ? say`The last conclusive check of the claim was on ${dayOf(checked_at)}; ${ours(failing)}.`
        : say`The last recorded check of the claim was on ${dayOf(checked_at)}.`;
      return decided(isWithin(checked_at, days, now_ms), fact);
    },
  ),
  native_ratings_at_least: native.number(
    'At least {} independent rating(s)',
    maxRatings,
    ({ listing }, fewest) =>
      decided(listing.signals.native.independent.ratings >= fewest, ratingsFact(listing)),
  ),
  independent_sources_at_least: native.number(
    'Rated by at least {} independent source(s)',
    maxRatings,
    ({ listing }, fewest) =>
      decided(listing.signals.native.independent.sources >= fewest, ratingsFact(listing)),
  ),
  rated_within_days: native.number(
    'Independently rated within the last {} day(s)',
    maxDays,
    ({ listing, now_ms }, days) => {
      const { last_at } = listing.signals.native.independent;
      if (!last_at) return notMet(ratingsFact(listing));
      const fact = say`The last independent rating is from ${dayOf(last_at)}.`;
      return decided(isWithin(last_at, days, now_ms), fact);
    },
  ),
  succeeded_percent_at_least: native.number(
    'At least {} % of the independent sources said “succeeded” in their newest rating',
    100,
    ({ listing }, percent) => {
      const { sources, source_outcomes } = listing.signals.native.independent;
      const from = count(sources, 'independent source');
      if (sources < minForShare) return unknown(say`${from}; a share needs at least ${minForShare}.`);
      const { succeeded } = source_outcomes;
      const fact = say`${succeeded} of ${from} said “succeeded” in their newest rating.`;
      return decided(succeeded * 100 >= percent * sources, fact);
    },
  ),
} as const satisfies Record<string, Criterion>;
