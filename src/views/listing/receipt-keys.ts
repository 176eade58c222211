import { html } from 'hono/html';
import type { ShownReceiptKey } from '../../evidence/claim/receipt-keys.ts';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import { type Html, minute, pagePath } from '../layout/html.ts';
import { toLabel } from '../layout/labels.ts';

const item = ({ kid, jwk, kind, valid_from, valid_until, commit, ...place }: ShownReceiptKey) => html`
<li><code class="foreign">${kid}</code> (${jwk.crv}), first seen ${minute(valid_from)} at <span class="foreign">${place.repository ?? place.domain}</span> (${toLabel(kind)})${commit ? html`, commit <code>${commit.slice(0, 12)}</code>` : ''}${valid_until ? html`; counted until ${minute(valid_until)}` : ''}</li>`;

/** The keys that check the listing's receipts, newest first; nothing for a listing without any. */
export const receiptKeys = ({ handle, claim }: ListingDocument): Html | '' =>
  claim?.receipt_keys === undefined
    ? ''
    : html`
<section aria-labelledby="receipt-keys"><h3 id="receipt-keys">Keys for receipts</h3>
<p class="note">The service signs receipts of interactions with these keys. The public keys are in <a href="${pagePath(handle)}.json">the JSON of this listing</a>, so that a receipt can be checked offline.</p>
<ul class="plain">${claim.receipt_keys.map(item)}</ul></section>`;
