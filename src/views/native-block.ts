import { html } from 'hono/html';
import type { ListingDocument, NativeSignals } from '../evidence/listing-document.ts';
import type { RatingCounts, RatingRecord, ShortRating } from '../evidence/rating.ts';
import { day, type Html, handleLink, minute, pagePath } from './html.ts';
import { countsText } from './listing-words.ts';

const fact = (name: string, value: Html | string | number | undefined) =>
  value === undefined || value === '' ? '' : html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

/** What a record is shown of: all of it where it is listed, the short form on the page of a listing. */
type ShownRating = ShortRating & Partial<RatingRecord>;

const sourceNote = (rating: ShownRating) =>
  rating.independent ? '' : html` <span class="flag">related source</span>`;

function ratingFacts(rating: ShownRating) {
  return html`
<dl class="facts">
${fact('Protocol', rating.protocol)}
${fact('Operation', rating.operation)}
${fact('Version', rating.subject_version)}
${fact('Score of this source', rating.score)}
${fact('Latency', rating.latency_ms === undefined ? undefined : `${rating.latency_ms} ms`)}
${fact('Relation', rating.relationship)}
${fact('Interaction', minute(rating.interaction_at))}
${fact('Source account', rating.source_root)}
${fact('Flags', rating.flags.join(', '))}
${fact('Log index', rating.log_index)}
</dl>`;
}

const responseBlock = ({ text, created_at, log_index }: NonNullable<ShownRating['response']>) => html`
<p>Response of the rated listing, ${day(created_at)}, log index ${log_index}:</p>
<blockquote class="foreign">${text}</blockquote>`;

const ratingTexts = (rating: ShownRating) => html`
${rating.comment && html`<blockquote class="foreign">${rating.comment}</blockquote>`}${ratingFacts(rating)}${rating.response && responseBlock(rating.response)}`;

function standing({ withdrawn_at, superseded_by, outcome }: ShownRating): string {
  if (withdrawn_at) return 'withdrawn';
  return superseded_by ? `superseded: ${outcome}` : outcome;
}

/** One native rating with its source; withdrawn ones are tombstones. Its texts are those of source and subject. */
export const ratingItem = (rating: ShownRating): Html => html`
<li class="record" id="${rating.id}">
<p class="record-head"><span class="outcome">${standing(rating)}</span> from ${handleLink(rating.source_handle)}${sourceNote(rating)} <span class="when">${day(rating.created_at)}</span></p>
${rating.withdrawn_at ? html`<p>Withdrawn by its source on ${day(rating.withdrawn_at)}.</p>` : ratingTexts(rating)}
${rating.superseded_by && html`<p>Not counted: amended later by <code>${rating.superseded_by}</code>.</p>`}
${rating.supersedes && html`<p>Amends <code>${rating.supersedes}</code>.</p>`}
</li>`;

const countsRow = (name: string, counts: RatingCounts) => html`
<tr><th scope="row">${name}</th><td>${counts.ratings}</td><td>${counts.sources}</td><td>${counts.control_roots}</td><td>${countsText(counts.outcomes)}</td><td>${countsText(counts.scores)}</td><td>${counts.last_at ? day(counts.last_at) : 'never'}</td></tr>`;

/** Native ratings as counts, split by independence; never an average. */
export const nativeCounts = ({ independent, related }: NativeSignals): Html => html`
<div class="scroll" tabindex="0" role="region" aria-label="Counts of native ratings"><table>
<thead><tr><th scope="col">Sources</th><th scope="col">Ratings</th><th scope="col">Listings</th><th scope="col">Accounts</th><th scope="col">Outcomes</th><th scope="col">Scores</th><th scope="col">Last</th></tr></thead>
<tbody>${countsRow('Independent', independent)}${countsRow('Related', related)}</tbody>
</table></div>`;

/** The block of native ratings: ratings made here by claimed listings, or the statement that there are none. */
export const nativeBlock = ({
  handle,
  signals: { native },
  evidence_snapshot_date,
}: ListingDocument): Html => html`
<section class="evidence native" aria-labelledby="native">
<h2 id="native">Native ratings</h2>
<p class="statement">${native.statement}</p>
<p class="source">Source: ratings made on this service by claimed listings. As of ${day(evidence_snapshot_date)}.</p>
${
  native.ratings === 0 && native.recent.length === 0
    ? ''
    : html`${nativeCounts(native)}
<ol class="records">${native.recent.map(ratingItem)}</ol>
<p><a href="${pagePath(handle)}/ratings">All records of native ratings, with what was amended and withdrawn</a></p>`
}
</section>`;
