import { html } from 'hono/html';
import type { Problem } from '../../core/problem.ts';
import { amount, counted, quoted } from '../../core/text.ts';
import { isEmpty, say } from '../../core/words.ts';
import { findOmissions } from '../../search/query.ts';
import { toWords } from '../../search/words.ts';
import { findMeant, inputOf } from '../../tools/find/meant-filters.ts';
import type { Omission } from '../../tools/find/near-misses.ts';
import { type Html, handleLink, nameList, toHtml } from '../html.ts';
import { assets, type PageSite, toPage } from '../layout.ts';
import { listingRows, type RowAction } from '../listing-list.ts';
import {
  facetGroups,
  filtersOf,
  liveSearchForm,
  nothingToNarrow,
  pathWith,
  plainSearchForm,
  type SearchAnswer,
  type ShownSearch,
  selectedFilters,
  toFilter,
  withFilter,
  withoutFilter,
} from './form.ts';

const pickedIn = (address: URLSearchParams): string[] => address.getAll('handle');

// A field of the search form, so that a further search keeps the ticks.
const box = (handle: string, isPicked: boolean, text: Html | string) =>
  html`<label class="pick"><input type="checkbox" form="search" name="handle" value="${handle}"${isPicked && html` checked`}> ${text}</label>`;

/** For `compareButton`. */
export const pickBox = (address: URLSearchParams): RowAction => {
  const picked = new Set(pickedIn(address));
  return ({ handle }) => box(handle, picked.has(handle), html`Compare<span class="unseen"> ${handle}</span>`);
};

/** Ticked before, and not on this page. */
function earlierPicks(address: URLSearchParams, shown: readonly { readonly handle: string }[]): Html | '' {
  const here = new Set(shown.map(({ handle }) => handle));
  const elsewhere = pickedIn(address).filter((handle) => !here.has(handle));
  if (elsewhere.length === 0) return '';
  const items = elsewhere.map(
    (handle) =>
      html`<div>${box(handle, true, html`<span class="unseen">Compare ${handle}</span>`)}${handleLink(handle)}</div>`,
  );
  return html`<fieldset class="earlier"><legend>Ticked before</legend>${items}</fieldset>`;
}

/** Sends the search form, of which only the ticks are read. */
const compareButton = html`<p class="picks"><button type="submit" form="search" formaction="/compare" name="ticked" value="true">Compare ticked listings</button></p>`;

/** For a page without a search form. */
export const pickForm = html`<form id="search" class="picks" action="/compare" method="get"><button type="submit" name="ticked" value="true">Compare ticked listings</button></form>`;

function withoutPart({ text = '', query = '' }: Omission, address: URLSearchParams) {
  const href = pathWith(address, { q: query });
  if (query === '') return { href, text: 'Without the words, with the filters alone' };
  const what = text.startsWith('"') ? 'Without the quotation marks of' : 'Without';
  return { href, text: `${what} ${text}` };
}

function toLink(left: Omission, address: URLSearchParams) {
  const facet = left.facet ?? left.only;
  if (!facet) return withoutPart(left, address);
  const filter = toFilter(facet);
  if (!filter) return undefined;
  return left.only
    ? { href: withFilter(new URLSearchParams(), filter), text: `Only the filter “${filter.text}”` }
    : { href: withoutFilter(address, filter), text: `Without the filter “${filter.text}”` };
}

/** Of filters that words of the search mean. */
function meantLinks({ address }: ShownSearch) {
  const links = findMeant(address.get('q') ?? '', []).flatMap((meant) => {
    const filter = toFilter(inputOf(meant.facet));
    if (!filter || address.getAll(filter.name).includes(filter.value)) return [];
    return [html` <a href="${withFilter(address, filter)}" rel="nofollow">${meant.text}</a>`];
  });
  return links.length > 0 && html`<p class="note">Filter:${links}</p>`;
}

const toReason = (query: string, hasFilters: boolean) => {
  const what = findOmissions(query).length > 0 ? 'matches this search' : 'has any of these words';
  return hasFilters ? `No listing that passes all filters ${what}.` : `No listing ${what}.`;
};

function reason({ answer, address }: ShownSearch): string {
  const query = address.get('q') ?? '';
  if (answer.total.capped)
    return 'None of the listings that were read matches this search. There are more listings than one search reads.';
  if (query.trim() && toWords(query).length === 0)
    return 'There is no word in this search; a word has letters or digits.';
  return query.trim()
    ? toReason(query, filtersOf(address).length > 0)
    : 'No listing passes all of these filters.';
}

const sorts = [
  { sort: 'relevance', withWords: 'best match', without: 'oldest publication' },
  { sort: 'updated', withWords: 'last updated', without: 'last updated' },
  { sort: 'published', withWords: 'newest', without: 'newest' },
] as const;

