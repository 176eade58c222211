import { html } from 'hono/html';
import { amount, counted } from '../../evidence/text/plural.ts';
import type { Html } from '../layout/html.ts';
import { listingRows } from '../listing/listing-list.ts';
import { compareButton, earlierPicks, pickBox } from './compare-picks.ts';
import { noMatch } from './no-match.ts';
import { facetGroups, nothingToNarrow, selectedFilters } from './search-filters.ts';
import {
  type Search,
  type SearchAddress,
  type SearchAnswer,
  withCursor,
  withoutPosition,
  withQuery,
  withShown,
  withSort,
} from './search-links.ts';

const sorts = [
  { sort: 'relevance', withWords: 'best match', without: 'oldest publication' },
  { sort: 'updated', withWords: 'last updated', without: 'last updated' },
  { sort: 'published', withWords: 'newest', without: 'newest' },
] as const;

/** What decides the order, and links to the other orders. */
function sortLinks({ answer, address }: Search): Html {
  const isSearch = address.has('q');
  const held = address.get('sort') ?? 'relevance';
  const links = sorts.map(({ sort, withWords, without }) => {
    const text = isSearch ? withWords : without;
    return sort === held
      ? html`<strong>${text}</strong>`
      : html`<a href="${withSort(address, sort)}" rel="nofollow">${text}</a>`;
  });
  const isOfSome = isSearch && answer.total.capped && held !== 'relevance';
  const some = isOfSome ? ` of the ${amount(answer.total.count)} that were read` : '';
  return html`<p class="note order">Order: ${links.map((link, at) => html`${at > 0 ? ', ' : ''}${link}`)}${some}. Never by ratings.</p>`;
}

type Unknown = NonNullable<SearchAnswer['did_you_mean']>[number];

/** The query with another text for a word, as far as it has the word as it is given. */
function replaceWord(query: string, word: string, other: string): string {
  const at = query.toLowerCase().indexOf(word);
  if (at < 0) return other || query;
  return `${query.slice(0, at)}${other}${query.slice(at + word.length)}`.replace(/\s+/g, ' ').trim();
}

function unknownWord({ word, near }: Unknown, address: SearchAddress) {
  const query = address.get('q') ?? '';
  const link = (other: string) =>
    html` <a href="${withQuery(address, replaceWord(query, word, other))}" rel="nofollow">${other}</a>`;
  return html`<p class="note">No listing has the word “${word}”.${near.length > 0 ? html` This search also looked for:${near.map(link)}` : ''}</p>`;
}

/** The words of a search that no listing has, and what was searched for instead. */
const didYouMean = (unknown: readonly Unknown[], address: SearchAddress): Html =>
  html`${unknown.map((one) => unknownWord(one, address))}`;

/** Listings that `more` adds. */
export const pageSize = 20;
/** The most listings on one page; after them, `more` opens a new page. */
export const maxShown = 200;

/** The position of the last listing shown among all hits, from 1; undefined if the address does not state it. */
function lastPosition({ answer, address }: Search): number | undefined {
  const from = address.has('cursor') ? Number(address.get('from')) : 1;
  return from >= 1 ? from - 1 + answer.listings.length : undefined;
}

function total(search: Search): string {
  const { total: matches, listings, next_cursor } = search.answer;
  if (matches.count === 0) return matches.capped ? 'No match was read.' : 'No listing matches.';
  const all = matches.capped
    ? `More than ${amount(matches.count)} listings`
    : counted(matches.count, 'listing');
  if (listings.length === 0) return `${all}; there are no more after this position.`;
  const shown = next_cursor ? lastPosition(search) : undefined;
  return shown ? `${all}, ${amount(shown)} shown so far.` : `${all}.`;
}

/** A link to the next listings. If htmx runs, they are appended, and the address then shows all of them. */
function more(search: Search, isLive: boolean) {
  const { answer, address } = search;
  if (!answer.next_cursor) return html`<p id="more" class="more"></p>`;
  const last = lastPosition(search);
  const next = (last ?? maxShown) + pageSize;
  const added =
    isLive && next <= maxShown
      ? html` hx-boost="true" hx-target="#list" hx-select="#list > li" hx-select-oob="#more,#count:innerHTML" hx-swap="beforeend show:none" hx-replace-url="${withShown(address, next)}"`
      : '';
  return html`<p id="more" class="more"><a class="button" rel="next" href="${withCursor(address, answer.next_cursor, last)}"${added}>More listings</a></p>`;
}

function hits(search: Search, isLive: boolean) {
  const { answer, address } = search;
  const unknown = didYouMean(answer.did_you_mean ?? [], address);
  const earlier = earlierPicks(address, answer.listings);
  const picked = address.has('handle') ? html`${earlier}${compareButton}` : '';
  if (answer.no_match) return html`${unknown}${noMatch(answer.no_match, search)}${picked}`;
  if (answer.listings.length === 0)
    return html`<p><a href="${withoutPosition(address)}">From the first listing</a></p>`;
  return html`<h2 class="unseen">Results</h2>
${unknown}${sortLinks(search)}${earlier}
<ul id="list" class="cards">${listingRows(answer.listings, address.get('q') ?? '', pickBox(address))}</ul>
${compareButton}
${more(search, isLive)}`;
}

/** The frame stays while its contents are replaced: the count is announced, the filters stay open or closed. */
interface Frame {
  readonly count: string;
  readonly selected: Html;
  readonly facets: Html;
  readonly inside: Html;
  readonly isLive: boolean;
}

const boosted = html` hx-boost:inherited="true"`;

const frame = ({ count, selected, facets, inside, isLive }: Frame): Html => html`
<div class="results">
<aside aria-label="Filters"${isLive ? boosted : ''}>
<h2 class="unseen">Filters</h2>
<details class="filters"><summary>Filters</summary><div id="facets">${facets}</div></details>
</aside>
<div>
<p id="count" class="total" role="status" tabindex="-1">${count}</p>
<div id="held"${isLive ? boosted : ''}>${selected}</div>
<section id="results" aria-label="Results">${inside}</section>
</div>
</div>`;

/** Count, filters and listings of a search; `isLive` if htmx replaces them in place. */
export const searchResults = (search: Search, isLive: boolean): Html =>
  frame({
    count: total(search),
    selected: selectedFilters(search.address),
    facets: facetGroups(search),
    inside: hits(search, isLive),
    isLive,
  });

/** The same frame for an invalid search: its errors, and its filters to remove. */
export const wrongSearch = (
  address: Search['address'],
  fields: readonly { readonly field: string; readonly message: string }[],
): Html =>
  frame({
    count: 'This search cannot be run.',
    selected: selectedFilters(address),
    facets: nothingToNarrow,
    inside: html`<ul id="wrong" class="notice">${fields.map(({ field, message }) => html`<li>${field}: ${message}</li>`)}</ul>`,
    isLive: true,
  });
