import { html } from 'hono/html';
import type { z } from 'zod';
import type { searchAgents } from '../tools/search-agents.ts';
import { amount, counted, type Html } from './html.ts';
import { toPage } from './layout.ts';
import { listingList } from './listing-list.ts';
import {
  filtersOf,
  type SearchAddress,
  toFilter,
  withCursor,
  withFilter,
  withoutFilter,
} from './search-links.ts';
import type { Site } from './site.ts';

/** What search_agents answers. */
export type SearchAnswer = z.output<(typeof searchAgents)['output']>;

const kindNames: Readonly<Record<string, string>> = {
  tag: 'Tags',
  transport: 'Transport',
  state: 'Claim',
  package: 'Package',
  has: 'Facts',
};
const facetsShown = 12;

/** The search field; it works by itself, htmx searches while you type where there are results to replace. */
export const searchForm = (query: string, address: SearchAddress = new URLSearchParams()): Html => html`
<form class="search" action="/agents" method="get" role="search" hx-get="/agents" hx-trigger="input delay:200ms, submit" hx-target="#results" hx-select="#results" hx-swap="outerHTML" hx-replace-url="true" hx-sync="this:replace" hx-status:4xx="swap:none" hx-status:5xx="swap:none">
<label for="q">Search listings</label>
<span class="field"><input id="q" name="q" type="search" value="${query}" maxlength="200" placeholder="webhooks, payments, a handle..." autocomplete="off" spellcheck="false">
<button>Search</button></span>
${filtersOf(address).map(({ name, value }) => html`<input type="hidden" name="${name}" value="${value}">`)}
</form>`;

/** The same field where there are no results to replace: an ordinary form. */
export const plainSearchForm = (): Html => html`
<form class="search" action="/agents" method="get" role="search">
<label for="q">Search listings</label>
<span class="field"><input id="q" name="q" type="search" maxlength="200" placeholder="webhooks, payments, a handle..." autocomplete="off" spellcheck="false">
<button>Search</button></span>
</form>`;

const isHeld = (address: SearchAddress, name: string, value: string) => address.getAll(name).includes(value);

function facetGroup(kind: string, answer: SearchAnswer, address: SearchAddress) {
  const choices = answer.facets
    .filter(({ facet }) => facet.startsWith(`${kind}:`))
    .flatMap(({ facet, count }) => {
      const filter = toFilter(facet);
      return filter && !isHeld(address, filter.name, filter.value) ? [{ filter, count }] : [];
    })
    .slice(0, facetsShown);
  if (choices.length === 0) return '';
  return html`<h3>${kindNames[kind]}</h3><ul class="facets">${choices.map(
    ({ filter, count }) =>
      html`<li><a href="${withFilter(address, filter)}" rel="nofollow">${filter.text}</a> <span class="count">${amount(count)}</span></li>`,
  )}</ul>`;
}

const heldFilters = (address: SearchAddress) => {
  const held = filtersOf(address);
  if (held.length === 0) return '';
  return html`<p class="held">${held.map((filter) => html`<a class="tag" href="${withoutFilter(address, filter)}" aria-label="Remove the filter ${filter.text}">${filter.text} <span aria-hidden="true">&times;</span></a>`)}</p>`;
};

const total = ({ total: { count, capped } }: SearchAnswer) =>
  capped ? `${amount(count)}+ listings` : counted(count, 'listing');

function results(answer: SearchAnswer, address: SearchAddress) {
  return html`
<div id="results" class="results">
<aside aria-label="Filters">${heldFilters(address)}<details class="filters"><summary>Filters</summary>${Object.keys(kindNames).map((kind) => facetGroup(kind, answer, address))}</details></aside>
<section aria-label="Results">
<p class="total" role="status">${total(answer)}. <span class="note">Order: ${answer.order}.</span></p>
${answer.listings.length === 0 ? html`<p>Nothing was found. All words must be there; try fewer words or <a href="/tags">browse by tag</a>.</p>` : listingList(answer.listings)}
${answer.next_cursor && html`<p class="more"><a class="button" rel="next" href="${withCursor(address, answer.next_cursor)}">More listings</a></p>`}
</section>
</div>`;
}

/** The list of all listings: search, filters as links, the next page as a link. */
export const toSearchPage = (site: Site, answer: SearchAnswer, address: SearchAddress): Html =>
  toPage(site, {
    title: address.get('q') ? `Search: ${address.get('q')}` : 'Listings',
    path: '/agents',
    indexed: address.size === 0,
    body: html`<h1>Listings</h1>${searchForm(address.get('q') ?? '', address)}${results(answer, address)}`,
  });

/** The listings of one tag. */
export const toTagPage = (site: Site, tag: string, answer: SearchAnswer): Html => {
  const address = new URLSearchParams({ tag });
  return toPage(site, {
    title: `Tag: ${tag}`,
    path: `/tags/${encodeURIComponent(tag)}`,
    body: html`
<p class="eyebrow"><a href="/tags">Tags</a></p>
<h1>${tag}</h1>
<p class="lead">Listings that carry this tag. Tags follow from recorded facts and publisher keywords; they are not endorsements.</p>
${results(answer, address)}`,
  });
};
