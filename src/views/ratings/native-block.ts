import { html } from 'hono/html';
import type { ListingDocument, NativeSignals } from '../../evidence/listing/listing-document.ts';
import { groupTexts, shownGroups } from '../../evidence/rating/groups.ts';
import type { MonthCount } from '../../evidence/rating/month-counts.ts';
import type { RatingCounts } from '../../evidence/rating/rating.ts';
import { counted } from '../../evidence/text/plural.ts';
import { day, type Html, pagePath } from '../layout/html.ts';
import { proofSentences, proofsText, scoresText } from '../layout/labels.ts';
import { monthChart } from './month-chart.ts';
import { outcomeCounts } from './outcome.ts';
import { ratingItem } from './rating-item.ts';

/** Ratings from which on their course over months says more than their counts. */
const chartFrom = 10;

const figures = ({ ratings, sources, source_handles, last_at }: RatingCounts) =>
  last_at
    ? html`<b>${counted(sources, 'source')}</b>, ${counted(ratings, 'rating')} from ${counted(source_handles, 'listing')}, last ${day(last_at)}`
    : html`<b>0</b> none recorded`;

/** What each source said last, if one made several ratings. */
const newest = ({ ratings, sources, source_outcomes }: RatingCounts) =>
  sources < ratings ? html`<p>Newest of each source: ${outcomeCounts(source_outcomes)}</p>` : '';

const group = (name: string, counts: RatingCounts, meaning?: string) => html`
<div>
<h3>${name}</h3>
<p class="figures">${figures(counts)}</p>
${counts.last_at && html`${newest(counts)}<p>${outcomeCounts(counts.outcomes)}</p><p class="note">Proof: ${proofsText(counts.by_proof)}</p>`}
${meaning && html`${scores(counts)}<p class="note">${meaning}</p>`}
</div>`;

const scores = ({ scores: made }: RatingCounts) =>
  Object.values(made).some((count) => count > 0)
    ? html`<p class="note">Scores, each as its source gave it: ${scoresText(made)}</p>`
    : '';

/** What the counted classes of proof show and do not. */
const proofNote = ({ proof_meanings }: NativeSignals) =>
  html`${proofSentences(proof_meanings).map((sentence) => html`<p class="note">${sentence}</p>`)}`;

/** Native ratings as counts of each group, with what the group means; never an average. */
export const nativeCounts = (native: NativeSignals): Html => html`
<div class="groups">
${shownGroups(native).map((one) => group(groupTexts[one].name, native[one], groupTexts[one].meaning))}
</div>
${proofNote(native)}`;

const countsInBrief = (native: NativeSignals): Html => html`
<div class="groups">${shownGroups(native).map((one) => group(groupTexts[one].name, native[one]))}</div>
<details class="wide-open"><summary>What these proofs show</summary>${proofNote(native)}</details>`;

function known(
  { handle, signals: { native }, evidence_snapshot_date }: ListingDocument,
  months: readonly MonthCount[],
) {
  const { ratings, recent } = native;
  if (ratings === 0 && recent.length === 0) return '';
  return html`
${ratings > 0 ? countsInBrief(native) : ''}
${ratings >= chartFrom ? html`<details class="wide-open"><summary>Outcomes by month</summary>${monthChart(months, evidence_snapshot_date)}</details>` : ''}
<details class="wide-open"><summary>The newest ${recent.length === 1 ? 'rating' : `${recent.length} ratings`}</summary>
<ol class="records">${recent.map(ratingItem)}</ol></details>
<p><a href="${pagePath(handle)}/ratings">All records of native ratings, with what was amended and withdrawn</a></p>`;
}

/** The block of native ratings, or the statement that there are none; each rating stands on the ratings page in full. */
export const nativeBlock = (listing: ListingDocument, months: readonly MonthCount[]): Html => html`
<section class="native" aria-labelledby="native">
<h2 id="native">Native ratings</h2>
<p class="statement">${listing.signals.native.statement}</p>
<p class="source">Made on this service by claimed listings; kept apart from everything above. As of ${day(listing.evidence_snapshot_date)}.</p>
${known(listing, months)}
</section>`;
