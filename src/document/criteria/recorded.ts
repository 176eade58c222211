import { ownerTexts } from '../../core/handle.ts';
import { Holder } from '../../core/identity.ts';
import { counted, day } from '../../core/text.ts';
import { dayOf, join, ours, say, sentence, type Words } from '../../core/words.ts';
import { copyFields } from '../../imports/import-run.ts';
import { isSpecified, type ListingRemote } from '../../listings/listing.ts';
import { factsOf, type RecordKind } from '../../observations/kind.ts';
import {
  namespaceHoldsEndpoint,
  namespaceOwner,
  publisherListings,
  sharedKinds,
} from '../../observations/kinds/publisher.ts';
import { registryFirstPublished } from '../../observations/kinds/record.ts';
import { repositoryExists } from '../../observations/kinds/repository.ts';
import { currentOutcome, knowingOf } from '../../observations/observation.ts';
import { groupTexts, shownGroups } from '../../ratings/groups.ts';
import { nativeWords, sourcesFirst } from '../rated.ts';
import { packageTypes, recordedSecrets, transports } from '../record.ts';
import {
  absentFinding,
  type ComparedListing,
  type Criterion,
  criteriaOf,
  daysSince,
  decided,
  type Finding,
  type Found,
  met,
  notMet,
  observedFinding,
  recordedFinding,
  signalOf,
  unknown,
} from './criterion.ts';

const recorded = criteriaOf('imported', recordedFinding);
const maxDays = 3650;
const listed = (values: readonly string[]) => [...new Set(values)].join(', ');

const sourceOf = ({ listing }: ComparedListing) => (listing.sample ? 'The sample' : 'The registry');

/** What the record requires in the headers of a request; empty if it requires nothing. */
function needs(remote: ListingRemote | undefined): string {
  const headers = (remote?.inputs ?? []).filter(({ kind, required }) => kind === 'header' && required);
  if (headers.length === 0) return '';
  return headers.some(({ secret }) => secret) ? '; it needs a secret header' : '; it needs a header';
}

const future = unknown('The recorded date is in the future.');

