import { html } from 'hono/html';
import { type Hit, shownApart } from '../document/resolved.ts';
import { type Html, highlight, pagePath, type SearchWords, toHtml, toSearchWords } from './html.ts';
import { smallPicture } from './pictures/days.ts';

function facts({ facts: shown, [shownApart]: { matched, malware = [] } = {} }: Hit): Html {
  const classOf = (fact: (typeof shown)[number]) => {
    if (malware.includes(fact)) return html` class="alarm"`;
    return fact === matched && html` class="found"`;
  };
  return html`<ul class="row-facts">${shown.map((fact) => html`<li${classOf(fact)}>${toHtml(fact)}</li>`)}</ul>`;
}

function overTime({ [shownApart]: { overTime: observed = [] } = {} }: Hit) {
  const drawn = smallPicture(observed).map((one) => one.drawn);
  return drawn.length > 0 && html`<p class="small-picture">${drawn}</p>`;
}

export type RowAction = (listing: Hit) => Html;

const row = (listing: Hit, words: SearchWords, action?: RowAction) => html`
<li class="card">
<h3><a class="handle" href="${pagePath(listing.handle)}">${highlight(listing.handle, words)}</a></h3>
${listing.title && html`<p class="row-title foreign">${highlight(listing.title, words)}</p>`}
${listing.description && html`<p class="foreign">${highlight(listing.description, words)}</p>`}
${facts(listing)}
${overTime(listing)}
${action && html`<p class="row-action">${action(listing)}</p>`}
</li>`;

export const listingRows = (listings: readonly Hit[], query = '', action?: RowAction): Html => {
  const words = toSearchWords(query);
  return html`${listings.map((listing) => row(listing, words, action))}`;
};
