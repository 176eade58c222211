import { html } from 'hono/html';
import { ageText, amount, counted, dayText } from '../../core/text.ts';
import { own } from '../../core/words.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import { knownValue } from '../../document/seen.ts';
import type { VersionSummary } from '../../listings/listing.ts';
import { factsOf } from '../../observations/known/kind.ts';
import { toolsCount } from '../../observations/known/kinds/lists/tools.ts';
import { moveWords, recordMoves } from '../../observations/known/kinds/moves.ts';
import { registryVersions } from '../../observations/known/kinds/record.ts';
import { day, type Html, handleLink, pagePath, toHtml } from '../html.ts';
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
    body: html`
<p class="eyebrow">${handleLink(handle)}</p>
<h1>${title}</h1>
${listingTabs(listing, shown ?? part)}
${body}`,
  });
};

interface VersionsShown {
  readonly versions: readonly VersionSummary[];
  readonly page: number;
  /** Of all pages. */
  readonly span: { readonly count: number; readonly first: string; readonly last: string };
}

/** `36 versions from 2025-08-05 to 2025-10-28; the newest 13 months ago.` */
function pace(
  { count, first, last }: VersionsShown['span'],
  { evidence_snapshot_date: today, signals }: ListingDocument,
): Html | string {
  const why = factsOf(registryVersions, signals.imported)[0]?.reason;
  if (count > 0 && why)
    return html`${toHtml(why)} The version shown was published ${ageText(dayText(last), today)}.`;
  if (count === 0) return 'No version is stored.';
  const from = dayText(first);
  const to = dayText(last);
  if (count === 1) return `1 version, published ${ageText(to, today)}.`;
  const span = from === to ? `of ${to}` : `from ${from} to ${to}`;
  return `${counted(count, 'version')} ${span}; the newest ${ageText(to, today)}.`;
}

/** A registry may send 10,000 versions of a listing. */
export const versionsPerPage = 200;

export function toVersionsPage(
  site: PageSite,
  listing: ListingDocument,
  { versions, page, span }: VersionsShown,
): Html {
  const path = `${pagePath(listing.handle)}/versions`;
  // The weightiest ten are stored.
  const moves = factsOf(recordMoves, listing.signals.imported)[0]?.value?.moves ?? [];
  const moved = new Map(
    moves.map(({ version, published_at: _, kept: __, ...move }) => [version, moveWords(move)]),
  );
  const link = (to: number, text: string) => html`<a href="${path}?page=${to}">${text}</a>`;
  return toListingPart(site, listing, 'Versions', {
    description: `All versions of ${listing.handle} that Dossier has read, with their dates.`,
    body: html`
<p class="lead">${pace(span, listing)}</p>
<div class="scroll" role="group" tabindex="0" aria-label="Versions"><table class="${moved.size === 0 && 'counts'}"><thead><tr><th scope="col">Version</th><th scope="col">Published</th><th scope="col">Status</th>${moved.size > 0 && html`<th scope="col">What it moved</th>`}</tr></thead>
<tbody>${versions.map(
      ({ version, status, published_at, is_latest, undated }) => html`
<tr><th scope="row"><code class="foreign">${version}</code>${is_latest && html` <span class="note">latest</span>`}</th><td>${undated ? 'no date stated' : html`${day(published_at)} (${ageText(dayText(published_at), listing.evidence_snapshot_date)})`}</td><td>${status}</td>${moved.size > 0 && html`<td>${toHtml(moved.get(version) ?? own(''))}</td>`}</tr>`,
    )}</tbody></table></div>
${page > 1 && html`<p>${link(page - 1, 'Newer versions')}</p>`}
${page * versionsPerPage < span.count && html`<p>${link(page + 1, 'Older versions')}</p>`}
${moved.size > 0 && html`<p class="note">An empty cell: no move of that version is stored. At most ten are, the weightiest.</p>`}
<p class="note">The versions are as the ${listing.sample ? 'sample has' : 'registry sent'} them, as of ${day(listing.observed_at)}.</p>`,
  });
}