/** Criteria judged by the registry's record, as of the import that read it; never by ratings. */
export const recordedCriteria = {
  active: recorded.plain('Active in the registry', (compared) => {
    const { origin_status, status_message } = compared.listing;
    const isActive = origin_status === 'active';
    const fact = `${sourceOf(compared)} ${isActive ? 'lists it as active' : 'marks it as deprecated'}.`;
    return { ...decided(isActive, fact), ...(status_message && { recorded: status_message }) };
  }),
  has_endpoint: recorded.plain('Remote endpoint recorded', (compared) => {
    const { endpoint, remotes } = compared.listing;
    const needed = needs(remotes.find(({ url }) => url === endpoint));
    if (endpoint) return { ...met(`A remote address is recorded${needed}.`), recorded: endpoint };
    const fact =
      remotes.length > 0
        ? 'Remotes are recorded, but none has a complete address.'
        : 'No remote endpoint is recorded.';
    return absentFinding(compared, 'endpoint', notMet(fact));
  }),
  has_repository: recorded.plain('Source repository recorded', (compared) => {
    const { repository, observations } = compared.listing;
    if (!repository)
      return absentFinding(compared, 'repository', notMet('No source repository is recorded.'));
    const gone = factsOf(repositoryExists, observations).find((one) => knowingOf(one) === 'not_seen');
    const fact = 'A source repository is recorded; Dossier looked for it, and it is not there.';
    return gone && currentOutcome(gone) === 'absent'
      ? observedFinding(gone, { ...notMet(fact), recorded: repository })
      : { ...met('A source repository is recorded.'), recorded: repository };
  }),
  needs_no_secret: recorded.plain('Record asks for no secret', (compared) => {
    const { remotes, packages, copy_lacks = [] } = compared.listing;
    const { all, needed } = recordedSecrets(compared.listing);
    const asks = `The record asks for ${counted(needed.length, 'secret')}.`;
    if (needed.length > 0) return { ...notMet(asks), recorded: listed(needed) };
    const takes = `The record names ${counted(all.length, 'secret')} that a caller may send, and requires none.`;
    if (all.length > 0) return { ...unknown(takes), recorded: listed(all) };
    const lacking = (['endpoint', 'package'] as const).find((field) => copy_lacks.includes(field));
    if (isSpecified(compared.listing)) return unknown('No record of this listing was read.');
    if (!lacking && remotes.length + packages.length > 0)
      return met('The record asks for no secret; the service may still ask for one.');
    const fact = 'The record does not say how it is reached or run.';
    return absentFinding(compared, lacking ?? 'endpoint', unknown(fact));
  }),
  transport: recorded.choice('Transport {} recorded', transports, (compared, wanted) => {
    const { remotes, packages } = compared.listing;
    const ofPackages = packages.flatMap(({ transport: recorded }) => recorded || []);
    const known = [...remotes.map(({ type }) => type), ...ofPackages].filter(Boolean);
    const holds = known.includes(wanted);
    const field = wanted === 'stdio' ? 'package' : 'endpoint';
    if (known.length === 0 || (!holds && compared.listing.copy_lacks?.includes(field)))
      return absentFinding(compared, field, unknown('No transport is recorded.'));
    const fact = `${wanted} is ${holds ? '' : 'not '}among the recorded transports.`;
    return { ...decided(holds, fact), recorded: listed(known) };
  }),
  package: recorded.choice('Package of kind {} recorded', packageTypes, (compared, wanted) => {
    const { packages } = compared.listing;
    if (packages.length === 0) return absentFinding(compared, 'package', notMet('No package is recorded.'));
    const found = packages.find(({ registry_type }) => registry_type === wanted);
    const types = listed(packages.map(({ registry_type }) => registry_type));
    if (!found)
      return { ...notMet(`No package of kind ${wanted} is recorded; others are.`), recorded: types };
    const { identifier, version } = found;
    const name = version ? `${identifier}@${version}` : identifier;
    return { ...met(`A package of kind ${wanted} is recorded.`), recorded: name };
  }),
  tag: recorded.tag('Has the tag {}', (compared, wanted) => {
    const found = compared.listing.tags.find((candidate) => candidate.tag === wanted);
    return found
      ? { ...met('It has this tag.'), recorded: found.reason }
      : notMet('It does not have this tag. Tags follow from recorded facts and publisher keywords.');
  }),
  /** A publication that was read shows an age; without older versions it does not show that there is no greater one. */
  listed_for_days: recorded.number('First published at least {} day(s) ago', maxDays, (compared, days) => {
    const { published_at, sample } = compared.listing;
    const first = signalOf(compared, registryFirstPublished);
    const age_days = daysSince(published_at, compared.now_ms);
    if (age_days === undefined) return future;
    const date = day(published_at);
    if (first?.outcome === 'seen')
      return decided(age_days >= days, `It was first published in the registry on ${date}.`);
    return age_days >= days && !sample
      ? met(`A version published on ${date} was read.`)
      : unknown(
          join(
            [
              say`Whether a version older than that of ${dayOf(date)} was published is not known.`,
              first?.reason ?? say``,
            ],
            ' ',
          ),
        );
  }),
  updated_within_days: recorded.number('Updated within the last {} day(s)', maxDays, (compared, days) => {
    const { updated_at } = compared.listing;
    const age_days = daysSince(updated_at, compared.now_ms);
    if (age_days === undefined) return future;
    const fact = `${sourceOf(compared)} says that its entry was last updated on ${day(updated_at)}.`;
    return decided(age_days <= days, fact);
  }),
} as const satisfies Record<string, Criterion>;

/** A finding with the source and date of an imported signal; with those of the record if there is no such signal. */
function signalFinding(compared: ComparedListing, kind: RecordKind, found: Found): Finding {
  const signal = signalOf(compared, kind);
  if (!signal) return recordedFinding(compared, found);
  return { ...found, source: signal.source, as_of: day(signal.observed_at) };
}

const ofSignal = (kind: RecordKind) =>
  criteriaOf<Found>('imported', (compared, found) => signalFinding(compared, kind, found));

