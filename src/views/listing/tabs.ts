import { html } from 'hono/html';
import { amount } from '../../core/text.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import { knownValue } from '../../document/seen.ts';
import { toolsCount } from '../../observations/known/kinds/lists/tools.ts';
import { registryVersions } from '../../observations/known/kinds/record.ts';
import { type Html, handleLink, pagePath } from '../html.ts';
import { type PageSite, toPage } from '../layout.ts';

function tabsOf(
  listing: ListingDocument,
): readonly (readonly [tab: string, end: string, text: string, count?: number])[] {
  const tools = knownValue(listing, toolsCount);
  const known = knownValue(listing, registryVersions);
  return [
    ['overview', '', 'Overview'],
    // Without a number, which would count ratings that are set apart.
    ['ratings', '/ratings', 'Ratings'],
    ['tools', '/tools', 'Tools', tools],
    ['history', '/history', 'History'],
    ['versions', '/versions', 'Versions', known],
    ['publishers', '#publishers', 'For publishers'],
  ];
}

export const listingTabs = (listing: ListingDocument, shown: string): Html => html`
<nav class="pages-of" aria-label="Pages of this listing"><ul>${tabsOf(listing).map(
  ([tab, end, text, count]) =>
    html`<li><a href="${pagePath(listing.handle)}${end}"${tab === shown ? html` aria-current="page"` : ''}>${text}${count !== undefined && html` <span class="count">${amount(count)}</span>`}</a></li>`,
)}</ul></nav>`;

/** For readers; publishers have more ways (`publisherWays`). */
export const feedLinks = (handle: string): Html =>
  html`Its changes as <a href="${pagePath(handle)}/feed.atom">Atom</a> or <a href="${pagePath(handle)}/feed.json">JSON feed</a>.`;

/** The title is the end of the path. */
export const toListingPart = (
  site: PageSite,
  listing: ListingDocument,
  title: string,
  { description, body, shown }: { description: string; body: Html; shown?: string },
): Html => {
  const { handle } = listing;
  const part = title.toLowerCase();
  return toPage(site, {
    title: `${title} of ${handle}`,
    description,
    path: `${pagePath(handle)}/${part}`,
    indexed: false,
    feeds: pagePath(handle),
    body: html`
<p class="eyebrow">${handleLink(handle)}</p>
<h1>${title}</h1>
${listingTabs(listing, shown ?? part)}
${body}`,
  });
};
