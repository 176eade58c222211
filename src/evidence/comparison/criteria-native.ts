import { nativeStatement, sourcesFirst } from '../listing/sentences/snapshot.ts';
import { groupTexts, shownGroups } from '../rating/groups.ts';
import { counted } from '../text/plural.ts';
import {
  type ComparedListing,
  type Criterion,
  daysSince,
  decided,
  type Finding,
  numberCriterion,
  plainCriterion,
} from './criterion.ts';

const evidence = 'native';
const maxDays = 3650;
const maxRatings = 1000;
/** With fewer sources no share is computed (docs/trust.md section 3). */
const minForShare = 5;

/** Whether a time of this service is at most so many days ago. A time slightly in the future counts: clocks differ. */
const isWithin = (time: string, days: number, now_ms: number) => (daysSince(time, now_ms) ?? 0) <= days;

const claimFinding = ({ listing }: ComparedListing, found: Pick<Finding, 'result' | 'fact'>): Finding => ({
  ...found,
  source: 'claims made on this service',
  as_of: (listing.claim?.checked_at ?? listing.evidence_snapshot_date).slice(0, 10),
});

/** Why a listing does not count as claimed; undefined if it does. */
function whyNotClaimed({ state, claim }: ComparedListing['listing']): string | undefined {
  if (state === 'claimed') return undefined;
  if (!claim) return 'This listing is not claimed.';
  return `The claim is suspended: ${(claim.suspended_reason ?? 'no reason recorded').replaceAll('_', ' ')}.`;
}

const claimed = plainCriterion({ evidence, label: 'Claimed' }, (compared) => {
  const fact = whyNotClaimed(compared.listing);
  return claimFinding(
    compared,
    fact ? { result: 'not_met', fact } : { result: 'met', fact: compared.listing.claim?.statement ?? '' },
  );
});

const claimCheckedWithinDays = numberCriterion(
  { evidence, label: 'Claimed, and checked within the last {} day(s)', max: maxDays },
  (compared, days) => {
    const { listing, now_ms } = compared;
    const missing = whyNotClaimed(listing);
    if (missing || !listing.claim) return claimFinding(compared, { result: 'not_met', fact: missing ?? '' });
    const { checked_at } = listing.claim;
    const fact = `The claim was last checked on ${checked_at.slice(0, 10)}.`;
    return claimFinding(compared, { result: decided(isWithin(checked_at, days, now_ms)), fact });
  },
);

const ratingFinding = ({ listing }: ComparedListing, found: Pick<Finding, 'result' | 'fact'>): Finding => ({
  ...found,
  source: 'ratings made on this service by claimed listings',
  as_of: listing.evidence_snapshot_date,
});

/** How many native ratings there are, and from whom; for none, the same sentence as everywhere. */
function ratingsFact({ signals: { native } }: ComparedListing['listing']): string {
  const { independent } = native;
  if (native.ratings === 0) return nativeStatement(native);
  const others = shownGroups(native).filter((group) => group !== 'independent');
  const apart = others.map((group) => `; ${native[group].ratings} ${groupTexts[group].name.toLowerCase()}`);
  const from = sourcesFirst({ ratings: independent.ratings, independent });
  return `${from.charAt(0).toUpperCase()}${from.slice(1)}${apart.join('')}.`;
}

const nativeRatingsAtLeast = numberCriterion(
  { evidence, label: 'At least {} independent native rating(s)', max: maxRatings },
  (compared, fewest) => {
    const { ratings } = compared.listing.signals.native.independent;
    return ratingFinding(compared, {
      result: decided(ratings >= fewest),
      fact: ratingsFact(compared.listing),
    });
  },
);

const independentSourcesAtLeast = numberCriterion(
  { evidence, label: 'Rated by at least {} independent source(s)', max: maxRatings },
  (compared, fewest) => {
    const { sources } = compared.listing.signals.native.independent;
    return ratingFinding(compared, {
      result: decided(sources >= fewest),
      fact: ratingsFact(compared.listing),
    });
  },
);

const ratedWithinDays = numberCriterion(
  { evidence, label: 'Independently rated within the last {} day(s)', max: maxDays },
  (compared, days) => {
    const { last_at } = compared.listing.signals.native.independent;
    if (!last_at) return ratingFinding(compared, { result: 'not_met', fact: ratingsFact(compared.listing) });
    const fact = `The last independent native rating is from ${last_at.slice(0, 10)}.`;
    const holds = isWithin(last_at, days, compared.now_ms);
    return ratingFinding(compared, { result: decided(holds), fact });
  },
);

const succeededPercentAtLeast = numberCriterion(
  { evidence, label: 'At least {} in 100 independent sources said succeeded last', max: 100 },
  (compared, percent) => {
    const { sources, source_outcomes } = compared.listing.signals.native.independent;
    if (sources < minForShare)
      return ratingFinding(compared, {
        result: 'unknown',
        fact: `${counted(sources, 'independent source')}; a share needs at least ${minForShare}.`,
      });
    const { succeeded } = source_outcomes;
    return ratingFinding(compared, {
      result: decided(succeeded * 100 >= percent * sources),
      fact: `${succeeded} of ${counted(sources, 'independent source')} said succeeded in the newest rating of each.`,
    });
  },
);

/** Criteria judged by claims and ratings made on this service; never by imported signals. */
export const nativeCriteria = {
  claimed,
  claim_checked_within_days: claimCheckedWithinDays,
  native_ratings_at_least: nativeRatingsAtLeast,
  independent_sources_at_least: independentSourcesAtLeast,
  rated_within_days: ratedWithinDays,
  succeeded_percent_at_least: succeededPercentAtLeast,
} as const satisfies Record<string, Criterion>;