/** Criteria judged by imported signals, each with its source and date; never by ratings. */
export const signalCriteria = {
  namespace_matches_repository_owner: ofSignal(namespaceOwner).plain(
    'Namespace and repository have the same owner',
    (compared) => {
      const signal = signalOf(compared, namespaceOwner);
      if (signal?.outcome !== 'seen') return unknown(ownerTexts.not_comparable);
      return signal.value ? met(ownerTexts.yes) : notMet(ownerTexts.no);
    },
  ),
  endpoint_at_domain: ofSignal(namespaceHoldsEndpoint).plain(
    'Endpoint at the domain of its namespace',
    (compared) => {
      const value = signalOf(compared, namespaceHoldsEndpoint)?.value;
      if (typeof value === 'boolean')
        return value
          ? met('Every recorded endpoint is on the domain of its namespace, or below it.')
          : notMet('A recorded endpoint is neither on the domain of its namespace nor below it.');
      const { handle, remotes } = compared.listing;
      if (remotes.length === 0)
        return absentFinding(compared, 'endpoint', unknown('No endpoint is recorded.'));
      if (Holder.ofNamespace(handle).isAccount)
        return unknown('Its namespace stands for an account, not for a domain.');
      return unknown('The host of a recorded endpoint is not known: its address is a template.');
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
          'Dossier has no listing of another publisher with the same endpoint, package, repository or description of 40 characters or more.',
        );
        return lacking ? absentFinding(compared, lacking, none) : none;
      }
      const { outcome, reason = say`` } = signalOf(compared, found) ?? {};
      return signalFinding(compared, found, outcome === 'seen' ? notMet(reason) : unknown(reason));
    },
  ),
  publisher_listings_at_most: ofSignal(publisherListings).number(
    'Publisher has at most {} listing(s)',
    100_000,
    (compared, most) => {
      const count = signalOf(compared, publisherListings)?.value;
      if (count == null) return unknown('The listings of this publisher were not counted.');
      const fact = `${counted(count, 'listing')} of this namespace ${count === 1 ? 'is' : 'are'} stored here, this one included.`;
      return decided(count <= most, fact);
    },
  ),
} as const satisfies Record<string, Criterion>;

const maxRatings = 1000;
/** With fewer sources no share is computed (docs/ratings.md). */
const minForShare = 5;

/** Whether a time of this service is at most so many days ago. A time slightly in the future counts: clocks differ. */
const isWithin = (time: string, days: number, now_ms: number) => (daysSince(time, now_ms) ?? 0) <= days;

const native = criteriaOf<Found>('native', ({ listing }, found) => ({
  ...found,
  source: 'ratings made on Dossier by claimed listings',
  as_of: listing.evidence_snapshot_date,
}));

const ofClaims = criteriaOf<Found>('native', ({ listing: { claim, evidence_snapshot_date } }, found) => ({
  ...found,
  source: 'claims made on Dossier',
  as_of: day(claim?.tried_at ?? claim?.checked_at ?? evidence_snapshot_date),
}));

function whyNotClaimed({ state, claim }: ComparedListing['listing']): string | undefined {
  if (!claim) return 'This listing is not claimed.';
  if (state === 'claimed') return undefined;
  return `The claim is suspended: ${(claim.suspended_reason ?? 'no reason recorded').replaceAll('_', ' ')}.`;
}

function ratingsFact({ signals: { native } }: ComparedListing['listing']): Words {
  const { independent } = native;
  if (native.ratings === 0) return nativeWords(native);
  const others = shownGroups(native).filter((group) => group !== 'independent');
  const apart = others.map(
    (group) => say`${native[group].ratings} ${ours(groupTexts[group].name.toLowerCase())}`,
  );
  return sentence(join([sourcesFirst({ ratings: independent.ratings, independent }), ...apart], '; '));
}

/** Criteria judged by claims and ratings made on this service; never by imported signals. */
export const nativeCriteria = {
  claimed: ofClaims.plain('Claimed', ({ listing }) => {
    const why = whyNotClaimed(listing);
    return why === undefined ? met(listing.claim?.statement ?? '') : notMet(why);
  }),
  claim_checked_within_days: ofClaims.number(
    'Claimed, and checked within the last {} day(s)',
    maxDays,
    ({ listing, now_ms }, days) => {
      const missing = whyNotClaimed(listing);
      if (missing || !listing.claim) return notMet(missing ?? '');
      const { checked_at, failing } = listing.claim;
      const fact = failing
        ? `The claim was last found in place on ${day(checked_at)}; ${failing}.`
        : `The claim was last checked on ${day(checked_at)}.`;
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
      const fact = `The last independent rating is from ${day(last_at)}.`;
      return decided(isWithin(last_at, days, now_ms), fact);
    },
  ),
  succeeded_percent_at_least: native.number(
    'At least {} in 100 independent sources said succeeded last',
    100,
    ({ listing }, percent) => {
      const { sources, source_outcomes } = listing.signals.native.independent;
      const from = counted(sources, 'independent source');
      if (sources < minForShare) return unknown(`${from}; a share needs at least ${minForShare}.`);
      const { succeeded } = source_outcomes;
      const fact = `${succeeded} of ${from} said succeeded in the newest rating of each.`;
      return decided(succeeded * 100 >= percent * sources, fact);
    },
  ),
} as const satisfies Record<string, Criterion>;
