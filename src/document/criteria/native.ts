import type { ListingDocument } from '../listing-document.ts';
import { criteriaOf, days, daysSince, decided, plain } from './criterion.ts';

const ratings = { kind: 'number', max: 1000 } as const;
/** Fewer sources give no share (docs/ratings.md). */
const minForShare = 5;

/** A time in the future counts, because the clocks of nodes differ. */
const isWithin = (time: string | undefined, wanted: number, now_ms: number) =>
  time !== undefined && (daysSince(time, now_ms) ?? 0) <= wanted;

const isClaimed = ({ state, claim }: ListingDocument) => state === 'claimed' && claim !== undefined;

const independentOf = ({ signals }: ListingDocument) => signals.native.independent;

const native = criteriaOf('native');

export const nativeCriteria = {
  claimed: native('Claimed', plain, ['whose'], (listing) => decided(isClaimed(listing))),
  claim_checked_within_days: native(
    'Claimed, and checked within the last {} day(s)',
    days,
    ['whose'],
    (listing, wanted: number, now_ms) =>
      isClaimed(listing) && !listing.claim?.checked_at
        ? 'unknown'
        : decided(isClaimed(listing) && isWithin(listing.claim?.checked_at, wanted, now_ms)),
  ),
  native_ratings_at_least: native(
    'At least {} independent rating(s)',
    ratings,
    ['rated'],
    (listing, fewest: number) => decided(independentOf(listing).ratings >= fewest),
  ),
  independent_sources_at_least: native(
    'Rated by at least {} independent source(s)',
    ratings,
    ['rated'],
    (listing, fewest: number) => decided(independentOf(listing).sources >= fewest),
  ),
  rated_within_days: native(
    'Independently rated within the last {} day(s)',
    days,
    ['rated'],
    (listing, wanted: number, now_ms) => decided(isWithin(independentOf(listing).last_at, wanted, now_ms)),
  ),
  succeeded_percent_at_least: native(
    'At least {} % of the independent sources said “succeeded” in their newest rating',
    { kind: 'number', max: 100 },
    ['rated'],
    (listing, percent: number) => {
      const { sources, source_outcomes } = independentOf(listing);
      if (sources < minForShare) return 'unknown';
      return decided(source_outcomes.succeeded * 100 >= percent * sources);
    },
  ),
};
