import { html } from 'hono/html';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import type { Html } from '../layout/html.ts';
import { stateText } from '../layout/labels.ts';

/** What buyers ask about the listing and what is not known, each with its reason. */
export const notKnownBlock = ({ not_known }: ListingDocument): Html => html`
<section class="evidence" aria-labelledby="not-known">
<h2 id="not-known">Not known</h2>
<dl class="ledger">${not_known.map(({ question, state, reason }) => html`<div><dt>${question}</dt><dd>${reason}</dd><dd class="when">${stateText(state)}</dd></div>`)}</dl>
</section>`;
