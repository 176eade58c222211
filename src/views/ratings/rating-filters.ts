import { html } from 'hono/html';
import type { NativeSignals } from '../../evidence/listing/listing-document.ts';
import { outcomes, type RatingCounts, type RatingRecord } from '../../evidence/rating/rating.ts';
import { amount } from '../../evidence/text/plural.ts';
import { type Html, pagePath } from '../layout/html.ts';

/** The filter of a ratings page; all records if empty. */
export interface RatingFilter {
  readonly outcome?: RatingRecord['outcome'];
  readonly source?: 'independent' | 'related';
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
  const isNow = filter.outcome === now.outcome && filter.source === now.source;
  return html`<li><a href="${ratingsPath(handle, filter)}" rel="nofollow"${isNow ? html` aria-current="true"` : ''}>${text} <span class="count">${amount(ratings)}</span></a></li>`;
};

const ofOutcome = ({ ratings, outcomes: counts }: RatingCounts, outcome: RatingFilter['outcome']) =>
  outcome ? counts[outcome] : ratings;

function countOf({ independent, related }: NativeSignals, { outcome, source }: RatingFilter): number {
  const groups = { independent: [independent], related: [related] };
  return (source ? groups[source] : [independent, related]).reduce(
    (sum, group) => sum + ofOutcome(group, outcome),
    0,
  );
}

/** Filters for the ratings of a listing, each with the number of matching counted ratings. */
export function ratingFilters(handle: string, native: NativeSignals, now: RatingFilter): Html {
  const choice = (text: string, filter: RatingFilter) =>
    link(handle, { text, filter, ratings: countOf(native, filter) }, now);
  return html`
<nav class="choices" aria-label="Filter the ratings">
<ul aria-label="Outcome">${choice('any outcome', { source: now.source })}${outcomes.map((outcome) => choice(outcome, { ...now, outcome }))}</ul>
<ul aria-label="Source">${choice('any source', { outcome: now.outcome })}${choice('independent', { ...now, source: 'independent' })}${choice('related', { ...now, source: 'related' })}</ul>
</nav>`;
}
