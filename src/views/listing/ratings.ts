import { html } from 'hono/html';
import type { z } from 'zod';
import { amount } from '../../core/text.ts';
import { isEmpty } from '../../core/words.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import { groupParts } from '../../document/rated.ts';
import { countedOrNone, proofSentences, toLabel } from '../../document/words.ts';
import type { ModerationNotice } from '../../moderation/moderation.ts';
import { groupTexts, shownGroups } from '../../ratings/groups.ts';
import { countProofs, proofClasses, proofTexts } from '../../ratings/proof.ts';
import {
  fromListed,
  type MonthCount,
  maxRatingsByMonth,
  monthsFrom,
  monthsUntil,
  type NativeSignals,
  outcomes,
  type RatingCounts,
  type RatingFilter,
  type ShownRating,
} from '../../ratings/rating.ts';
import type { listRatings } from '../../tools/list-ratings.ts';
import { day, fact, type Html, handleLink, minute, originNote, pagePath, toHtml } from '../html.ts';
import type { PageSite } from '../layout.ts';
import { type RefusedResponse, refusal, respondForm } from './respond.ts';
import { toListingPart } from './tabs.ts';

function monthTable(counts: readonly MonthCount[], date: string): Html {
  const months = monthsUntil(date);
  const cell = (month: string, isIndependent: boolean) => {
    const made = counts.filter(
      (one) => one.month === month && (one.group === 'independent') === isIndependent,
    );
    const byOutcome = Map.groupBy(made, ({ outcome }) => outcome);
    return toHtml(
      countedOrNone(
        Object.fromEntries(outcomes.map((outcome) => [outcome, sumOf(byOutcome.get(outcome) ?? [])])),
      ),
    );
  };
  return html`
<p class="note">${months[0]} to ${months.at(-1)}${sumOf(counts) >= maxRatingsByMonth && `, of the newest ${amount(maxRatingsByMonth)} ratings`}.</p>
<table class="months"><thead><tr><th scope="col">Month</th><th scope="col">Independent</th><th scope="col">All other groups</th></tr></thead>
<tbody>${months.toReversed().map((month) => html`<tr><th scope="row">${month}</th><td>${cell(month, true)}</td><td>${cell(month, false)}</td></tr>`)}</tbody></table>`;
}

const sumOf = (counts: readonly MonthCount[]) => counts.reduce((sum, { ratings }) => sum + ratings, 0);

/** Differ by shape and weight, never by colour. */
const outcomeMark = (outcome: string, text = outcome): Html =>
  html`<span class="outcome of-${outcome}">${text}</span>`;

const outcomeCounts = (counts: RatingCounts['outcomes']): Html =>
  html`${outcomes.filter((outcome) => counts[outcome] > 0).map((outcome) => html`${outcomeMark(outcome, `${amount(counts[outcome])} ${outcome}`)} `)}`;

export const noticesBlock = (notices: readonly ModerationNotice[] = []): Html =>
  html`${notices.map(
    ({ statement, log_index }) =>
      html`<p class="notice">${statement} <a href="/log/entry/${log_index}">Log entry ${log_index}</a>. <a href="/about#operator">Appeal to the operator</a>.</p>`,
  )}`;

const isCounted = ({ withdrawn_at, superseded_by, voided_at }: ShownRating) =>
  !withdrawn_at && !superseded_by && !voided_at;

/** A reason without a date only repeats the group's meaning. */
const hasDate = /\d{4}-/;

function ratingFacts(rating: ShownRating) {
  return html`
<dl class="facts inline">
${fact('Score of this source', rating.score)}
${fact('Relation', toLabel(rating.relationship))}
${fact('Protocol', rating.protocol)}
${fact('Operation', rating.operation && html`<span class="foreign">${rating.operation}</span>`)}
${fact('Record version', rating.subject_version && html`<span class="foreign">${rating.subject_version}</span>`)}
${fact('Latency', rating.latency_ms === undefined ? undefined : `${amount(rating.latency_ms)} ms`)}
${fact('Interaction', minute(rating.interaction_at))}
${fact('Source account', html`<span class="foreign">${rating.source_root}</span>`)}
${fact('Proof', rating.proof_class !== 'none' && proofTexts[rating.proof_class].name)}
${fact('Group', hasDate.test(rating.group_reason ?? '') && rating.group_reason)}
${fact('Stated later', rating.overlap_stated_later)}
${fact('Flags', rating.flags?.map(toLabel).join(', '))}
${fact(
  'Pointers given by the source, never fetched',
  rating.evidence &&
    html`<ul class="plain">${rating.evidence.map(({ kind, value }) => html`<li>${toLabel(kind)} <code class="foreign">${value}</code></li>`)}</ul>`,
)}
${fact('Log index', html`<a href="/log/entry/${rating.log_index}">${rating.log_index}</a>`)}
</dl>
<p class="note"><a href="/feedback?category=report&amp;rating_id=${rating.rating_id}" rel="nofollow">Report this rating</a></p>`;
}

