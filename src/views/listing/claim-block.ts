import { html } from 'hono/html';
import type { ClaimEvent, ListingDocument } from '../../evidence/listing/listing-document.ts';
import { day, type Html, pagePath } from '../layout/html.ts';
import { matchTexts, notClaimed, toLabel } from '../layout/labels.ts';

type Claim = NonNullable<ListingDocument['claim']>;

const event = ({ type, at, commit, reason, log_index }: ClaimEvent) => html`
<li>${day(at)} ${toLabel(type)}${commit ? html` at <code>${commit.slice(0, 12)}</code>` : ''}${reason ? ` (${toLabel(reason)})` : ''} <span class="note">log index ${log_index}</span></li>`;

const timeline = (history: readonly ClaimEvent[]) => html`<ol class="timeline">${history.map(event)}</ol>`;

const facts = (claim: Claim) => html`
<p>${claim.statement}</p>
<p>${matchTexts[claim.namespace_matches_repository_owner]} Last checked on ${day(claim.checked_at)}.${claim.suspended_reason ? ` Suspended: ${toLabel(claim.suspended_reason)}.` : ''}</p>
<h3>History of the claim</h3>
${timeline(claim.history)}`;

const unclaimed = ({ history }: ListingDocument) => html`
<p>${notClaimed}</p>
${history && html`<h3>History of the listing</h3>${timeline(history)}`}`;

/** The claim of a listing with its history, or that it is not claimed, and a link to how to claim it. */
export const claimBlock = (listing: ListingDocument): Html => html`
<section aria-labelledby="claim">
<h2 id="claim">Claim</h2>
${listing.claim ? facts(listing.claim) : unclaimed(listing)}
<p><a class="button" href="${pagePath(listing.handle)}/claim">How to claim ${listing.handle}</a></p>
</section>`;
