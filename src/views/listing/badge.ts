import { makeBadge } from 'badge-maker';
import { html } from 'hono/html';
import { isMalware, badgeLabel as label, toBadge } from '../../document/answers/badge.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import { type Html, pagePath, paste } from '../html.ts';
import { type PageSite, tabs } from '../layout.ts';
import { toListingPart } from './tabs.ts';

export const badgePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
const grey = '#6b6f76';
const darkGrey = '#3d4148';

const badgeStyles = ['flat', 'flat-square', 'for-the-badge'] as const;
type BadgeStyle = (typeof badgeStyles)[number];

export const toBadgeStyle = (name: string | undefined): BadgeStyle =>
  badgeStyles.find((style) => style === name) ?? badgeStyles[0];

/** `title` has what does not fit. */
export const toBadgeSvg = (message: string, style: BadgeStyle, title = ''): string =>
  makeBadge({ label, message, color: grey, labelColor: darkGrey, style }).replace(
    /<title>[^<]*/,
    (own) => `${own}${title && html`. ${title}`}`,
  );

export const toShieldsEndpoint = (message: string) => ({
  schemaVersion: 1,
  label,
  message,
  color: grey,
  labelColor: darkGrey,
  cacheSeconds: 300,
});

export function toBadged(listing: ListingDocument) {
  const { handle, signals, evidence_snapshot_date: date } = listing;
  const badge = toBadge(listing);
  const shown =
    signals.native.ratings > 0 && !isMalware(listing) ? signals.native.statement : `${label}: ${badge}.`;
  return { handle, statement: (listing.sample && listing.origin_note) || shown, date, badge };
}

type BadgedListing = ReturnType<typeof toBadged>;

const badgePath = (handle: string, style: BadgeStyle): string =>
  style === badgeStyles[0] ? `/badge/${handle}` : `/badge/${handle}?style=${style}`;

/** With its date, because a pasted text does not change. */
const pastedText = ({ statement, date }: BadgedListing): string =>
  `${statement} As of ${date}; see the listing.`;

const badgeMarkdown = (listing: BadgedListing, publicUrl: string, style: BadgeStyle): string =>
  `[![${pastedText(listing)}](${publicUrl}${badgePath(listing.handle, style)})](${publicUrl}${pagePath(listing.handle)})`;

/** With its size, so that the page does not move. */
function badgeImage({ handle, statement, badge }: BadgedListing, style: BadgeStyle): Html {
  const [, ...size] = / width="([\d.]+)" height="([\d.]+)"/.exec(toBadgeSvg(badge, style)) ?? [];
  const [width, height] = size.map((pixels) => Math.round(Number(pixels)));
  return html`<img class="badge" src="${badgePath(handle, style)}" alt="${statement}" width="${width}" height="${height}">`;
}

export const badgeBlock = (listing: BadgedListing, publicUrl: string): Html => html`
<details class="box"><summary><h3 id="badge">Badge</h3></summary>
<p>${badgeImage(listing, 'flat')}</p>
${paste(badgeMarkdown(listing, publicUrl, 'flat'))}
<p><a href="${pagePath(listing.handle)}/badge">Other styles, and forms for HTML, reStructuredText and shields.io</a></p>
</details>`;

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

export const toBadgePage = (site: PageSite, document: ListingDocument, style: BadgeStyle): Html => {
  const listing = toBadged(document);
  return toListingPart(site, document, 'Badge', {
    shown: 'publishers',
    description: `The badge of ${listing.handle} in three styles. It is never a mark of quality.`,
    body: html`
<p class="lead">The badge shows the first of these that applies: the word sample, malicious code that was reported in a package, independent ratings, the claim in force, the last answer of the endpoint, a date of publication or update, or the word listed. It is always grey, and never a mark of quality.</p>
<h2 id="styles">Style</h2>
<ul class="styles" aria-labelledby="styles">${badgeStyles.map((shown) => preview(listing, shown, style))}</ul>
<h2>Copy it as</h2>
${tabs(
  'form',
  'Form',
  snippets(listing, site.config.publicUrl, style).map(([name, text]) => ({ name, body: paste(text) })),
)}
<p>The image is updated at most every five minutes. The text alternative stays as it was pasted, and therefore names its date. The link leads to the listing with all evidence.</p>
${
  document.claim &&
  html`
<h2 id="claim-badge">Badge of the claim</h2>
<p>This badge shows when the listing was claimed and, if there is room, by whom. If the claim is suspended, the badge says so.</p>
${paste(`[![Claim of ${listing.handle}](${site.config.publicUrl}/badge/${listing.handle}?show=claim)](${site.config.publicUrl}${pagePath(listing.handle)})`)}`
}
<p class="note">For other tools: <a href="/badge/${listing.handle}.json">the endpoint that shields.io reads</a>.</p>`,
  });
};
