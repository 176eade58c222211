import { makeBadge } from 'badge-maker';
import { html } from 'hono/html';
import { amount } from '../core/text.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import { sourcesFirst } from '../document/sentences.ts';
import { ratingGroups } from '../ratings/groups.ts';
import type { NativeSignals } from '../ratings/rating.ts';
import { type Html, pagePath, paste } from './html.ts';
import { type Site, tabs, toPage } from './layout.ts';

/** What a badge shows: the label and the message. Always grey. */
export interface Badge {
  readonly label: string;
  readonly message: string;
}

const grey = '#6b6f76';
const darkGrey = '#3d4148';

const lastOf = (native: NativeSignals) =>
  (
    ratingGroups
      .flatMap((group) => native[group].last_at ?? [])
      .sort()
      .at(-1) ?? ''
  ).slice(0, 10);

/** The outcomes of the newest rating of each independent source: `newest of each source: 4 succeeded, 1 failed`. */
function newestOf({ independent }: NativeSignals): string[] {
  const outcomes = Object.entries(independent.source_outcomes).filter(([, sources]) => sources > 0);
  if (outcomes.length === 0) return [];
  return [
    `newest of each source: ${outcomes.map(([name, sources]) => `${amount(sources)} ${name}`).join(', ')}`,
  ];
}

/** The badge of a listing: independent sources and their ratings, what each said last, how many are set apart, the last date. */
export function toBadge({ signals: { native }, evidence_snapshot_date, sample }: ListingDocument): Badge {
  if (sample) return { label: 'evidence', message: 'sample' };
  const message =
    native.ratings === 0
      ? `none as of ${evidence_snapshot_date}`
      : [sourcesFirst(native), ...newestOf(native), `last ${lastOf(native)}`].join('; ');
  return { label: 'evidence', message };
}

/** The badge of a claim: since when it stands, and nothing about quality. */
export function toClaimBadge({ claim, state, evidence_snapshot_date, sample }: ListingDocument): Badge {
  if (sample) return { label: 'claim', message: 'sample' };
  if (!claim) return { label: 'claim', message: `none as of ${evidence_snapshot_date}` };
  const message =
    state === 'claimed'
      ? `claimed ${claim.claimed_at.slice(0, 10)}`
      : ['suspended', claim.history.findLast(({ type }) => type === 'suspended')?.at.slice(0, 10)]
          .filter(Boolean)
          .join(' ');
  return { label: 'claim', message };
}

const badgeStyles = ['flat', 'flat-square', 'for-the-badge'] as const;
type BadgeStyle = (typeof badgeStyles)[number];

export const toBadgeStyle = (name: string | undefined): BadgeStyle =>
  badgeStyles.find((style) => style === name) ?? badgeStyles[0];

export const toBadgeSvg = ({ label, message }: Badge, style: BadgeStyle): string =>
  makeBadge({ label, message, color: grey, labelColor: darkGrey, style });

/** Width and height of a badge in whole pixels, as HTML wants them, read from its SVG. */
function badgeSize(badge: Badge, style: BadgeStyle): { width: number; height: number } {
  const [, width, height] = / width="([\d.]+)" height="([\d.]+)"/.exec(toBadgeSvg(badge, style)) ?? [];
  return { width: Math.round(Number(width)), height: Math.round(Number(height)) };
}

/** A badge in the form that shields.io's endpoint badge reads. */
export const toShieldsEndpoint = ({ label, message }: Badge) => ({
  schemaVersion: 1,
  label,
  message,
  color: grey,
  labelColor: darkGrey,
  cacheSeconds: 300,
});

interface BadgedListing {
  readonly handle: string;
  readonly statement: string;
  readonly date: string;
  readonly badge: Badge;
}

export const toBadged = (listing: ListingDocument): BadgedListing => ({
  handle: listing.handle,
  statement: (listing.sample && listing.origin_note) || listing.signals.native.statement,
  date: listing.evidence_snapshot_date,
  badge: toBadge(listing),
});

const badgePath = (handle: string, style: BadgeStyle): string =>
  style === badgeStyles[0] ? `/badge/${handle}` : `/badge/${handle}?style=${style}`;

/** The alt text of a pasted badge. It does not change after it is pasted, so it names its date. */
const pastedText = ({ statement, date }: BadgedListing): string =>
  `${statement} As of ${date}; see the listing.`;

const badgeMarkdown = (listing: BadgedListing, publicUrl: string, style: BadgeStyle): string =>
  `[![${pastedText(listing)}](${publicUrl}${badgePath(listing.handle, style)})](${publicUrl}${pagePath(listing.handle)})`;

/** The badge image, in a frame that can be moved on a narrow screen; its size is given, so that nothing moves while it loads. */
function badgeImage({ handle, statement, badge }: BadgedListing, style: BadgeStyle): Html {
  const { width, height } = badgeSize(badge, style);
  return html`<span class="badge-frame" role="group" aria-label="Badge, style ${style}" tabindex="0"><img class="badge" src="${badgePath(handle, style)}" alt="${statement}" width="${width}" height="${height}"></span>`;
}

export const badgeBlock = (listing: BadgedListing, publicUrl: string): Html => html`
<section aria-labelledby="badge">
<h2 id="badge">Badge</h2>
<p>${badgeImage(listing, 'flat')}</p>
<p>It shows how much evidence there is and as of when; it is never a mark of quality.</p>
${paste(badgeMarkdown(listing, publicUrl, 'flat'))}
<p><a href="${pagePath(listing.handle)}/badge">Other styles; HTML, reStructuredText and shields.io forms</a></p>
</section>`;

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
<h2>Copy it, as</h2>
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
