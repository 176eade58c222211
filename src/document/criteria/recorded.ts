import { ownerTexts } from '../../core/handle.ts';
import { counted, day, toSentence } from '../../core/text.ts';
import type { ListingRemote } from '../../listings/listing.ts';
import { knowingOf } from '../../observations/observation.ts';
import { groupTexts, shownGroups } from '../../ratings/groups.ts';
import { packageTypes, recordedSecrets, transports } from '../record.ts';
import { nativeStatement, sourcesFirst } from '../sentences.ts';
import {
  absentFinding,
  type ComparedListing,
  type Criterion,
  criteriaOf,
  daysSince,
  decided,
  type Finding,
  observedFinding,
  recordedFinding,
  signalOf,
} from './criterion.ts';

const ratingFinding = ({ listing }: ComparedListing, found: Pick<Finding, 'result' | 'fact'>): Finding => ({
  ...found,
  source: 'ratings made on this service by claimed listings',
  as_of: listing.evidence_snapshot_date,
});

const recorded = criteriaOf('imported', recordedFinding);
const native = criteriaOf('native', ratingFinding);
const maxDays = 3650;
const listed = (values: readonly string[]) => [...new Set(values)].join(', ');

const sourceOf = ({ listing }: ComparedListing) => (listing.sample ? 'The sample' : 'The registry');

/** What the record requires in the headers of a request; empty where it requires nothing. */
function needs(remote: ListingRemote | undefined): string {
  const headers = (remote?.inputs ?? []).filter(({ kind, required }) => kind === 'header' && required);
  if (headers.length === 0) return '';
  return headers.some(({ secret }) => secret) ? '; it needs a secret header' : '; it needs a header';
}

const notFirst = (day: string, reason = '') =>
  `Whether a version older than that of ${day} was published is not known. ${reason}`.trim();

const future = 'The recorded date is in the future.';

/** Criteria judged by the registry's record, as of the import that read it; never by ratings. */
export const recordedCriteria = {
  active: recorded.plain('Active in the registry', (compared) => {
    const { origin_status, status_message } = compared.listing;
    const isActive = origin_status === 'active';
    return {
      result: decided(isActive),
      fact: `${sourceOf(compared)} ${isActive ? 'lists it as active' : 'marks it as deprecated'}.`,
      ...(status_message && { recorded: status_message }),
    };
  }),
  has_endpoint: recorded.plain('Remote endpoint recorded', (compared) => {
    const { endpoint, remotes } = compared.listing;
    if (endpoint)
      return {
        result: 'met',
        fact: `A remote address is recorded${needs(remotes.find(({ url }) => url === endpoint))}.`,
        recorded: endpoint,
      };
    const fact =
      remotes.length > 0
        ? 'Remotes are recorded, but none has a complete address.'
        : 'No remote endpoint is recorded.';
    return absentFinding(compared, 'endpoint', { result: 'not_met', fact });
  }),
  has_repository: recorded.plain('Source repository recorded', (compared) => {
    const { repository, observations } = compared.listing;
    const gone = observations.find(
      (one) => one.kind === 'repository.exists' && knowingOf(one) === 'not_seen',
    );
    if (repository && gone?.state === 'not_found')
      return observedFinding(gone, {
        result: 'not_met',
        fact: 'A source repository is recorded; Dossier looked for it, and it is not there.',
        recorded: repository,
      });
    const fact = 'No source repository is recorded.';
    return repository
      ? { result: 'met', fact: 'A source repository is recorded.', recorded: repository }
      : absentFinding(compared, 'repository', { result: 'not_met', fact });
  }),
  needs_no_secret: recorded.plain('Record asks for no secret', (compared) => {
    const { remotes, packages, copy_lacks = [] } = compared.listing;
    const { all, needed } = recordedSecrets(compared.listing);
    if (all.length > 0) {
      const asks = `The record asks for ${counted(needed.length, 'secret')}.`;
      const takes = `The record names ${counted(all.length, 'secret')} that a caller may send, and requires none.`;
      return needed.length > 0
        ? { result: 'not_met', fact: asks, recorded: listed(needed) }
        : { result: 'unknown', fact: takes, recorded: listed(all) };
    }
    const lacking = (['endpoint', 'package'] as const).find((field) => copy_lacks.includes(field));
    if (lacking || remotes.length + packages.length === 0)
      return absentFinding(compared, lacking ?? 'endpoint', {
        result: 'unknown',
        fact: 'The record does not say how it is reached or run.',
      });
    const fact = 'The record asks for no secret; the service may still ask for one.';
    return { result: 'met', fact };
  }),
  transport: recorded.choice('Transport {} recorded', transports, (compared, wanted) => {
    const { remotes, packages } = compared.listing;
    const ofPackages = packages.flatMap(({ transport: recorded }) => recorded || []);
    const known = [...remotes.map(({ type }) => type), ...ofPackages].filter(Boolean);
    const holds = known.includes(wanted);
    const field = wanted === 'stdio' ? 'package' : 'endpoint';
    if (known.length === 0 || (!holds && compared.listing.copy_lacks?.includes(field)))
      return absentFinding(compared, field, { result: 'unknown', fact: 'No transport is recorded.' });
    const fact = `${wanted} is ${holds ? '' : 'not '}among the recorded transports.`;
    return { result: decided(holds), fact, recorded: listed(known) };
  }),
  package: recorded.choice('Package of kind {} recorded', packageTypes, (compared, wanted) => {
    const { packages } = compared.listing;
    if (packages.length === 0)
      return absentFinding(compared, 'package', { result: 'not_met', fact: 'No package is recorded.' });
    const found = packages.find(({ registry_type }) => registry_type === wanted);
    if (!found)
      return {
        result: 'not_met',
        fact: `No package of kind ${wanted} is recorded; others are.`,
        recorded: listed(packages.map(({ registry_type }) => registry_type)),
      };
    const { identifier, version } = found;
    return {
      result: 'met',
      fact: `A package of kind ${wanted} is recorded.`,
      recorded: version ? `${identifier}@${version}` : identifier,
    };
  }),
  tag: recorded.tag('Has the tag {}', (compared, wanted) => {
    const found = compared.listing.tags.find((candidate) => candidate.tag === wanted);
    return found
      ? { result: 'met', fact: 'It has this tag.', recorded: found.reason }
      : {
          result: 'not_met',
          fact: 'It does not have this tag. Tags follow from recorded facts and publisher keywords.',
        };
  }),
  /** A publication that was read shows an age; without older versions it does not show that there is no greater one. */
  listed_for_days: recorded.number('First published at least {} day(s) ago', maxDays, (compared, days) => {
    const { published_at, sample } = compared.listing;
    const first = signalOf(compared, 'registry.first_published');
    const age_days = daysSince(published_at, compared.now_ms);
    if (age_days === undefined) return { result: 'unknown', fact: future };
    const day = published_at.slice(0, 10);
    if (first?.state === 'observed')
      return { result: decided(age_days >= days), fact: `It was first published in the registry on ${day}.` };
    const isOld = age_days >= days && !sample;
    const fact = isOld ? `A version published on ${day} was read.` : notFirst(day, first?.reason);
    return { result: isOld ? 'met' : 'unknown', fact };
  }),
  updated_within_days: recorded.number('Updated within the last {} day(s)', maxDays, (compared, days) => {
    const { updated_at } = compared.listing;
    const age_days = daysSince(updated_at, compared.now_ms);
    if (age_days === undefined) return { result: 'unknown', fact: future };
    const fact = `${sourceOf(compared)} says that its entry was last updated on ${updated_at.slice(0, 10)}.`;
    return { result: decided(age_days <= days), fact };
  }),
} as const satisfies Record<string, Criterion>;

