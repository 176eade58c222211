import { html } from 'hono/html';
import { isRecordedTag } from '../../evidence/listing/record/recorded-kinds.ts';
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

/** Facet kinds with their titles, in display order. */
const kinds = [
  { kind: 'has', title: 'Facts' },
  { kind: 'state', title: 'Claim' },
  { kind: 'transport', title: 'Transport' },
  { kind: 'package', title: 'Package' },
  { kind: 'tag', title: 'Tags' },
] as const;
const facetsShown = 12;
/** Kinds with one value at a time. Another value would replace it, and its count is not known. */
const chosenOnce: ReadonlySet<string> = new Set(['state', 'transport', 'package']);

const kindOf = (name: string) => (name.startsWith('has_') ? '' : `${name}: `);
const isSelected = (address: SearchAddress, { name, value }: Filter) => address.getAll(name).includes(value);
const idOf = ({ name, value }: Filter) => `filter-${name}-${value}`;

const toField = (name: string, value: string) =>
  html`<input type="hidden" form="search" name="${name}" value="${value}">`;

/** The selected filters, each as a link that removes it and as a field of the search form; the sort as a field. */
export const selectedFilters = (address: SearchAddress): Html => {
  const selected = filtersOf(address);
  const sort = address.get('sort');
  const sortField = sort ? toField('sort', sort) : html``;
  if (selected.length === 0) return sortField;
  return html`<ul class="held" aria-label="Selected filters">${selected.map(
    (filter) =>
      html`<li><a class="tag" href="${withoutFilter(address, filter)}"><span class="unseen">Remove the filter </span>${kindOf(filter.name)}${filter.text} <span aria-hidden="true">&times;</span></a></li>`,
  )}${selected.length > 1 ? html`<li><a href="${withoutFilters(address)}">Remove all</a></li>` : ''}</ul>
${selected.map(({ name, value }) => toField(name, value))}${sortField}`;
};

const choice = (filter: Filter, count: string, address: SearchAddress) =>
  isSelected(address, filter)
    ? html`<li><a id="${idOf(filter)}" href="${withoutFilter(address, filter)}" aria-current="true" rel="nofollow">${filter.text}</a> <span class="count">set <span aria-hidden="true">&times;</span></span></li>`
    : html`<li><a id="${idOf(filter)}" href="${withFilter(address, filter)}" rel="nofollow">${filter.text}</a> <span class="count">${count}</span></li>`;

function group(title: string, kind: string, { answer, address }: Search) {
  const isChosen = chosenOnce.has(kind) && address.has(kind);
  const choices = answer.facets
    .flatMap(({ facet, count }) => {
      const filter = facet.startsWith(`${kind}:`) ? toFilter(facet) : undefined;
      if (filter?.name === 'tag' && isRecordedTag(filter.value) && !isSelected(address, filter)) return [];
      return filter && (!isChosen || isSelected(address, filter)) ? [{ filter, count }] : [];
    })
    .slice(0, facetsShown);
  if (choices.length === 0) return '';
  const more = answer.total.capped ? '+' : '';
  return html`<h3 id="kind-${kind}">${title}</h3><ul class="facets" aria-labelledby="kind-${kind}">${choices.map(
    ({ filter, count }) => choice(filter, `${amount(count)}${more}`, address),
  )}</ul>`;
}

/** Takes the place of the filters if nothing was found, so that the layout does not shift. */
export const nothingToNarrow = html`<p class="note">Nothing to narrow down.</p>`;

const capNote = ({ total: { count, capped } }: SearchAnswer) =>
  capped
    ? html`<p class="note">Counted over the first ${amount(count)} listings: there may be more listings and more filters.</p>`
    : '';

/** Filters for the results, each with the number of listings left; a lower bound (`+`) if counting was capped. */
export const facetGroups = (search: Search): Html =>
  search.answer.facets.length === 0
    ? nothingToNarrow
    : html`${kinds.map(({ kind, title }) => group(title, kind, search))}${capNote(search.answer)}`;
