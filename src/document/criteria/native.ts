import { count, join, own, say, type Words } from '../../core/words.ts';
import { groupTexts, type RatingGroup, shownGroups } from '../../ratings/groups.ts';
import type { RatingCounts } from '../../ratings/rating.ts';
import type { ListingDocument } from '../listing-document.ts';
import { countedWords } from '../words.ts';
import {
  because,
  criteriaOf,
  days,
  daysSince,
  decided,
  plain,
  type Result,
  type Takes,
  unknown,
} from './criterion.ts';

const ratings = { kind: 'number', max: 1000 } as const;
/** Fewer sources give no share (docs/ratings.md). */
const minForShare = 5;

/** A time in the future counts, because the clocks of nodes differ. */
const isWithin = (time: string | undefined, wanted: number, now_ms: number) =>
  time !== undefined && (daysSince(time, now_ms) ?? 0) <= wanted;

const isClaimed = ({ state, claim }: ListingDocument) => state === 'claimed' && claim !== undefined;

/** Empty if nothing was rated, which the row says. */
function countedOf({ signals: { native } }: ListingDocument): Words {
  const { independent, voided } = native;
  const all = native.ratings + voided;
  if (all === 0) return say``;
  const groups = shownGroups(native).filter((group) => group !== 'independent');
  const apart = Object.fromEntries(groups.map((group) => [group, native[group].ratings]));
  const others = countedWords({ ...apart, voided }, (name) =>
    name === 'voided' ? 'voided by the operator' : groupTexts[name as RatingGroup].name.toLowerCase(),
  );
  const counted =
    independent.ratings === 0
      ? own('no independent source')
      : say`${count(independent.ratings, 'independent rating')} from ${count(independent.sources, 'source')}`;
  return all === independent.ratings ? counted : say`${counted}; not counted: ${others}`;
}

const native = criteriaOf('native');

const ofRatings = (
  label: string,
  takes: Takes,
  judge: (of: RatingCounts, value: number, now_ms: number) => Result,
) =>
  native(label, takes, ['rated'], (listing, value: number, now_ms) => {
    const result = judge(listing.signals.native.independent, value, now_ms);
    const share = result === 'unknown' && own(`a share needs ${minForShare} independent sources`);
    return result === 'met' ? result : because(result, join([countedOf(listing), share], '; '));
  });

export const nativeCriteria = {
  claimed: native('Claimed', plain, ['whose'], (listing) => decided(isClaimed(listing))),
  claim_checked_within_days: native(
    'Claimed, and checked within the last {} day(s)',
    days,
    ['whose'],
    (listing, wanted: number, now_ms) =>
      isClaimed(listing) && !listing.claim?.checked_at
        ? unknown(own('not kept for past days'))
        : decided(isClaimed(listing) && isWithin(listing.claim?.checked_at, wanted, now_ms)),
  ),
  native_ratings_at_least: ofRatings('At least {} independent rating(s)', ratings, (of, fewest) =>
    decided(of.ratings >= fewest),
  ),
  independent_sources_at_least: ofRatings(
    'Rated by at least {} independent source(s)',
    ratings,
    (of, fewest) => decided(of.sources >= fewest),
  ),
  rated_within_days: ofRatings('Independently rated within the last {} day(s)', days, (of, wanted, now_ms) =>
    decided(isWithin(of.last_at, wanted, now_ms)),
  ),
  succeeded_percent_at_least: ofRatings(
    'At least {} % of the independent sources said “succeeded” in their newest rating',
    { kind: 'number', max: 100 },
    ({ sources, source_outcomes }, percent) =>
      sources < minForShare ? 'unknown' : decided(source_outcomes.succeeded * 100 >= percent * sources),
  ),
};