function responseBlock(response: NonNullable<ShownRating['response']>): Html {
  const { text, created_at, log_index, erased_at, hidden_at, moderation } = response;
  if (hidden_at || erased_at)
    return html`<p class="note">Response of the rated listing, ${day(created_at)}, log index ${log_index}${erased_at && html`: its text was erased by the operator on ${day(erased_at)}`}.</p>${noticesBlock(moderation)}`;
  return html`
<div class="response"><p class="note">Response of the rated listing, ${day(created_at)}, log index ${log_index}:</p>
<blockquote class="foreign">${text}</blockquote></div>`;
}

function standing({ withdrawn_at, superseded_by, erased_at, voided_at, outcome }: ShownRating): string {
  if (erased_at) return 'erased';
  if (voided_at) return `voided: ${outcome}`;
  if (withdrawn_at) return 'withdrawn';
  return superseded_by ? `superseded: ${outcome}` : outcome;
}

const tombstone = ({ withdrawn_at = '', erased_at, log_index }: ShownRating) =>
  erased_at
    ? html`<p>Erased by the operator on ${day(erased_at)}; log index ${log_index}. Not counted.</p>`
    : html`<p>Withdrawn by its source on ${day(withdrawn_at)}. Not counted.</p>`;

/** Only a tombstone of withdrawn or erased ones. */
const ratingItem = (rating: ShownRating, form?: Html | ''): Html => html`
<li class="record${isCounted(rating) ? '' : ' uncounted'}" id="${rating.rating_id}">
<p class="record-head"><span class="when">${day(rating.created_at)}</span> ${outcomeMark(isCounted(rating) ? rating.outcome : 'uncounted', standing(rating))} from ${handleLink(rating.source_handle)}${rating.group ? html` <span class="flag">${groupTexts[rating.group].name.toLowerCase()}</span>` : ''}</p>
${noticesBlock(rating.moderation)}${
  rating.withdrawn_at
    ? tombstone(rating)
    : html`
${rating.comment && html`<blockquote class="foreign">${rating.comment}</blockquote>`}${ratingFacts(rating)}${rating.response && responseBlock(rating.response)}`
}
${rating.superseded_by && html`<p class="note">Not counted: amended later by <a href="#${rating.superseded_by}"><code>${rating.superseded_by}</code></a>.</p>`}
${rating.supersedes && html`<p class="note">Amends <code>${rating.supersedes}</code>.</p>`}${form}
</li>`;

/** Scores only with `meaning`. */
function group(name: string, counts: RatingCounts, meaning?: string): Html {
  const parts = groupParts(counts);
  if (!parts)
    return html`
<div>
<h3>${name}</h3>
<p class="figures"><b>0</b> none recorded</p>
${meaning && html`<p class="note">${meaning}</p>`}
</div>`;
  const { sources, ratings, listings, newest, scores, proof, last } = parts;
  return html`
<div>
<h3>${name}</h3>
<p class="figures"><b>${toHtml(sources)}</b>, ${toHtml(ratings)} from ${toHtml(listings)}, last ${toHtml(last)}</p>
${!isEmpty(newest) && html`<p>Newest of each source: ${outcomeCounts(counts.source_outcomes)}</p>`}<p>${outcomeCounts(counts.outcomes)}</p><p class="note">Proof: ${isEmpty(proof) ? 'none' : toHtml(proof)}</p>
${meaning && html`${!isEmpty(scores) && html`<p class="note">Scores as their sources gave them: ${toHtml(scores)}</p>`}<p class="note">${meaning}</p>`}
</div>`;
}

const proofNote = ({ proof_meanings }: NativeSignals) =>
  html`${proofSentences(proof_meanings).map((sentence) => html`<p class="note">${sentence}</p>`)}`;

function known(
  { handle, signals: { native }, evidence_snapshot_date }: ListingDocument,
  months: readonly MonthCount[],
) {
  const { ratings, recent } = native;
  return html`
${
  ratings > 0 &&
  html`
<div class="groups">${shownGroups(native).map((one) => group(groupTexts[one].name, native[one]))}</div>
<details><summary>What these proofs show</summary>${proofNote(native)}</details>`
}
${ratings >= monthsFrom ? html`<details><summary>Outcomes by month</summary>${monthTable(months, evidence_snapshot_date)}</details>` : ''}
${
  recent.length > 0 &&
  html`
<details><summary>The newest ${recent.length === 1 ? 'rating' : `${recent.length} ratings`}</summary>
<ol class="records">${recent.map((one) => ratingItem(one))}</ol></details>`
}
<p><a href="${pagePath(handle)}/ratings">All ratings, with what was amended and withdrawn</a></p>`;
}

