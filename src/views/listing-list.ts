import { html } from 'hono/html';
import type { ShortListing } from '../evidence/short-listing.ts';
import { day, type Html, pagePath, tagLink } from './html.ts';

const evidence = ({ state, has_native_ratings }: ShortListing) => {
  const claimed = { imported: 'not claimed', claimed: 'claimed', suspended: 'claim suspended' }[state];
  return `${has_native_ratings ? 'native ratings' : 'no native ratings'}, ${claimed}`;
};

const item = (listing: ShortListing) => html`
<li class="card">
<h3><a class="handle" href="${pagePath(listing.handle)}">${listing.handle}</a></h3>
<p class="foreign">${listing.description}</p>
<p class="note">${evidence(listing)}; ${listing.endpoint ? 'remote endpoint' : 'no remote endpoint'}; updated ${day(listing.updated_at)}${listing.found_in && listing.found_in !== 'text' ? `; found in its ${listing.found_in}` : ''}</p>
${listing.tags.length > 0 ? html`<p class="tags">${listing.tags.map((tag) => tagLink(tag))}</p>` : ''}
</li>`;

/** Short listings, one card each; the names and descriptions are the publishers'. */
export const listingList = (listings: readonly ShortListing[]): Html =>
  html`<ul class="cards">${listings.map(item)}</ul>`;
