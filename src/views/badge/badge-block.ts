import { html } from 'hono/html';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import { type Html, pagePath, paste } from '../layout/html.ts';
import { type Badge, type BadgeStyle, badgeSize, badgeStyles, toBadge } from './badge.ts';

/** What a badge says of a listing to people who cannot see it, and as of when. */
export interface BadgedListing {
  readonly handle: string;
  readonly statement: string;
  readonly date: string;
  readonly badge: Badge;
}

/** The part of a document that its badge speaks of. */
export const toBadged = (listing: ListingDocument): BadgedListing => ({
  handle: listing.handle,
  statement: listing.signals.native.statement,
  date: listing.evidence_snapshot_date,
  badge: toBadge(listing),
});

/** Where the badge of a style is. */
export const badgePath = (handle: string, style: BadgeStyle): string =>
  style === badgeStyles[0] ? `/badge/${handle}` : `/badge/${handle}?style=${style}`;

/** What stands for a pasted badge where it cannot be seen: it grows old there, so it says of when it is. */
export const pastedText = ({ statement, date }: BadgedListing): string =>
  `${statement} As of ${date}; see the listing.`;

/** The Markdown of a badge that links to the listing's page. */
export const badgeMarkdown = (listing: BadgedListing, publicUrl: string, style: BadgeStyle): string =>
  `[![${pastedText(listing)}](${publicUrl}${badgePath(listing.handle, style)})](${publicUrl}${pagePath(listing.handle)})`;

/** The badge itself, as it is at this moment; its place is kept while it is on its way. */
export function badgeImage({ handle, statement, badge }: BadgedListing, style: BadgeStyle): Html {
  const { width, height } = badgeSize(badge, style);
  return html`<img class="badge" src="${badgePath(handle, style)}" alt="${statement}" width="${width}" height="${height}">`;
}

/** The badge with its Markdown. */
export const badgeBlock = (listing: BadgedListing, publicUrl: string): Html => html`
<section aria-labelledby="badge">
<h2 id="badge">Badge</h2>
<p>${badgeImage(listing, 'flat')}</p>
<p>It says how much evidence there is and as of when; it is never a mark of quality.</p>
${paste(badgeMarkdown(listing, publicUrl, 'flat'))}
<p><a href="${pagePath(listing.handle)}/badge">Other styles; HTML, reStructuredText and shields.io forms</a></p>
</section>`;
