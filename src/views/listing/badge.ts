import { makeBadge } from 'badge-maker';
import { html } from 'hono/html';
import { amount, counted, dayText } from '../../core/text.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import { knownValue } from '../../document/seen.ts';
import { factsOf } from '../../observations/known/kind.ts';
import { endpointAnswers } from '../../observations/known/kinds/endpoint.ts';
import { toolsCount } from '../../observations/known/kinds/lists/tools.ts';
import { registryFirstPublished } from '../../observations/known/kinds/record.ts';
import { malwareWords } from '../../observations/known/malware.ts';
import { currentOutcome } from '../../observations/known/observation.ts';
import type { NativeSignals } from '../../ratings/rating.ts';
import { type Html, pagePath, paste } from '../html.ts';
import { type PageSite, tabs } from '../layout.ts';
import { toListingPart } from './tabs.ts';

const label = 'dossier';
export const badgePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
const grey = '#6b6f76';
const darkGrey = '#3d4148';

/** So that badges fit beside each other. */
const longest = 32;

const fitting = (...messages: readonly string[]) =>
  messages.find(({ length }) => length <= longest) ?? messages.at(-1) ?? '';

/** Only independent ratings. */
function ratedText({ independent: { sources, ratings, outcomes } }: NativeSignals): string | undefined {
  if (sources === 0) return undefined;
  const from = counted(sources, 'source');
  return fitting(`${from}, ${amount(outcomes.succeeded)} of ${amount(ratings)} worked`, from);
}

function claimedText({ claim, state }: ListingDocument): string | undefined {
  if (!claim || state !== 'claimed') return undefined;
  const by = claim.domain ?? claim.repository?.split('/').at(3);
  const when = `claimed ${claim.claimed_at.slice(0, 7)}`;
  return by ? fitting(`${by}, ${when}`, when) : when;
}

const dayAndMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

function answeredText({ observations }: ListingDocument): string | undefined {
  const [answered] = factsOf(endpointAnswers, observations).filter((one) => currentOutcome(one) === 'seen');
  const [count] = factsOf(toolsCount, observations).filter((one) => currentOutcome(one) === 'seen');
  if (!answered?.observed_at) return undefined;
  const isOfThatDay = count?.observed_at && dayText(count.observed_at) === dayText(answered.observed_at);
  const tools = isOfThatDay && count.value !== null ? `, ${counted(count.value, 'tool')}` : '';
  return `answered ${dayAndMonth.format(new Date(answered.observed_at))}${tools}`;
}

function listedText(listing: ListingDocument): string {
  const first = knownValue(listing, registryFirstPublished);
  if (first !== undefined) return `listed since ${first.slice(0, 4)}`;
  return listing.updated_at === undefined ? 'listed' : `listed, updated ${listing.updated_at.slice(0, 7)}`;
}

const isMalware = ({ observations }: ListingDocument) => malwareWords(observations, ['malware']).length > 0;

/** At most 32 characters (docs/contract.md, "The badge"). */
export function toBadge(listing: ListingDocument): string {
  if (listing.sample) return 'sample';
  if (isMalware(listing)) return 'malicious code reported';
  return (
    ratedText(listing.signals.native) ?? claimedText(listing) ?? answeredText(listing) ?? listedText(listing)
  );
}

function suspendedText({ claim, state }: ListingDocument): string | undefined {
  if (!claim || state === 'claimed') return undefined;
  const suspended = claim.history.findLast(({ type }) => type === 'suspended');
  return suspended ? `claim suspended ${dayText(suspended.at)}` : 'claim suspended';
}

/** Nothing about quality. */
export const toClaimBadge = (listing: ListingDocument): string =>
  listing.sample ? 'sample' : (claimedText(listing) ?? suspendedText(listing) ?? listedText(listing));

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
