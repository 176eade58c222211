import { html, raw } from 'hono/html';
import type { Html } from './html.ts';
import type { Site } from './site.ts';

/** The metadata of a page, for search engines and link previews. */
export interface PageHead {
  readonly title: string;
  readonly description?: string;
  /** Its own address, for the canonical link. */
  readonly path?: string;
  /** `false` keeps it out of search engines. */
  readonly indexed?: boolean;
  /** Path of the link preview image, 1200 by 630; by default the service's own. */
  readonly card?: string;
  /** The path under which the feeds of what the page is about are; empty for those of all changes. */
  readonly feeds?: string;
  /** Structured data (schema.org, as JSON-LD). */
  readonly data?: object;
}

const inScript: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** A JSON-LD block. Escaping keeps third-party text from ending the element or starting a comment. */
const dataBlock = (data: object): Html =>
  html`<script type="application/ld+json">${raw(
    JSON.stringify(data).replaceAll(/[<>&\u2028\u2029]/g, (character) => inScript[character] ?? ''),
  )}</script>`;

/** Open Graph tags. Pages that are not indexed have no og:url. */
const shared = ({ config }: Site, { title, description, card, path, indexed }: PageHead) => html`
<meta property="og:type" content="website">
<meta property="og:site_name" content="${config.serviceName}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
${path && indexed !== false && html`<meta property="og:url" content="${config.publicUrl}${path}">`}
<meta property="og:image" content="${config.publicUrl}${card ?? '/card.png'}">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:image:alt" content="${description}">
<meta name="twitter:card" content="summary_large_image">`;

const feedLinks = (path: string) => html`
<link rel="alternate" type="application/atom+xml" title="Changes, as Atom" href="${path}/feed.atom">
<link rel="alternate" type="application/feed+json" title="Changes, as JSON Feed" href="${path}/feed.json">`;

/** Title, description, canonical link and preview of a page. Pages that are not indexed have no canonical link. */
export function toHead(site: Site, page: PageHead): Html {
  const { title, description, path, feeds, data } = page;
  const { serviceName, publicUrl } = site.config;
  return html`<title>${title === serviceName ? `${title}: evidence before you buy an agent service` : `${title} - ${serviceName}`}</title>
${description && html`<meta name="description" content="${description}">`}
${page.indexed === false ? html`<meta name="robots" content="noindex">` : path && html`<link rel="canonical" href="${publicUrl}${path}">`}
${description && shared(site, page)}
${feeds !== undefined && feedLinks(feeds)}
${data && dataBlock(data)}`;
}
