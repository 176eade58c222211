import { html } from 'hono/html';
import type { ListingDocument, NativeSignals } from '../../evidence/listing/listing-document.ts';
import { groupTexts, shownGroups } from '../../evidence/rating/groups.ts';
import type { MonthCount } from '../../evidence/rating/month-counts.ts';
import type { RatingCounts } from '../../evidence/rating/rating.ts';
import { counted } from '../../evidence/text/plural.ts';
import { day, type Html, pagePath } from '../layout/html.ts';
import { countsText, scoresText, toLabel } from '../layout/labels.ts';
import { monthChart } from './month-chart.ts';
import { ratingItem } from './rating-item.ts';

const figures = ({ ratings, sources, source_handles, last_at }: RatingCounts) =>
  last_at
    ? html`<strong>${counted(ratings, 'rating')}</strong> from ${counted(source_handles, 'listing')} of ${counted(sources, 'account')}, last ${day(last_at)}`
    : html`<strong>none</strong>`;

const group = (name: string, meaning: string, counts: RatingCounts) => html`
<div>
<h3>${name}</h3>
<p class="note">${meaning}</p>
<p>${figures(counts)}</p>
${counts.last_at && html`<dl class="facts inline"><div><dt>Outcomes</dt><dd>${countsText(counts.outcomes)}</dd></div><div><dt>Scores, each of its source</dt><dd>${scoresText(counts.scores)}</dd></div></dl>`}
</div>`;

const flagged = (flags: NativeSignals['flags']) => {
  const counts = Object.entries(flags).map(([flag, ratings]) => `${toLabel(flag)} ${ratings}`);
  return counts.length > 0 ? html`<p class="note">Flags, computed here: ${counts.join(', ')}.</p>` : '';
};

/** Native ratings as counts of each group; never an average. */
export const nativeCounts = (native: NativeSignals): Html => html`
<div class="groups">
${shownGroups(native).map((one) => group(groupTexts[one].name, groupTexts[one].meaning, native[one]))}
</div>
${flagged(native.flags)}`;

function known(
  { handle, signals: { native }, evidence_snapshot_date }: ListingDocument,
  months: readonly MonthCount[],
) {
  if (native.ratings === 0 && native.recent.length === 0) return '';
  return html`
${native.ratings > 0 ? html`${nativeCounts(native)}${monthChart(months, evidence_snapshot_date)}` : ''}
<h3>Newest</h3>
<ol class="records">${native.recent.map(ratingItem)}</ol>
<p><a href="${pagePath(handle)}/ratings">All records of native ratings, with what was amended and withdrawn</a></p>`;
}

/** The block of native ratings, or the statement that there are none. */
export const nativeBlock = (listing: ListingDocument, months: readonly MonthCount[]): Html => html`
<section class="evidence native" aria-labelledby="native">
<h2 id="native">Native ratings</h2>
<p class="statement">${listing.signals.native.statement}</p>
<p class="source">Source: ratings made on this service by claimed listings. As of ${day(listing.evidence_snapshot_date)}.</p>
${known(listing, months)}
</section>`;