/** A finding with the source and date of an imported signal; with those of the record if there is no such signal. */
function signalFinding(
  compared: ComparedListing,
  kind: string,
  found: Pick<Finding, 'result' | 'fact'>,
): Finding {
  const signal = signalOf(compared, kind);
  if (!signal) return recordedFinding(compared, found);
  return { ...found, source: signal.source, as_of: signal.observed_at.slice(0, 10) };
}

const sameOwner = 'namespace.matches_repository_owner';
const concentration = 'publisher.listings';
const atDomain = 'namespace.holds_endpoint';
const recordedInCommon = ['shared.endpoint', 'shared.package', 'shared.repository', 'shared.description'];

/** Criteria judged by imported signals, each with its source and date; never by ratings. */
export const signalCriteria = {
  namespace_matches_repository_owner: recorded.plain(
    'Namespace and repository have the same owner',
    (compared) => {
      const signal = signalOf(compared, sameOwner);
      if (signal?.state !== 'observed')
        return signalFinding(compared, sameOwner, { result: 'unknown', fact: ownerTexts.not_comparable });
      const holds = signal.value === true;
      const fact = holds ? ownerTexts.yes : ownerTexts.no;
      return signalFinding(compared, sameOwner, { result: decided(holds), fact });
    },
  ),
  endpoint_at_domain: recorded.plain('Endpoint at the domain of its namespace', (compared) => {
    const value = signalOf(compared, atDomain)?.value;
    if (typeof value !== 'boolean')
      return signalFinding(compared, atDomain, {
        result: 'unknown',
        fact: 'Its namespace stands for an account, or no endpoint is recorded.',
      });
    const fact = value
      ? 'Every recorded endpoint is at the registered domain of its namespace.'
      : 'A recorded endpoint is not at the registered domain of its namespace.';
    return signalFinding(compared, atDomain, { result: decided(value), fact });
  }),
  nothing_shared: recorded.plain(
    'No other publisher records its endpoint, package, repository or description',
    (compared) => {
      const found = recordedInCommon.find((kind) => signalOf(compared, kind));
      const { state, reason = '' } = (found && signalOf(compared, found)) || {};
      return found
        ? signalFinding(compared, found, {
            result: state === 'observed' ? 'not_met' : 'unknown',
            fact: reason,
          })
        : signalFinding(compared, concentration, {
            result: 'met',
            fact: 'Dossier has no listing of another publisher with the same endpoint, package, repository or description of 40 characters or more.',
          });
    },
  ),
  publisher_listings_at_most: recorded.number(
    'Publisher has at most {} listing(s)',
    100_000,
    (compared, most) => {
      const count = signalOf(compared, concentration)?.value;
      if (typeof count !== 'number')
        return signalFinding(compared, concentration, {
          result: 'unknown',
          fact: 'The listings of this publisher were not counted.',
        });
      const fact = `${counted(count, 'listing')} of this namespace ${count === 1 ? 'is' : 'are'} stored here, this one included.`;
      return signalFinding(compared, concentration, { result: decided(count <= most), fact });
    },
  ),
} as const satisfies Record<string, Criterion>;

