import { html } from 'hono/html';
import type { NativeSignals } from '../../evidence/listing/listing-document.ts';
import { groupTexts, type RatingGroup, ratingGroups, shownGroups } from '../../evidence/rating/groups.ts';
import { outcomes, type RatingCounts, type RatingRecord } from '../../evidence/rating/rating.ts';
import { amount } from '../../evidence/text/plural.ts';
import { type Html, pagePath } from '../layout/html.ts';

/** The filter of a ratings page; all records if empty. */
export interface RatingFilter {
  readonly outcome?: RatingRecord['outcome'];
  readonly group?: RatingGroup;
}

/** The address of the ratings that match a filter, from a cursor on. */
export function ratingsPath(handle: string, filter: RatingFilter, cursor?: string): string {
  const parameters = Object.entries({ ...filter, cursor }).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(parameters as [string, string][]);
  return `${pagePath(handle)}/ratings${query.size > 0 ? `?${query}` : ''}`;
}

interface Choice {
  readonly text: string;
  readonly filter: RatingFilter;
  readonly ratings: number;
}

const link = (handle: string, { text, filter, ratings }: Choice, now: RatingFilter) => {
  const isNow = filter.outcome === now.outcome && filter.group === now.group;
  return html`<li><a href="${ratingsPath(handle, filter)}" rel="nofollow"${isNow ? html` aria-current="true"` : ''}>${text} <span class="count">${amount(ratings)}</span></a></li>`;
};

const ofOutcome = ({ ratings, outcomes: counts }: RatingCounts, outcome: RatingFilter['outcome']) =>
  outcome ? counts[outcome] : ratings;

const countOf = (native: NativeSignals, { outcome, group }: RatingFilter): number =>
  (group ? [group] : [...ratingGroups])
    .map((one) => ofOutcome(native[one], outcome))
    .reduce((sum, ratings) => sum + ratings, 0);

/** Filters for the ratings of a listing, each with the number of matching counted ratings. */
export function ratingFilters(handle: string, native: NativeSignals, now: RatingFilter): Html {
  const choice = (text: string, filter: RatingFilter) =>
    link(handle, { text, filter, ratings: countOf(native, filter) }, now);
  const { outcome: _, ...withoutOutcome } = now;
  const { group: __, ...withoutGroup } = now;
  return html`
<nav class="choices" aria-label="Filter the ratings">
<ul aria-label="Outcome">${choice('any outcome', withoutOutcome)}${outcomes.map((outcome) => choice(outcome, { ...now, outcome }))}</ul>
<ul aria-label="Group">${choice('any group', withoutGroup)}${shownGroups(native).map((group) => choice(groupTexts[group].name.toLowerCase(), { ...now, group }))}</ul>
</nav>`;
}
