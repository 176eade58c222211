import { html } from 'hono/html';
import type { z } from 'zod';
import { ownMember } from '../../core/json.ts';
import { amount } from '../../core/text.ts';
import { isRecordedTag, packageTypes, transports } from '../../document/record.ts';
import { stateTexts } from '../../document/words.ts';
import type { fixedFilterNames } from '../../tools/find/meant-filters.ts';
import type { SearchedName } from '../../tools/find/searched-name.ts';
import type { searchAgents } from '../../tools/search-agents.ts';
import type { Html } from '../html.ts';

export type SearchAnswer = z.output<(typeof searchAgents)['output']>;

export interface ShownSearch {
  readonly answer: SearchAnswer;
  /**
   * `tag` may repeat; `from` is the position of the first listing after `cursor`, `shown` how many there are,
   * `handle` a ticked one.
   */
  readonly address: URLSearchParams;
  /** What has, or had, what the query names. */
  readonly named?: SearchedName | undefined;
  /** Of the payee in the query. */
  readonly payee?: string | undefined;
}

const flagTexts: Readonly<Record<(typeof fixedFilterNames)[number], string>> = {
  active: 'listed as active',
  needs_secret: 'record names no secret',
  has_endpoint: 'remote endpoint recorded',
  has_native_ratings: 'rated here',
  answered: 'answered its last check',
  no_payment_seen: 'asked for no payment',
};
/** Listings may record others. */
const filterValues: Readonly<Record<string, readonly string[]>> = {
  transport: transports,
  package: packageTypes,
};
const positionNames: ReadonlySet<string> = new Set(['cursor', 'from', 'shown']);
const otherNames: ReadonlySet<string> = new Set([...positionNames, 'q', 'sort', 'handle']);

const fieldText = (name: string, value: string) => {
  if (name === 'state') return stateTexts[value as keyof typeof stateTexts]?.toLowerCase() ?? value;
  return ownMember(flagTexts, name) ?? value;
};

const toNamed = (name: string, value: string) => ({ name, value, text: fieldText(name, value) });
type Filter = ReturnType<typeof toNamed>;

/** Undefined if a search cannot filter by it. */
export function toFilter(facet: string): Filter | undefined {
  const name = facet.slice(0, facet.indexOf(':'));
  const value = facet.slice(name.length + 1);
  if (/^(?:has|is|seen)$/.test(name) || ownMember(filterValues, name)?.includes(value) === false)
    return undefined;
  return toNamed(name === 'tags' ? 'tag' : name, value);
}

export const filtersOf = (address: URLSearchParams): Filter[] =>
  [...address]
    .filter(([name, value]) => value !== '' && !otherNames.has(name))
    .map(([name, value]) => toNamed(name, value));