function sortLinks({ answer, address }: ShownSearch): Html {
  const isSearch = address.has('q');
  const held = address.get('sort') ?? 'relevance';
  const links = sorts.map(({ sort, withWords, without }) => {
    const text = isSearch ? withWords : without;
    return sort === held
      ? html`<strong>${text}</strong>`
      : html`<a href="${pathWith(address, { sort: sort === 'relevance' ? '' : sort })}" rel="nofollow">${text}</a>`;
  });
  const isOfSome = isSearch && answer.total.capped && held !== 'relevance';
  const some = isOfSome ? ` of the ${amount(answer.total.count)} that were read` : '';
  return html`<p class="note order">Order: ${links.map((link, at) => html`${at > 0 ? ', ' : ''}${link}`)}${some}. Never by ratings.</p>`;
}

/** `other` alone if the query has another form of the word. */
function replaceWord(query: string, word: string, other: string): string {
  const at = query.toLowerCase().indexOf(word.toLowerCase());
  if (at < 0) return other || query;
  return `${query.slice(0, at)}${other}${query.slice(at + word.length)}`.replace(/\s+/g, ' ').trim();
}

function unknownWord(
  { word, near }: NonNullable<SearchAnswer['did_you_mean']>[number],
  address: URLSearchParams,
) {
  const query = address.get('q') ?? '';
  const link = (other: string) =>
    html` <a href="${pathWith(address, { q: replaceWord(query, word, other) })}" rel="nofollow">${other}</a>`;
  return html`<p class="note">No name, title, tag or description has the word “${word}”.${near.length > 0 ? html` This search also looked for:${near.map(link)}` : ''}</p>`;
}

export const pageSize = 20;
/** Then `more` opens a new page. */
export const maxShown = 200;

/** From 1, among all hits; undefined if the address does not state it. */
function lastPosition({ answer, address }: ShownSearch): number | undefined {
  const from = address.has('cursor') ? Number(address.get('from')) : 1;
  return from >= 1 ? from - 1 + answer.listings.length : undefined;
}

function total(search: ShownSearch): string {
  const { total: matches, listings, next_cursor } = search.answer;
  if (matches.count === 0)
    return matches.capped ? 'No match among the listings that were read.' : 'No listing matches.';
  const all = matches.capped
    ? `More than ${amount(matches.count)} listings`
    : counted(matches.count, 'listing');
  if (listings.length === 0) return `${all}; there are no more after this position.`;
  const shown = next_cursor ? lastPosition(search) : undefined;
  return shown ? `${all}, ${amount(shown)} shown so far.` : `${all}.`;
}

/** htmx adds the next listings, with an address for all so far. */
function more(search: ShownSearch, isLive: boolean) {
  const { answer, address } = search;
  if (!answer.next_cursor) return html`<p id="more" class="more"></p>`;
  const last = lastPosition(search);
  const next = (last ?? maxShown) + pageSize;
  const added =
    isLive &&
    next <= maxShown &&
    html` hx-boost="true" hx-target="#list" hx-select="#list > li" hx-select-oob="#more,#count:innerHTML" hx-swap="beforeend show:none" hx-replace-url="${pathWith(address, { shown: String(next) })}"`;
  const place = { cursor: answer.next_cursor, from: last ? String(last + 1) : '' };
  return html`<p id="more" class="more"><a class="button" rel="next" href="${pathWith(address, place)}"${added}>More listings</a></p>`;
}

function namedBlock({ named: name, payee }: ShownSearch): Html | '' {
  const { found: named, beside = say`` } = name ?? {};
  if (!named) return isEmpty(beside) ? '' : html`<p class="note">${toHtml(beside)}</p>`;
  const page = payee
    ? html` <a href="${payee}">Who asks to be paid there, since when and until when</a>`
    : '';
  if ('candidates' in named)
    return html`
<div class="named"><p>${toHtml(named.detail)}${page}</p>
<ul class="plain">${named.candidates.map(({ handle, differs }) => html`<li>${handleLink(handle)}: ${toHtml(differs)}</li>`)}</ul></div>`;
  return html`
<p class="named">${handleLink(named.handle)} is ${toHtml(named.found_by ?? say``)}. ${toHtml(beside)}${page}</p>`;
}

function hits(search: ShownSearch, isLive: boolean) {
  const { answer, address, named } = search;
  const said = answer.advice?.split(/`([^`]*)`/);
  const advice =
    said &&
    html`<p class="note">${said.map((part, at) => (at % 2 === 1 ? html`<code class="foreign">${part}</code>` : part))}</p>`;
  // Parts of an address are not misspelt words.
  const unknown = named?.found
    ? namedBlock(search)
    : html`${namedBlock(search)}${(answer.did_you_mean ?? []).map((one) => unknownWord(one, address))}${advice}${meantLinks(search)}`;
  const earlier = earlierPicks(address, answer.listings);
  const picked = address.has('handle') ? html`${earlier}${compareButton}` : '';
  if (answer.no_match)
    return html`${unknown}