/** The answers above say if there is none. */
export const nativeBlock = (listing: ListingDocument, months: readonly MonthCount[]) =>
  listing.signals.native.ratings + listing.signals.native.recent.length > 0 &&
  html`
<section class="native" aria-labelledby="native">
<h2 id="native">Ratings</h2>
<p class="statement">${listing.signals.native.statement}</p>
${known(listing, months)}
</section>`;

function ratingsPath(handle: string, filter: RatingFilter, cursor?: string): string {
  const { outcome, group, proof_class } = filter;
  const parameters = Object.entries({ outcome, group, proof_class, cursor }).filter(
    ([, value]) => value !== undefined,
  );
  const query = new URLSearchParams(parameters as [string, string][]);
  return `${pagePath(handle)}/ratings${query.size > 0 ? `?${query}` : ''}`;
}

/**
 * Always each outcome, independent ratings, `none` and what is chosen; others only with ratings. Without
 * numbers, which would be of all groups together.
 */
function ratingFilters({ handle, signals: { native } }: ListingDocument, now: RatingFilter): Html {
  const counted = countProofs(native);
  const classes = proofClasses.filter(
    (name) => name === 'none' || name === now.proof_class || name in counted,
  );
  const facets = [
    ['outcome', 'Outcome', 'any outcome', outcomes.map((name) => [name, name])],
    ['group', 'Group', 'any group', shownGroups(native).map((name) => [name, groupTexts[name].name])],
    ['proof_class', 'Proof', 'with or without proof', classes.map((name) => [name, proofTexts[name].name])],
  ] as const;
  const link = (text: string, filter: RatingFilter) => {
    const path = ratingsPath(handle, filter);
    const isNow = path === ratingsPath(handle, now);
    return html`<li><a href="${path}" rel="nofollow"${isNow ? html` aria-current="true"` : ''}>${text}</a></li>`;
  };
  return html`
<nav class="choices" aria-label="Filter the ratings">${facets.map(
    ([name, title, any, values]) => html`
<ul aria-label="${title}">${link(any, { ...now, [name]: undefined })}${values.map(([value = '', text = '']) => link(text.toLowerCase(), { ...now, [name]: value }))}</ul>`,
  )}
</nav>`;
}

const isFiltered = (filter: RatingFilter) => Object.values(filter).some((value) => value !== undefined);

interface ShownRatings {
  readonly answer: z.output<typeof listRatings.output>;
  readonly filter: RatingFilter;
  readonly refused?: RefusedResponse;
}

function records(
  { answer: { next_cursor, ...answer }, filter, refused }: ShownRatings,
  { state }: ListingDocument,
) {
  const { handle, ratings } = answer;
  const what = isFiltered(filter)
    ? 'Counted ratings that match, newest first'
    : 'All records, newest first. Superseded, withdrawn and voided ones are listed but not counted';
  const none =
    isFiltered(filter) &&
    html`<p>No counted rating matches. <a href="${ratingsPath(handle, {})}">All records</a></p>`;
  return html`
<h2 id="records">Records</h2>
<p class="note">${what}. A record that names no proof has none.</p>
${ratings.length > 0 ? html`<ol class="records">${fromListed(answer).map((one) => ratingItem(one, state === 'claimed' ? respondForm(handle, one, refused) : ''))}</ol>` : none}
${next_cursor && html`<p class="more"><a class="button" rel="next" href="${ratingsPath(handle, filter, next_cursor)}">Older ratings</a></p>`}`;
}

/** Without a filter, also records that do not count. */
export const toRatingsPage = (site: PageSite, listing: ListingDocument, shown: ShownRatings): Html => {
  const { answer, filter, refused } = shown;
  const { native } = listing.signals;
  return toListingPart(site, listing, 'Ratings', {
    description: `Every rating of ${listing.handle} made here, with its source and date, superseded and withdrawn ones included. There is no average.`,
    body: html`
${originNote(listing)}${refused && refusal(refused)}
<p class="statement">${answer.statement}</p>
<p>Sources are claimed listings. Comments are the words of the source, and responses are the words of the rated listing${listing.state === 'claimed' ? '' : ', which responds here once it is claimed'}. There is no average.</p>
${
  native.ratings > 0 &&
  html`<h2>Counts</h2>
<div class="groups">
${shownGroups(native).map((one) => group(groupTexts[one].name, native[one], groupTexts[one].meaning))}
</div>
${proofNote(native)}${ratingFilters(listing, filter)}`
}
${native.ratings > 0 || answer.ratings.length > 0 ? records(shown, listing) : ''}`,
  });
};
