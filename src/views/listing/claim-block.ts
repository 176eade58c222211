import { html } from 'hono/html';
import type { ClaimEvent, ListingDocument } from '../../evidence/listing/listing-document.ts';
import { day, type Html, pagePath } from '../layout/html.ts';
import { matchTexts, notClaimed, toLabel } from '../layout/labels.ts';

type Claim = NonNullable<ListingDocument['claim']>;

const event = ({ type, at, commit, reason, log_index }: ClaimEvent) => html`
<li>${day(at)} ${toLabel(type)}${commit ? html` at <code>${commit.slice(0, 12)}</code>` : ''}${reason ? ` (${toLabel(reason)})` : ''} <span class="note">log index ${log_index}</span></li>`;

const facts = (claim: Claim) => html`
<p>${claim.statement}</p>
<p>${matchTexts[claim.namespace_matches_repository_owner]} Last checked on ${day(claim.checked_at)}.${claim.suspended_reason ? ` Suspended: ${toLabel(claim.suspended_reason)}.` : ''}</p>
<h3>History of the claim</h3>
<ol class="timeline">${claim.history.map(event)}</ol>`;

/** The claim of a listing with its history, or that it is not claimed, and a link to how to claim it. */
export const claimBlock = ({ handle, claim }: ListingDocument): Html => html`
<section aria-labelledby="claim">
<h2 id="claim">Claim</h2>
${claim ? facts(claim) : html`<p>${notClaimed}</p>`}
<p><a class="button" href="${pagePath(handle)}/claim">How to claim ${handle}</a></p>
</section>`;
