import { html } from 'hono/html';
import { isRecordedTag } from '../../evidence/listing/recorded-kinds.ts';
import { amount } from '../../evidence/text/plural.ts';
import type { Html } from '../layout/html.ts';
import {
  type Filter,
  filtersOf,
  type Search,
  type SearchAddress,
  type SearchAnswer,
  toFilter,
  withFilter,
  withoutFilter,
  withoutFilters,
} from './search-links.ts';

/** Facet kinds in words, in the order they are shown. */
const kinds = [
  { kind: 'has', title: 'Facts' },
  { kind: 'state', title: 'Claim' },
  { kind: 'transport', title: 'Transport' },
  { kind: 'package', title: 'Package' },
  { kind: 'tag', title: 'Tags' },
] as const;
const facetsShown = 12;
/** An address holds one of each; another would replace it, for which no count is known. */
const chosenOnce: ReadonlySet<string> = new Set(['state', 'transport', 'package']);

const kindOf = (name: string) => (name.startsWith('has_') ? '' : `${name}: `);
const isHeld = (address: SearchAddress, { name, value }: Filter) => address.getAll(name).includes(value);
const idOf = ({ name, value }: Filter) => `filter-${name}-${value}`;

/** The filters that are set, each a link that takes it away, and as fields of the search form. */
export const heldFilters = (address: SearchAddress): Html => {
  const held = filtersOf(address);
  if (held.length === 0) return html``;
  return html`<ul class="held" aria-label="Filters that are set">${held.map(
    (filter) =>
      html`<li><a class="tag" href="${withoutFilter(address, filter)}"><span class="unseen">Remove the filter </span>${kindOf(filter.name)}${filter.text} <span aria-hidden="true">&times;</span></a></li>`,
  )}${held.length > 1 ? html`<li><a href="${withoutFilters(address)}">Remove all</a></li>` : ''}</ul>
${held.map(({ name, value }) => html`<input type="hidden" form="search" name="${name}" value="${value}">`)}`;
};

const choice = (filter: Filter, count: string, address: SearchAddress) =>
  isHeld(address, filter)
    ? html`<li><a id="${idOf(filter)}" href="${withoutFilter(address, filter)}" aria-current="true" rel="nofollow">${filter.text}</a> <span class="count">set <span aria-hidden="true">&times;</span></span></li>`
    : html`<li><a id="${idOf(filter)}" href="${withFilter(address, filter)}" rel="nofollow">${filter.text}</a> <span class="count">${count}</span></li>`;

function group(title: string, kind: string, { answer, address }: Search) {
  const isSet = chosenOnce.has(kind) && address.has(kind);
  const choices = answer.facets
    .flatMap(({ facet, count }) => {
      const filter = facet.startsWith(`${kind}:`) ? toFilter(facet) : undefined;
      if (filter?.name === 'tag' && isRecordedTag(filter.value) && !isHeld(address, filter)) return [];
      return filter && (!isSet || isHeld(address, filter)) ? [{ filter, count }] : [];
    })
    .slice(0, facetsShown);
  if (choices.length === 0) return '';
  const more = answer.total.capped ? '+' : '';
  return html`<h3 id="kind-${kind}">${title}</h3><ul class="facets" aria-labelledby="kind-${kind}">${choices.map(
    ({ filter, count }) => choice(filter, `${amount(count)}${more}`, address),
  )}</ul>`;
}

/** What is said in the place of filters where nothing was found: the place stays, so that nothing jumps. */
export const nothingToNarrow = html`<p class="note">Nothing to narrow down.</p>`;

const capNote = ({ total: { count, capped } }: SearchAnswer) =>
  capped
    ? html`<p class="note">Counted over ${amount(count)} of the listings: there are at least as many, and there may be more filters.</p>`
    : '';

/** What the results can be narrowed by, with how many would be left; where counting stopped, at least as many. */
export const facetGroups = (search: Search): Html =>
  search.answer.facets.length === 0
    ? nothingToNarrow
    : html`${kinds.map(({ kind, title }) => group(title, kind, search))}${capNote(search.answer)}`;
