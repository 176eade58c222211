import { html } from 'hono/html';
import type { ShortListing } from '../document/listing-document.ts';
import { stateTexts } from '../document/words.ts';
import { day, type Html, highlight, pagePath, type SearchWords, toSearchWords } from './html.ts';

/** What the record has; a template of an address is recorded, but is no endpoint that can be called. */
function endpointText({ endpoint, tags }: ShortListing): string {
  if (endpoint) return 'endpoint recorded';
  return tags.includes('remote') ? 'endpoint recorded as a template' : 'no endpoint recorded';
}

const facts = (listing: ShortListing) =>
  html`<ul class="row-facts">
${listing.sample && html`<li>sample</li>`}
${listing.matched && html`<li class="found">${listing.matched}</li>`}
${listing.placeholder_description && html`<li>the description is a placeholder</li>`}
<li>${listing.has_native_ratings ? 'native ratings' : 'no native ratings'}</li>
<li>${stateTexts[listing.state].toLowerCase()}</li>
<li>${endpointText(listing)}</li>
<li>updated ${day(listing.updated_at)}</li>
</ul>`;

export type RowAction = (listing: ShortListing) => Html;

const row = (listing: ShortListing, words: SearchWords, action?: RowAction) => html`
<li class="card">
<h3><a class="handle" href="${pagePath(listing.handle)}">${highlight(listing.handle, words)}</a></h3>
${listing.title && html`<p class="row-title foreign">${highlight(listing.title, words)}</p>`}
${listing.hidden ? html`<p class="note">${listing.hidden}</p>` : html`<p class="foreign">${highlight(listing.description, words)}</p>`}
${facts(listing)}
${listing.tags.length > 0 ? html`<p class="tags">${listing.tags.map((tag) => html`<a class="tag" href="/tags/${encodeURIComponent(tag)}">${highlight(tag, words)}</a>`)}</p>` : ''}
${action && html`<p class="row-action">${action(listing)}</p>`}
</li>`;

/** Listings as rows, with the words of a search highlighted in the publishers' texts. */
export const listingRows = (listings: readonly ShortListing[], query = '', action?: RowAction): Html => {
  const words = toSearchWords(query);
  return html`${listings.map((listing) => row(listing, words, action))}`;
};
