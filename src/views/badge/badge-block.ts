import { html } from 'hono/html';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import { type Html, pagePath, paste } from '../layout/html.ts';
import { type Badge, type BadgeStyle, badgeSize, badgeStyles, toBadge } from './badge.ts';

/** A listing's badge with its text alternative and its date. */
export interface BadgedListing {
  readonly handle: string;
  readonly statement: string;
  readonly date: string;
  readonly badge: Badge;
}

/** The badge of a listing document. */
export const toBadged = (listing: ListingDocument): BadgedListing => ({
  handle: listing.handle,
  statement: (listing.sample && listing.origin_note) || listing.signals.native.statement,
  date: listing.evidence_snapshot_date,
  badge: toBadge(listing),
});

/** The path of a badge image. */
export const badgePath = (handle: string, style: BadgeStyle): string =>
  style === badgeStyles[0] ? `/badge/${handle}` : `/badge/${handle}?style=${style}`;

/** The alt text of a pasted badge. It does not change after it is pasted, so it names its date. */
export const pastedText = ({ statement, date }: BadgedListing): string =>
  `${statement} As of ${date}; see the listing.`;

/** The Markdown of a badge that links to the listing's page. */
export const badgeMarkdown = (listing: BadgedListing, publicUrl: string, style: BadgeStyle): string =>
  `[![${pastedText(listing)}](${publicUrl}${badgePath(listing.handle, style)})](${publicUrl}${pagePath(listing.handle)})`;

/** The badge image, in a frame that can be moved on a narrow screen; its size is given, so that nothing moves while it loads. */
export function badgeImage({ handle, statement, badge }: BadgedListing, style: BadgeStyle): Html {
  const { width, height } = badgeSize(badge, style);
  return html`<span class="badge-frame" role="group" aria-label="Badge, style ${style}" tabindex="0"><img class="badge" src="${badgePath(handle, style)}" alt="${statement}" width="${width}" height="${height}"></span>`;
}

/** The badge with its Markdown. */
export const badgeBlock = (listing: BadgedListing, publicUrl: string): Html => html`
<section aria-labelledby="badge">
<h2 id="badge">Badge</h2>
<p>${badgeImage(listing, 'flat')}</p>
<p>It shows how much evidence there is and as of when; it is never a mark of quality.</p>
${paste(badgeMarkdown(listing, publicUrl, 'flat'))}
<p><a href="${pagePath(listing.handle)}/badge">Other styles; HTML, reStructuredText and shields.io forms</a></p>
</section>`;
