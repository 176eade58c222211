import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { html, raw } from 'hono/html';
import type { Context } from '../context.ts';
import { quoted } from '../core/text.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import { knownValue } from '../document/seen.ts';
import { registryFirstPublished, registryLastUpdate } from '../observations/known/kinds/record.ts';
import { type Html, pagePath } from './html.ts';

const require = createRequire(import.meta.url);
const own = (name: string) => new URL(`./assets/${name}`, import.meta.url);

/** The cascade depends on this order. */
const styleParts = ['tokens', 'base', 'results', 'pages', 'pictures', 'print'];

export type Asset = ReturnType<typeof toAsset>;

/** With a hash in its path, so that it can be cached forever. */
function toAsset(name: string, type: string, content: Uint8Array) {
  const bytes = new Uint8Array(content);
  const [stem, ending] = name.split('.');
  return { path: `/assets/${stem}.${hash('sha256', bytes, 'hex').slice(0, 12)}.${ending}`, type, bytes };
}

const openAsset = (name: string, type: string, file: URL | string = own(name)) =>
  toAsset(name, type, readFileSync(file));

export const assets = {
  style: toAsset(
    'style.css',
    'text/css; charset=utf-8',
    Buffer.concat(styleParts.map((part) => readFileSync(own(`style/${part}.css`)))),
  ),
  icon: openAsset('icon.svg', 'image/svg+xml'),
  favicon: openAsset('favicon.ico', 'image/x-icon'),
  touchIcon: openAsset('apple-touch-icon.png', 'image/png'),
  copy: openAsset('copy.js', 'text/javascript; charset=utf-8'),
  search: openAsset('search.js', 'text/javascript; charset=utf-8'),
  claim: openAsset('claim.js', 'text/javascript; charset=utf-8'),
  htmx: openAsset('htmx.js', 'text/javascript; charset=utf-8', require.resolve('htmx.org/dist/htmx.min.js')),
};

export type PageSite = Pick<Context, 'config'>;

interface PageHead {
  readonly title: string;
  readonly description?: string;
  readonly path?: string;
  /** `false` keeps it out of search engines. */
  readonly indexed?: boolean;
  /** For link previews; by default that of the service. */
  readonly card?: string;
  /** Path of the feeds; empty for all changes. */
  readonly feeds?: string;
  readonly data?: object;
}

/** No text of others can end the element or start a comment. */
const dataBlock = (data: object): Html =>
  html`<script type="application/ld+json">${raw(
    JSON.stringify(data).replaceAll(
      /[<>&\u2028\u2029]/g,
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  )}</script>`;

function toHead(site: PageSite, page: PageHead): Html {
  const { title, description, path, feeds, data } = page;
  const { serviceName, publicUrl } = site.config;
  return html`<title>${title === serviceName ? `${title}: evidence before you buy an agent service` : `${title} - ${serviceName}`}</title>
${description && html`<meta name="description" content="${description}">`}
${page.indexed === false ? html`<meta name="robots" content="noindex">` : path && html`<link rel="canonical" href="${publicUrl}${path}">`}
${
  description &&
  html`
<meta property="og:type" content="website">
<meta property="og:site_name" content="${site.config.serviceName}">
<meta property="og:title" content="${page.title}">
<meta property="og:description" content="${page.description}">
${page.path && page.indexed !== false && html`<meta property="og:url" content="${site.config.publicUrl}${page.path}">`}
<meta property="og:image" content="${site.config.publicUrl}${page.card ?? '/card.png'}">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:image:alt" content="${page.description}">
<meta name="twitter:card" content="summary_large_image">`
}
${
  feeds !== undefined &&
  html`
<link rel="alternate" type="application/atom+xml" title="Changes, as Atom" href="${feeds}/feed.atom">
<link rel="alternate" type="application/feed+json" title="Changes, as JSON Feed" href="${feeds}/feed.json">`
}
${data && dataBlock(data)}`;
}

const links: readonly (readonly [string, string])[] = [
  ['/agents', 'Listings'],
  ['/tags', 'Tags'],
  ['/compare', 'Compare'],
  ['/tools', 'Tools'],
  ['/about', 'About'],
];

const headerSearch = html`
<form class="find" action="/agents" method="get" role="search" aria-label="Find a listing"><input name="q" type="search" maxlength="2000" placeholder="Find a listing" aria-label="Find a listing" autocomplete="off" autocapitalize="none" spellcheck="false" enterkeyhint="search"><button type="submit" class="quiet" aria-label="Find"><svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 4 4"/></svg></button></form>`;

