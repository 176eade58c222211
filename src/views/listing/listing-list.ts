import { html } from 'hono/html';
import type { ShortListing } from '../../evidence/listing/short-listing.ts';
import { foundText, marked } from '../layout/highlight.ts';
import { day, type Html, pagePath } from '../layout/html.ts';
import { stateTexts } from '../layout/labels.ts';

function facts(listing: ShortListing, words: readonly string[]) {
  const found = foundText(listing, words);
  return html`<ul class="row-facts">
${found && html`<li class="found">${found}</li>`}
<li>${listing.has_native_ratings ? 'native ratings' : 'no native ratings'}</li>
<li>${stateTexts[listing.state].toLowerCase()}</li>
<li>${listing.endpoint ? 'remote endpoint' : 'no remote endpoint'}</li>
<li>updated ${day(listing.updated_at)}</li>
</ul>`;
}

const tagLink = (tag: string, words: readonly string[]) =>
  html`<a class="tag" href="/tags/${encodeURIComponent(tag)}">${marked(tag, words)}</a>`;

/** What can be done with a listing where it stands in a list. */
export type RowAction = (listing: ShortListing) => Html;

const row = (listing: ShortListing, words: readonly string[], action?: RowAction) => html`
<li class="card">
<h3><a class="handle" href="${pagePath(listing.handle)}">${marked(listing.handle, words)}</a></h3>
${listing.title && html`<p class="row-title foreign">${marked(listing.title, words)}</p>`}
<p class="foreign">${marked(listing.description, words)}</p>
${facts(listing, words)}
${listing.tags.length > 0 ? html`<p class="tags">${listing.tags.map((tag) => tagLink(tag, words))}</p>` : ''}
${action && html`<p class="row-action">${action(listing)}</p>`}
</li>`;

/** Rows of a list: names, titles and descriptions are the publishers', the words of a search marked in them. */
export const listingRows = (
  listings: readonly ShortListing[],
  words: readonly string[] = [],
  action?: RowAction,
): Html => html`${listings.map((listing) => row(listing, words, action))}`;

/** Listings in brief: the handle, what its publisher says it does, and one fact. */
export const briefList = (listings: readonly ShortListing[], fact: (listing: ShortListing) => Html): Html =>
  html`<ul class="cards brief">${listings.map(
    (listing) => html`
<li class="card"><h3><a class="handle" href="${pagePath(listing.handle)}">${listing.handle}</a></h3>
<p class="foreign">${listing.description}</p>
<p class="note">${fact(listing)}</p></li>`,
  )}</ul>`;
