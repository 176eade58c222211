import { html } from 'hono/html';
import { amount } from '../../core/text.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import { type Html, pagePath } from '../html.ts';

/** The pages of one listing. */
export type ListingTab = 'overview' | 'ratings' | 'tools' | 'history' | 'versions' | 'publishers';

function tabsOf({
  signals: { native, imported },
  observations,
  versions,
}: ListingDocument): readonly (readonly [tab: ListingTab, end: string, text: string, count?: number])[] {
  const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined);
  const tools = observations.find(({ kind, value }) => kind === 'tools.count' && value !== null)?.value;
  const known = imported.find(
    ({ kind, state }) => kind === 'registry.versions' && state === 'observed',
  )?.value;
  return [
    ['overview', '', 'Overview'],
    ['ratings', '/ratings', 'Ratings', native.ratings],
    ['tools', '/tools', 'Tools', numberOf(tools)],
    ['history', '/history', 'History'],
    ['versions', '/versions', 'Versions', numberOf(known) ?? versions.length],
    ['publishers', '#publishers', 'For publishers'],
  ];
}

/** The pages of a listing as links, with how much is on each; the one that is shown is marked. */
export const listingTabs = (listing: ListingDocument, shown: ListingTab): Html => html`
<nav class="pages-of" aria-label="Pages of this listing"><ul>${tabsOf(listing).map(
  ([tab, end, text, count]) =>
    html`<li><a href="${pagePath(listing.handle)}${end}"${tab === shown ? html` aria-current="page"` : ''}>${text}${count !== undefined && html` <span class="count">${amount(count)}</span>`}</a></li>`,
)}</ul></nav>`;

/** The head of a page about one listing: its handle, the title of the page, and the way to the others. */
export const listingPageHead = (listing: ListingDocument, title: string, shown: ListingTab): Html => html`
<p class="eyebrow"><a class="handle" href="${pagePath(listing.handle)}">${listing.handle}</a></p>
<h1>${title}</h1>
${listingTabs(listing, shown)}`;
