import { html } from 'hono/html';
import type { Html } from './html.ts';
import { type PageHead, toHead } from './page-head.ts';
import type { Site } from './site.ts';

/** One page: its head and its body. */
export interface Page extends PageHead {
  readonly head?: Html;
  readonly body: Html;
}

const links: readonly (readonly [string, string])[] = [
  ['/agents', 'Listings'],
  ['/tags', 'Tags'],
  ['/compare', 'Compare'],
  ['/tools', 'Tools'],
  ['/about', 'About'],
];

const isAt = (path: string | undefined, link: string) => path === link || path?.startsWith(`${link}/`);

/** Pages with a search field of their own at their top. */
const hasOwnSearch = (path: string | undefined) => path === '/' || path === '/agents';

const headerSearch = html`
<form class="find" action="/agents" method="get" role="search" aria-label="Find a listing"><input name="q" type="search" maxlength="2000" placeholder="Find a listing" aria-label="Find a listing" autocomplete="off" autocapitalize="none" spellcheck="false" enterkeyhint="search"><button type="submit" class="quiet" aria-label="Find"><svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 4 4"/></svg></button></form>`;

const header = ({ config }: Site, path: string | undefined) => html`
<a class="skip" href="#main">Skip to content</a>
<header class="top"><div class="wrap">
<a class="brand" href="/"><svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><path d="M3 7a2 2 0 0 1 2-2h8l3 4h11a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z"/></svg>${config.serviceName}</a>
${hasOwnSearch(path) ? '' : headerSearch}
<nav aria-label="Main">${links.map(
  ([href, text]) => html`<a href="${href}"${isAt(path, href) ? html` aria-current="page"` : ''}>${text}</a>`,
)}</nav>
</div></header>`;

const footer = ({ config }: Site) => html`
<footer class="bottom"><div class="wrap">
<p>${config.serviceName} gives independent evidence before you buy an agent service. A listing is not verification and not a recommendation to buy.</p>
<p>Every listing names the registry it was imported from; ${config.serviceName} is not affiliated with any.</p>
<nav aria-label="More"><a href="/about#operator">Who runs this</a> <a href="/about">Rules of evidence</a> <a href="/about#privacy">Privacy and removal</a> <a href="/feedback">Feedback</a> <a href="/log">The log</a> <a href="/llms.txt">llms.txt</a> <a href="/openapi.json">OpenAPI</a> <a href="/api/mcp">MCP</a></nav>
</div></footer>`;

/** A whole page. It works without script and loads nothing from other origins. */
export const toPage = (site: Site, page: Page): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${toHead(site, page)}
<meta name="color-scheme" content="light dark">

<link rel="icon" type="image/svg+xml" href="${site.assets.icon.path}">
<link rel="stylesheet" href="${site.assets.style.path}">
<script src="${site.assets.htmx.path}" defer></script>
<script src="${site.assets.copy.path}" defer></script>
${page.head}
</head>
<body>${header(site, page.path)}
<main id="main" class="wrap">
${page.body}
</main>${footer(site)}
</body>
</html>
`;