/** Works without script, and loads nothing from elsewhere. */
export const toPage = (
  site: PageSite,
  page: PageHead & { readonly head?: Html; readonly body: Html },
): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${toHead(site, page)}
<meta name="color-scheme" content="light dark">

<link rel="ard" type="application/json" href="/.well-known/ard.json">
<link rel="icon" type="image/svg+xml" href="${assets.icon.path}">
<link rel="stylesheet" href="${assets.style.path}">
<script src="${assets.htmx.path}" defer></script>
<script src="${assets.copy.path}" defer></script>
${page.head}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top"><div class="wrap">
<a class="brand" href="/"><svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><path d="M3 7a2 2 0 0 1 2-2h8l3 4h11a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z"/></svg>${site.config.serviceName}</a>
${page.path === '/' || page.path === '/agents' ? '' : headerSearch}
<nav aria-label="Main">${links.map(
  ([href, text]) =>
    html`<a href="${href}"${page.path === href || page.path?.startsWith(`${href}/`) ? html` aria-current="page"` : ''}>${text}</a>`,
)}</nav>
</div></header>
<main id="main" class="wrap">
${page.body}
</main>
<footer class="bottom"><div class="wrap">
<p>${site.config.serviceName} gives independent evidence before you buy an agent service. Every listing names its source. ${site.config.serviceName} is not affiliated with any registry.</p>
<nav aria-label="More"><a href="/about#operator">Who runs this</a> <a href="/about#rules">Rules of evidence</a> <a href="/about#privacy">Privacy and removal</a> <a href="/feedback">Feedback</a> <a href="/log">The log</a>${site.config.views.length > 0 && html` <a href="/views">Views</a>`} <a href="/llms.txt">llms.txt</a> <a href="/openapi.json">OpenAPI</a> <a href="/api/mcp">MCP</a></nav>
</div></footer>
</body>
</html>
`;

/** At most six, without script; `group` is unique on the page. */
export const tabs = (
  group: string,
  legend: string,
  shown: readonly { readonly name: string; readonly body: Html }[],
): Html => html`
<fieldset class="tabs"><legend class="unseen">${legend}</legend>${shown.map(
  (tab, at) => html`
<input type="radio" name="${group}" id="${group}-${at}"${at === 0 ? html` checked` : ''}><label for="${group}-${at}">${tab.name}</label>`,
)}${shown.map(
  ({ body }) => html`
<div class="panel">${body}</div>`,
)}
</fieldset>`;

const isPlainHttps = (address: string | undefined): address is string =>
  address?.startsWith('https://') === true && URL.canParse(address);

/** No `aggregateRating`: ratings are not a grade. */
const toData = (listing: ListingDocument): object => {
  const elsewhere = [listing.repository, listing.website].filter(isPlainHttps);
  return {
    '@context': 'https://schema.org',
    '@type': 'SoftwareApplication',
    '@id': listing.links.page,
    name: listing.handle,
    ...(listing.title && { alternateName: listing.title }),
    description: listing.description,
    disambiguatingDescription: [listing.sample && listing.origin_note, listing.evidence_snapshot]
      .filter(Boolean)
      .join(' '),
    url: listing.links.page,
    identifier: listing.handle,
    applicationCategory: 'DeveloperApplication',
    softwareVersion: listing.version,
    ...(knownValue(listing, registryFirstPublished) && { datePublished: listing.published_at }),
    dateModified: knownValue(listing, registryLastUpdate) ?? listing.updated_at,
    ...(elsewhere.length > 0 && { sameAs: elsewhere }),
    ...(listing.tags.length > 0 && { keywords: listing.tags.map(({ tag }) => tag) }),
  };
};

export const toListingHead = (listing: ListingDocument): PageHead => ({
  title: listing.handle,
  description: [
    listing.description &&
      `${quoted(listing.description)}${listing.sample ? '' : ' (its publisher’s words).'}`,
    listing.sample && listing.origin_note,
    listing.evidence_snapshot,
  ]
    .filter(Boolean)
    .join(' '),
  path: pagePath(listing.handle),
  feeds: pagePath(listing.handle),
  card: `${pagePath(listing.handle)}/card.png`,
  data: toData(listing),
});
