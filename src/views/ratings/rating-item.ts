import { html } from 'hono/html';
import { groupTexts } from '../../evidence/rating/groups.ts';
import { proofTexts } from '../../evidence/rating/proof/proof-classes.ts';
import type { RatingRecord, ShortRating } from '../../evidence/rating/rating.ts';
import { amount } from '../../evidence/text/plural.ts';
import { day, type Html, handleLink, minute } from '../layout/html.ts';
import { toLabel } from '../layout/labels.ts';
import { noticesBlock } from './notices-block.ts';
import { outcomeMark } from './outcome.ts';

const fact = (name: string, value: Html | string | number | false | undefined) =>
  value === undefined || value === '' || value === false
    ? ''
    : html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

/** A rating record in full, or in short as on the page of a listing. */
type ShownRating = ShortRating & Partial<RatingRecord>;

const isCounted = ({ withdrawn_at, superseded_by, voided_at }: ShownRating) =>
  !withdrawn_at && !superseded_by && !voided_at;

const groupNote = (rating: ShownRating) =>
  isCounted(rating) ? html` <span class="flag">${groupTexts[rating.group].name.toLowerCase()}</span>` : '';

const pointers = ({ evidence }: ShownRating) =>
  evidence &&
  html`<ul class="plain">${evidence.map(({ kind, value }) => html`<li>${toLabel(kind)} <code class="foreign">${value}</code></li>`)}</ul>`;

function ratingFacts(rating: ShownRating) {
  return html`
<dl class="facts inline">
${fact('Score of this source', rating.score)}
${fact('Relation', rating.relationship)}
${fact('Protocol', rating.protocol)}
${fact('Operation', rating.operation && html`<span class="foreign">${rating.operation}</span>`)}
${fact('Version', rating.subject_version && html`<span class="foreign">${rating.subject_version}</span>`)}
${fact('Latency', rating.latency_ms === undefined ? undefined : `${amount(rating.latency_ms)} ms`)}
${fact('Interaction', minute(rating.interaction_at))}
${fact('Source account', html`<span class="foreign">${rating.source_root}</span>`)}
${fact('Proof', proofTexts[rating.proof_class].name)}
${fact('Group', isCounted(rating) && rating.group_reason)}
${fact('Stated later', isCounted(rating) && rating.overlap_stated_later)}
${fact('Flags', rating.flags.map(toLabel).join(', '))}
${fact('Pointers given by the source, never fetched', pointers(rating))}
${fact('Log index', html`<a href="/log/entry/${rating.log_index}">${rating.log_index}</a>`)}
</dl>
<p class="note"><a href="/feedback?category=report&amp;rating_id=${rating.rating_id}" rel="nofollow">Report this rating</a></p>`;
}

function responseBlock(response: NonNullable<ShownRating['response']>): Html {
  const { text, created_at, log_index, erased_at, hidden_at, moderation } = response;
  if (hidden_at && !erased_at)
    return html`<p class="note">Response of the rated listing, ${day(created_at)}, log index ${log_index}.</p>${noticesBlock(moderation)}`;
  return erased_at
    ? html`<p class="note">Response of the rated listing, ${day(created_at)}, log index ${log_index}: its text was erased by the operator on ${day(erased_at)}.</p>${noticesBlock(moderation)}`
    : html`
<div class="response"><p class="note">Response of the rated listing, ${day(created_at)}, log index ${log_index}:</p>
<blockquote class="foreign">${text}</blockquote></div>`;
}

const ratingTexts = (rating: ShownRating) => html`
${rating.comment && html`<blockquote class="foreign">${rating.comment}</blockquote>`}${ratingFacts(rating)}${rating.response && responseBlock(rating.response)}`;

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

const uncounted = (rating: ShownRating) => (isCounted(rating) ? '' : ' uncounted');

const head = (rating: ShownRating) => html`
<p class="record-head"><span class="when">${day(rating.created_at)}</span> ${outcomeMark(isCounted(rating) ? rating.outcome : 'uncounted', standing(rating))} from ${handleLink(rating.source_handle)}${groupNote(rating)}</p>`;

/** One native rating with its source and the texts of both listings; a withdrawn one is a tombstone. */
export const ratingItem = (rating: ShownRating): Html => html`
<li class="record${uncounted(rating)}" id="${rating.rating_id}">
${head(rating)}
${noticesBlock(rating.moderation)}${rating.withdrawn_at ? tombstone(rating) : ratingTexts(rating)}
${rating.superseded_by && html`<p class="note">Not counted: amended later by <a href="#${rating.superseded_by}"><code>${rating.superseded_by}</code></a>.</p>`}
${rating.supersedes && html`<p class="note">Amends <code>${rating.supersedes}</code>.</p>`}
</li>`;