<div class="no-match">
<p>${answer.no_match.copy_lacks ? `${answer.no_match.copy_lacks} ` : ''}${reason(search)}</p>
${
  answer.no_match.unknown_filters?.map(({ filter, near }) => {
    const links = near.flatMap((one) => {
      const other = toFilter(one);
      return other
        ? html` <a href="${withFilter(new URLSearchParams(), other)}" rel="nofollow">${other.text}</a>`
        : [];
    });
    return html`
<p>No listing passes the filter “${toFilter(filter)?.text ?? filter}”.${links.length > 0 && html` Near:${links}`}</p>`;
  }) ?? ''
}
${nameList('Similar', answer.no_match.near)}
${
  answer.no_match.leave_out.length > 0 &&
  html`
<h2>Searches that find something</h2>
<ul class="plain">${answer.no_match.leave_out.map((one) => {
    const link = toLink(one, search.address);
    return (
      link &&
      html`<li><a href="${link.href}" rel="nofollow">${link.text}</a> <span class="count">${counted(one.count, 'listing')}</span></li>`
    );
  })}</ul>`
}
<p>Or <a href="/tags">browse by tag</a>.</p>
</div>${picked}`;
  if (answer.listings.length === 0)
    return html`<p><a href="${pathWith(address)}">From the first listing</a></p>`;
  return html`<h2 class="unseen">Results</h2>
${unknown}${sortLinks(search)}${earlier}
<ul id="list" class="cards">${listingRows(answer.listings, address.get('q') ?? '', pickBox(address))}</ul>
${compareButton}
${more(search, isLive)}`;
}

const boosted = html` hx-boost:inherited="true"`;

/** Contents alone are replaced: the count is announced, and the filters stay open or closed. */
const frame = (
  address: URLSearchParams,
  isLive: boolean,
  { count, facets, inside }: { readonly count: string; readonly facets: Html; readonly inside: Html },
): Html => html`
<div class="results">
<aside aria-label="Filters"${isLive ? boosted : ''}>
<h2 class="unseen">Filters</h2>
<details class="filters"><summary>Filters</summary><div id="facets">${facets}</div></details>
</aside>
<div>
<p id="count" class="total" role="status" tabindex="-1">${count}</p>
<div id="held"${isLive ? boosted : ''}>${selectedFilters(address)}</div>
<section id="results" aria-label="Results">${inside}</section>
</div>
</div>`;

const searchResults = (search: ShownSearch, isLive: boolean): Html =>
  frame(search.address, isLive, {
    count: total(search),
    facets: facetGroups(search),
    inside: hits(search, isLive),
  });

/** The search field is never replaced. */
const upgrades = html`hx-target:inherited="#results" hx-select:inherited="#results" hx-select-oob:inherited="#count:innerHTML,#held:innerHTML,#facets:innerHTML" hx-swap:inherited="outerHTML show:none" hx-sync:inherited="#search:replace" hx-indicator:inherited="#results" hx-status:422:inherited="select:#results" hx-status:4xx:inherited="select:main>* swap:innerHTML" hx-status:5xx:inherited="select:main>* swap:innerHTML"`;

const searchPage = (site: PageSite, address: URLSearchParams, results: Html, isWrong = false) => {
  const query = address.get('q') ?? '';
  return toPage(site, {
    title: query ? `Search: ${quoted(query)}` : 'Listings',
    description:
      'Search agent services by name, tag, transport and package. The order follows from texts and dates, never from ratings.',
    path: '/agents',
    indexed: address.size === 0,
    head: html`<script src="${assets.search.path}" defer></script>`,
    body: html`<h1>Listings</h1>
<div ${upgrades}>${liveSearchForm(query, isWrong)}${results}</div>`,
  });
};

export const toSearchPage = (site: PageSite, search: ShownSearch): Html =>
  searchPage(site, search.address, searchResults(search, true));

/** In place of the results; filters can still be removed. */
export function toWrongSearchPage(site: PageSite, address: URLSearchParams, problem: Problem): Html {
  const { fields = [] } = problem.facts;
  const isWrong = fields.some(({ field }) => field === 'query');
  const inside = html`<ul id="wrong" class="notice">${fields.map(({ field, message }) => html`<li>${field}: ${message}</li>`)}</ul>`;
  const results = { count: 'This search cannot be run.', facets: nothingToNarrow, inside };
  return searchPage(site, address, frame(address, true, results), isWrong);
}

export const toTagPage = (site: PageSite, tag: string, answer: SearchAnswer): Html =>
  toPage(site, {
    title: `Tag: ${tag}`,
    description: `Agent services with the tag ${tag}, and what is known about them.`,
    path: `/tags/${encodeURIComponent(tag)}`,
    feeds: `/tags/${encodeURIComponent(tag)}`,
    body: html`
<p class="eyebrow"><a href="/tags">Tags</a></p>
<h1>${tag}</h1>
<p class="lead">Listings with this tag. Tags come from recorded texts and facts, and from keywords of publishers. They are not endorsements.</p>
${plainSearchForm()}${searchResults({ answer, address: new URLSearchParams({ tag }) }, false)}`,
  });
