import { html } from 'hono/html';
import { amount, counted } from '../../evidence/text/plural.ts';
import { tokenize } from '../../evidence/text/tokenize.ts';
import type { Html } from '../layout/html.ts';
import { listingRows } from '../listing/listing-list.ts';
import { pickBox, pickForm } from './compare-picks.ts';
import { noMatch } from './no-match.ts';
import { facetGroups, heldFilters, nothingToNarrow } from './search-filters.ts';
import { type Search, withCursor, withoutPlace, withShown } from './search-links.ts';

/** Listings that `more` brings. */
export const pageSize = 20;
/** Listings that one address shows; `more` opens a page of its own behind them. */
export const mostShown = 200;

/** The place of the last listing shown, counted from the first one found; undefined on a page that does not know its own. */
function lastPlace({ answer, address }: Search): number | undefined {
  const from = address.has('cursor') ? Number(address.get('from')) : 1;
  return from >= 1 ? from - 1 + answer.listings.length : undefined;
}

function total(search: Search): string {
  const { total: found, listings, next_cursor } = search.answer;
  if (found.count === 0) return 'No listing matches.';
  const all = found.capped ? `More than ${amount(found.count)} listings` : counted(found.count, 'listing');
  if (listings.length === 0) return `${all}; there are no more behind this place.`;
  const shown = next_cursor ? lastPlace(search) : undefined;
  return shown ? `${all}, ${amount(shown)} shown so far.` : `${all}.`;
}

const order = (words: readonly string[]) =>
  `Order: ${words.length > 0 ? 'name, then tags, then text; in each the ' : ''}first published first. Never by ratings.`;

/** The next listings: a plain link; where htmx runs they are added below, and the address then shows them all. */
function more(search: Search, isLive: boolean) {
  const { answer, address } = search;
  if (!answer.next_cursor) return html`<p id="more" class="more"></p>`;
  const last = lastPlace(search);
  const next = (last ?? mostShown) + pageSize;
  const added =
    isLive && next <= mostShown
      ? html` hx-boost="true" hx-target="#list" hx-select="#list > li" hx-select-oob="#more,#count:innerHTML" hx-swap="beforeend show:none" hx-replace-url="${withShown(address, next)}"`
      : '';
  return html`<p id="more" class="more"><a class="button" rel="next" href="${withCursor(address, answer.next_cursor, last)}"${added}>More listings</a></p>`;
}

function found(search: Search, isLive: boolean) {
  const { answer, address } = search;
  if (answer.no_match) return noMatch(answer.no_match, address);
  if (answer.listings.length === 0)
    return html`<p><a href="${withoutPlace(address)}">From the first listing</a></p>`;
  const words = tokenize(address.get('q') ?? '');
  return html`<h2 class="unseen">Results</h2>
<p class="note order">${order(words)}</p>
<ul id="list" class="cards">${listingRows(answer.listings, words, pickBox)}</ul>
${pickForm}
${more(search, isLive)}`;
}

/** The frame that stays while what is in it is replaced: the count is announced, the filters stay open or closed. */
interface Frame {
  readonly count: string;
  readonly held: Html;
  readonly facets: Html;
  readonly inside: Html;
  readonly isLive: boolean;
}

const boosted = html` hx-boost:inherited="true"`;

const frame = ({ count, held, facets, inside, isLive }: Frame): Html => html`
<div class="results">
<aside aria-label="Filters"${isLive ? boosted : ''}>
<h2 class="unseen">Filters</h2>
<details class="filters"><summary>Filters</summary><div id="facets">${facets}</div></details>
</aside>
<div>
<p id="count" class="total" role="status" tabindex="-1">${count}</p>
<div id="held"${isLive ? boosted : ''}>${held}</div>
<section id="results" aria-label="Results">${inside}</section>
</div>
</div>`;

/** Count, filters and listings of a search; `isLive` where they are replaced in place. */
export const searchResults = (search: Search, isLive: boolean): Html =>
  frame({
    count: total(search),
    held: heldFilters(search.address),
    facets: facetGroups(search),
    inside: found(search, isLive),
    isLive,
  });

/** The same frame where the search cannot be run: what is wrong with it, and its filters to take away. */
export const wrongSearch = (
  address: Search['address'],
  fields: readonly { readonly field: string; readonly message: string }[],
): Html =>
  frame({
    count: 'This search cannot be run.',
    held: heldFilters(address),
    facets: nothingToNarrow,
    inside: html`<ul id="wrong" class="notice">${fields.map(({ field, message }) => html`<li>${field}: ${message}</li>`)}</ul>`,
    isLive: true,
  });