/** Of the first page; an empty value removes its parameter. */
export function pathWith(address: URLSearchParams, values: Readonly<Record<string, string>> = {}): string {
  const next = new URLSearchParams([...address].filter(([name]) => !positionNames.has(name)));
  for (const [name, value] of Object.entries(values)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  return next.size === 0 ? '/agents' : `/agents?${next}`;
}

export const withFilter = (address: URLSearchParams, { name, value }: Filter): string =>
  name === 'tag'
    ? pathWith(new URLSearchParams([...address, [name, value]]))
    : pathWith(address, { [name]: value });

export const withoutFilter = (address: URLSearchParams, filter: Filter): string =>
  pathWith(
    new URLSearchParams(
      [...address].filter(([name, value]) => name !== filter.name || value !== filter.value),
    ),
  );

const kinds = [
  { kind: 'is', title: 'Record', names: ['active', 'needs_secret', 'has_endpoint'] },
  { kind: 'seen', title: 'Last check', names: ['answered', 'no_payment_seen'] },
  { kind: 'state', title: 'Claim and ratings', names: ['state', 'has_native_ratings'] },
  { kind: 'transport', title: 'Transport', names: ['transport'] },
  { kind: 'package', title: 'Package', names: ['package'] },
  { kind: 'tag', title: 'Tags', names: ['tag'] },
] as const;
const facetsShown = 12;
/** Beside a chosen value, the counts of the others are not known. */
const chosenOnce: ReadonlySet<string> = new Set(['state', 'transport', 'package']);

const isSelected = (address: URLSearchParams, { name, value }: Filter) =>
  address.getAll(name).includes(value);
const idOf = ({ name, value }: Filter) => `filter-${name}-${value}`;

const toField = (name: string, value: string) =>
  html`<input type="hidden" form="search" name="${name}" value="${value}">`;

/** A link that removes it, and a field of the search form. */
export const selectedFilters = (address: URLSearchParams): Html => {
  const selected = filtersOf(address);
  const sort = address.get('sort');
  const sortField = sort ? toField('sort', sort) : html``;
  if (selected.length === 0) return sortField;
  return html`<ul class="held" aria-label="Selected filters">${selected.map(
    (filter) =>
      html`<li><a class="tag" href="${withoutFilter(address, filter)}"><span class="unseen">Remove the filter </span>${ownMember(flagTexts, filter.name) ? '' : `${filter.name}: `}${filter.text} <span aria-hidden="true">&times;</span></a></li>`,
  )}${
    selected.length > 1 &&
    html`<li><a href="${pathWith(address, Object.fromEntries(selected.map(({ name }) => [name, ''])))}">Remove all</a></li>`
  }</ul>
${selected.map(({ name, value }) => toField(name, value))}${sortField}`;
};

function group({ title, kind, names }: (typeof kinds)[number], { answer, address }: ShownSearch) {
  const isOfGroup = (name: string) => names.some((one) => one === name);
  const choices = Object.entries(answer.facets ?? {})
    .flatMap(([facet, count]) => {
      const filter = toFilter(facet);
      if (!filter || !isOfGroup(filter.name)) return [];
      if (filter.name === 'tag' && isRecordedTag(filter.value) && !isSelected(address, filter)) return [];
      const isChosen = chosenOnce.has(filter.name) && address.has(filter.name);
      const narrows = !isChosen && (count < answer.total.count || answer.total.capped);
      return narrows || isSelected(address, filter) ? [{ filter, count }] : [];
    })
    .slice(0, facetsShown);
  if (choices.length === 0) return '';
  const more = answer.total.capped ? '+' : '';
  return html`<h3 id="kind-${kind}">${title}</h3><ul class="facets" aria-labelledby="kind-${kind}">${choices.map(
    ({ filter, count }) =>
      isSelected(address, filter)
        ? html`<li><a id="${idOf(filter)}" href="${withoutFilter(address, filter)}" aria-current="true" rel="nofollow">${filter.text}</a> <span class="count">remove</span></li>`
        : html`<li><a id="${idOf(filter)}" href="${withFilter(address, filter)}" rel="nofollow">${filter.text}</a> <span class="count">${`${amount(count)}${more}`}</span></li>`,
  )}</ul>`;
}

/** Keeps the layout if nothing was found. */
export const nothingToNarrow = html`<p class="note">Nothing to narrow down.</p>`;

/** `+` marks lower bounds. */
export const facetGroups = (search: ShownSearch): Html =>
  Object.keys(search.answer.facets ?? {}).length === 0
    ? nothingToNarrow
    : html`${kinds.map((kind) => group(kind, search))}${
        search.answer.total.capped &&
        html`<p class="note">Counted over the first ${amount(search.answer.total.count)} listings: there may be more listings and more filters.</p>`
      }`;

const field = (query: string, isWrong = false) => html`
<label for="q">Search listings</label>
<span class="field"><input id="q" name="q" type="search" value="${query}" maxlength="2000" placeholder="webhooks, or a handle" autocomplete="off" autocapitalize="none" spellcheck="false" enterkeyhint="search"${isWrong ? html` aria-invalid="true" aria-describedby="wrong"` : ''}>
<button type="submit">Search</button></span>`;

export const plainSearchForm = (query = ''): Html => html`
<form id="search" class="search" action="/agents" method="get" role="search">${field(query)}</form>`;

/** With htmx, it searches while the user types. */
export const liveSearchForm = (query: string, isWrong: boolean): Html => html`
<form id="search" class="search" action="/agents" method="get" role="search" hx-get="/agents" hx-trigger="input changed delay:200ms, submit" hx-replace-url="true">${field(query, isWrong)}</form>`;