const maxRatings = 1000;
/** With fewer sources no share is computed (docs/ratings.md). */
const minForShare = 5;

/** Whether a time of this service is at most so many days ago. A time slightly in the future counts: clocks differ. */
const isWithin = (time: string, days: number, now_ms: number) => (daysSince(time, now_ms) ?? 0) <= days;

const claimFinding = ({ listing }: ComparedListing, found: Pick<Finding, 'result' | 'fact'>): Finding => ({
  ...found,
  source: 'claims made on this service',
  as_of: day(listing.claim?.tried_at ?? listing.claim?.checked_at ?? listing.evidence_snapshot_date),
});

/** Why a listing does not count as claimed; undefined if it does. */
function whyNotClaimed({ state, claim }: ComparedListing['listing']): string | undefined {
  if (state === 'claimed') return undefined;
  if (!claim) return 'This listing is not claimed.';
  return `The claim is suspended: ${(claim.suspended_reason ?? 'no reason recorded').replaceAll('_', ' ')}.`;
}

/** How many native ratings there are, and from whom; for none, the same sentence as everywhere. */
function ratingsFact({ signals: { native } }: ComparedListing['listing']): string {
  const { independent } = native;
  if (native.ratings === 0) return nativeStatement(native);
  const others = shownGroups(native).filter((group) => group !== 'independent');
  const apart = others.map((group) => `; ${native[group].ratings} ${groupTexts[group].name.toLowerCase()}`);
  const from = sourcesFirst({ ratings: independent.ratings, independent });
  return toSentence(`${from}${apart.join('')}`);
}

/** Criteria judged by claims and ratings made on this service; never by imported signals. */
export const nativeCriteria = {
  claimed: native.plain('Claimed', (compared) => {
    const fact = whyNotClaimed(compared.listing);
    return claimFinding(
      compared,
      fact ? { result: 'not_met', fact } : { result: 'met', fact: compared.listing.claim?.statement ?? '' },
    );
  }),
  claim_checked_within_days: native.number(
    'Claimed, and checked within the last {} day(s)',
    maxDays,
    (compared, days) => {
      const { listing, now_ms } = compared;
      const missing = whyNotClaimed(listing);
      if (missing || !listing.claim)
        return claimFinding(compared, { result: 'not_met', fact: missing ?? '' });
      const { checked_at, failing } = listing.claim;
      const fact = failing
        ? `The claim was last found in place on ${day(checked_at)}; ${failing}.`
        : `The claim was last checked on ${day(checked_at)}.`;
      return claimFinding(compared, { result: decided(isWithin(checked_at, days, now_ms)), fact });
    },
  ),
  native_ratings_at_least: native.number(
    'At least {} independent rating(s)',
    maxRatings,
    (compared, fewest) => {
      const { ratings } = compared.listing.signals.native.independent;
      return { result: decided(ratings >= fewest), fact: ratingsFact(compared.listing) };
    },
  ),
  independent_sources_at_least: native.number(
    'Rated by at least {} independent source(s)',
    maxRatings,
    (compared, fewest) => {
      const { sources } = compared.listing.signals.native.independent;
      return { result: decided(sources >= fewest), fact: ratingsFact(compared.listing) };
    },
  ),
  rated_within_days: native.number(
    'Independently rated within the last {} day(s)',
    maxDays,
    (compared, days) => {
      const { last_at } = compared.listing.signals.native.independent;
      if (!last_at) return { result: 'not_met', fact: ratingsFact(compared.listing) };
      const fact = `The last independent rating is from ${last_at.slice(0, 10)}.`;
      const holds = isWithin(last_at, days, compared.now_ms);
      return { result: decided(holds), fact };
    },
  ),
  succeeded_percent_at_least: native.number(
    'At least {} in 100 independent sources said succeeded last',
    100,
    (compared, percent) => {
      const { sources, source_outcomes } = compared.listing.signals.native.independent;
      if (sources < minForShare)
        return {
          result: 'unknown',
          fact: `${counted(sources, 'independent source')}; a share needs at least ${minForShare}.`,
        };
      const { succeeded } = source_outcomes;
      return {
        result: decided(succeeded * 100 >= percent * sources),
        fact: `${succeeded} of ${counted(sources, 'independent source')} said succeeded in the newest rating of each.`,
      };
    },
  ),
} as const satisfies Record<string, Criterion>;
