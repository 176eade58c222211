import { html } from 'hono/html';
import { type Html, pagePath, paste } from './html.ts';
import { toPage } from './layout.ts';
import type { Site } from './site.ts';

/** What a badge says of a listing, for people who cannot see it. */
export interface BadgedListing {
  readonly handle: string;
  readonly statement: string;
}

/** The Markdown of a badge that links to the listing's page. */
export const badgeMarkdown = ({ handle, statement }: BadgedListing, publicUrl: string): string =>
  `[![${statement}](${publicUrl}/badge/${handle})](${publicUrl}${pagePath(handle)})`;

const preview = ({ handle, statement }: BadgedListing) =>
  html`<p><img class="badge" src="/badge/${handle}" alt="${statement}" height="20"></p>`;

/** The badge with its Markdown. */
export const badgeBlock = (listing: BadgedListing, publicUrl: string): Html => html`
<section aria-labelledby="badge">
<h2 id="badge">Badge</h2>
${preview(listing)}
<p>It says how much evidence there is and as of when; it is never a mark of quality.</p>
${paste(badgeMarkdown(listing, publicUrl))}
<p><a href="${pagePath(listing.handle)}/badge">HTML, reStructuredText and shields.io forms</a></p>
</section>`;

const snippets = ({ handle, statement }: BadgedListing, publicUrl: string): [string, string][] => {
  const image = `${publicUrl}/badge/${handle}`;
  const page = `${publicUrl}${pagePath(handle)}`;
  return [
    ['Markdown', badgeMarkdown({ handle, statement }, publicUrl)],
    ['HTML', `<a href="${page}"><img src="${image}" alt="${statement}"></a>`],
    ['reStructuredText', `.. image:: ${image}\n   :target: ${page}\n   :alt: ${statement}`],
    ['AsciiDoc', `image:${image}[alt="${statement}",link="${page}"]`],
    ['shields.io', `https://img.shields.io/endpoint?url=${encodeURIComponent(`${image}.json`)}`],
  ];
};

/** The page of badge snippets for one listing. */
export const toBadgePage = (site: Site, listing: BadgedListing): Html =>
  toPage(site, {
    title: `Badge of ${listing.handle}`,
    path: `${pagePath(listing.handle)}/badge`,
    indexed: false,
    body: html`
<p class="eyebrow"><a href="${pagePath(listing.handle)}">${listing.handle}</a></p>
<h1>Badge</h1>
${preview(listing)}
<p>The badge is grey whatever the evidence says: it states amount and date, never a verdict. It is made anew at most every five minutes.</p>
${snippets(listing, site.config.PUBLIC_URL).map(([name, text]) => html`<h2>${name}</h2>${paste(text)}`)}`,
  });
