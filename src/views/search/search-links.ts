import type { z } from 'zod';
import type { ClaimState } from '../../evidence/listing/listing-document.ts';
import { packageTypes, transports } from '../../evidence/listing/record/recorded-kinds.ts';
import { own } from '../../evidence/text/json-object.ts';
import type { searchAgents } from '../../tools/search-agents.ts';
import { stateTexts } from '../layout/labels.ts';

/**
 * A search as query parameters: `q`, `sort` and the filters, `tag` any number of times; `cursor` with `from`, the position of
 * its first listing; `shown`, the number of listings on the page; and `handle`, each listing ticked to be compared.
 */
export type SearchAddress = URLSearchParams;

/** The answer of search_agents. */
export type SearchAnswer = z.output<(typeof searchAgents)['output']>;

/** An answer and the address it belongs to. */
export interface Search {
  readonly answer: SearchAnswer;
  readonly address: SearchAddress;
}

/** A filter: its parameter, its value, and a label for both. */
export interface Filter {
  readonly name: string;
  readonly value: string;
  readonly text: string;
}

const flagTexts: Readonly<Record<string, string>> = {
  has_endpoint: 'remote endpoint recorded',
  has_native_ratings: 'has native ratings',
};
const flagNames: Readonly<Record<string, string>> = {
  endpoint: 'has_endpoint',
  ratings: 'has_native_ratings',
};
/** Kinds with a closed set of values to filter by; listings may record other values. */
const filterValues: Readonly<Record<string, readonly string[]>> = {
  transport: transports,
  package: packageTypes,
};
const positionNames: ReadonlySet<string> = new Set(['cursor', 'from', 'shown']);
const otherNames: ReadonlySet<string> = new Set([...positionNames, 'q', 'sort', 'handle']);

const textOf = (name: string, value: string) => {
  if (name === 'state') return stateTexts[value as ClaimState]?.toLowerCase() ?? value;
  return own(flagTexts, name) ?? value;
};

const toNamed = (name: string, value: string): Filter => ({ name, value, text: textOf(name, value) });

/** The filter for a facet; undefined if the search cannot filter by it. */
export function toFilter(facet: string): Filter | undefined {
  const kind = facet.slice(0, facet.indexOf(':'));
  const value = facet.slice(kind.length + 1);
  if (kind === 'has') {
    const flag = own(flagNames, value);
    return flag === undefined ? undefined : toNamed(flag, 'true');
  }
  return own(filterValues, kind)?.includes(value) === false ? undefined : toNamed(kind, value);
}

/** The filters of an address, in its order. */
export const filtersOf = (address: SearchAddress): Filter[] =>
  [...address]
    .filter(([name, value]) => value !== '' && !otherNames.has(name))
    .map(([name, value]) => toNamed(name, value));

const toPath = (address: SearchAddress) => (address.size === 0 ? '/agents' : `/agents?${address}`);

/** The path of a changed address, back at its first listing. */
function changed(address: SearchAddress, change: (next: URLSearchParams) => void): string {
  const next = new URLSearchParams([...address].filter(([name]) => !positionNames.has(name)));
  change(next);
  return toPath(next);
}

/** The address with a filter added. */
export const withFilter = (address: SearchAddress, { name, value }: Filter): string =>
  changed(address, (next) => (name === 'tag' ? next.append(name, value) : next.set(name, value)));

/** The address with a filter removed. */
export const withoutFilter = (address: SearchAddress, { name, value }: Filter): string =>
  changed(address, (next) => next.delete(name, value));

/** The address without filters. */
export const withoutFilters = (address: SearchAddress): string =>
  changed(address, (next) => {
    for (const { name } of filtersOf(address)) next.delete(name);
  });

/** The address with another query; without words, the filters alone. */
export const withQuery = (address: SearchAddress, query: string): string =>
  changed(address, (next) => (query ? next.set('q', query) : next.delete('q')));

/** The address in another order. */
export const withSort = (address: SearchAddress, sort: string): string =>
  changed(address, (next) => (sort === 'relevance' ? next.delete('sort') : next.set('sort', sort)));

/** The address back at its first listing. */
export const withoutPosition = (address: SearchAddress): string => changed(address, () => undefined);

/** The address of the next page; `last` is the position of the last listing on this one, if known. */
export const withCursor = (address: SearchAddress, cursor: string, last: number | undefined): string =>
  changed(address, (next) => {
    next.set('cursor', cursor);
    if (last) next.set('from', String(last + 1));
  });

/** The address with the first `shown` listings. */
export const withShown = (address: SearchAddress, shown: number): string =>
  changed(address, (next) => next.set('shown', String(shown)));
