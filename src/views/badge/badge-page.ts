import { html } from 'hono/html';
import { type Html, pagePath, paste } from '../layout/html.ts';
import { toPage } from '../layout/layout.ts';
import type { Site } from '../layout/site.ts';
import { tabs } from '../layout/tabs.ts';
import { type BadgeStyle, badgeStyles } from './badge.ts';
import { type BadgedListing, badgeImage, badgeMarkdown, badgePath, pastedText } from './badge-block.ts';

const snippets = (listing: BadgedListing, publicUrl: string, style: BadgeStyle): [string, string][] => {
  const image = `${publicUrl}${badgePath(listing.handle, style)}`;
  const page = `${publicUrl}${pagePath(listing.handle)}`;
  const text = pastedText(listing);
  return [
    ['Markdown', badgeMarkdown(listing, publicUrl, style)],
    ['HTML', `<a href="${page}"><img src="${image}" alt="${text}"></a>`],
    ['reStructuredText', `.. image:: ${image}\n   :target: ${page}\n   :alt: ${text}`],
    ['AsciiDoc', `image:${image}[alt="${text}",link="${page}"]`],
    [
      'shields.io',
      `https://img.shields.io/endpoint?url=${encodeURIComponent(`${publicUrl}/badge/${listing.handle}.json`)}&style=${style}`,
    ],
  ];
};

const preview = (listing: BadgedListing, style: BadgeStyle, chosen: BadgeStyle) => html`
<li>${badgeImage(listing, style)} <a href="${pagePath(listing.handle)}/badge?style=${style}"${style === chosen ? html` aria-current="true"` : ''}>${style}</a></li>`;

/** The badge page of a listing: a preview of every style, and snippets for the chosen one. */
export const toBadgePage = (site: Site, listing: BadgedListing, style: BadgeStyle): Html =>
  toPage(site, {
    title: `Badge of ${listing.handle}`,
    description: `The badge of ${listing.handle}: how much evidence there is and as of when, in three styles, never a mark of quality.`,
    path: `${pagePath(listing.handle)}/badge`,
    indexed: false,
    body: html`
<p class="eyebrow"><a class="handle" href="${pagePath(listing.handle)}">${listing.handle}</a></p>
<h1>Badge</h1>
<p class="lead">It states how much evidence there is and as of when. It is always grey, and never a mark of quality.</p>
<h2 id="styles">Style</h2>
<ul class="styles" aria-labelledby="styles">${badgeStyles.map((shown) => preview(listing, shown, style))}</ul>
<h2>To paste: ${style}</h2>
${tabs(
  'form',
  'Form',
  snippets(listing, site.config.publicUrl, style).map(([name, text]) => ({ name, body: paste(text) })),
)}
<p>The image is updated at most every five minutes. Its text alternative stays as pasted, so it names its date. The link leads to the listing with all evidence.</p>
<h2 id="claim-badge">Badge of the claim</h2>
<p>It states when the listing was claimed: what the claim on its page names was shown on that date, and nothing more.</p>
${paste(`[![Claim of ${listing.handle}](${site.config.publicUrl}/badge/${listing.handle}?show=claim)](${site.config.publicUrl}${pagePath(listing.handle)})`)}
<p class="note">For other tools: <a href="/badge/${listing.handle}.json">the endpoint that shields.io reads</a>.</p>`,
  });
