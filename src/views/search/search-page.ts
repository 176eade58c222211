import { html } from 'hono/html';
import { quoted } from '../../evidence/text/markdown-text.ts';
import type { Problem } from '../../problem.ts';
import type { Html } from '../layout/html.ts';
import { toPage } from '../layout/layout.ts';
import type { Site } from '../layout/site.ts';
import { liveSearchForm, plainSearchForm } from './search-form.ts';
import type { Search, SearchAddress, SearchAnswer } from './search-links.ts';
import { searchResults, wrongSearch } from './search-results.ts';

/**
 * htmx attributes for everything inside: requests replace list, count and filters, but never the search field; a
 * problem's page replaces the list.
 */
const upgrades = html`hx-target:inherited="#results" hx-select:inherited="#results" hx-select-oob:inherited="#count:innerHTML,#held:innerHTML,#facets:innerHTML" hx-swap:inherited="outerHTML show:none" hx-sync:inherited="#search:replace" hx-indicator:inherited="#results" hx-status:422:inherited="select:#results" hx-status:4xx:inherited="select:main>* swap:innerHTML" hx-status:5xx:inherited="select:main>* swap:innerHTML"`;

const searchPage = (site: Site, address: SearchAddress, inside: Html) =>
  toPage(site, {
    title: address.get('q') ? `Search: ${quoted(queryOf(address))}` : 'Listings',
    description:
      'Search agent services by name, tag, transport and package. The order follows from names and dates, never from ratings.',
    path: '/agents',
    indexed: address.size === 0,
    head: html`<script src="${site.assets.search.path}" defer></script>`,
    body: html`<h1>Listings</h1>
<div ${upgrades}>${inside}</div>`,
  });

const queryOf = (address: SearchAddress) => address.get('q') ?? '';

/** The search page: field, filters, results, and a link to the next ones. */
export const toSearchPage = (site: Site, search: Search): Html =>
  searchPage(
    site,
    search.address,
    html`${liveSearchForm(queryOf(search.address), false)}${searchResults(search, true)}`,
  );

/** The search page for an invalid search: the errors take the place of the results. */
export function toWrongSearchPage(site: Site, address: SearchAddress, problem: Problem): Html {
  const fields = problem.facts.fields ?? [];
  const isWrong = fields.some(({ field }) => field === 'query');
  return searchPage(
    site,
    address,
    html`${liveSearchForm(queryOf(address), isWrong)}${wrongSearch(address, fields)}`,
  );
}

/** The listings of one tag. */
export const toTagPage = (site: Site, tag: string, answer: SearchAnswer): Html =>
  toPage(site, {
    title: `Tag: ${tag}`,
    description: `Agent services that carry the tag ${tag}, from what each listing records, with what is known about them.`,
    path: `/tags/${encodeURIComponent(tag)}`,
    feeds: `/tags/${encodeURIComponent(tag)}`,
    body: html`
<p class="eyebrow"><a href="/tags">Tags</a></p>
<h1>${tag}</h1>
<p class="lead">Listings that carry this tag. Tags follow from recorded facts and publisher keywords; they are not endorsements.</p>
${plainSearchForm()}${searchResults({ answer, address: new URLSearchParams({ tag }) }, false)}`,
  });
