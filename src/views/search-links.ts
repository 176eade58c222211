/** A search as its address holds it: parameter names and values, `tag` any number of times. */
export type SearchAddress = URLSearchParams;

/** A filter that an address can hold: the parameter and its value. */
export interface Filter {
  readonly name: string;
  readonly value: string;
  readonly text: string;
}

const hasNames: Readonly<Record<string, readonly [string, string]>> = {
  endpoint: ['has_endpoint', 'has a remote endpoint'],
  ratings: ['has_native_ratings', 'has native ratings'],
};

/** The filter that a facet stands for; undefined for facets the search does not filter by. */
export function toFilter(facet: string): Filter | undefined {
  const kind = facet.slice(0, facet.indexOf(':'));
  const value = facet.slice(kind.length + 1);
  if (kind === 'has') {
    const [name, text] = hasNames[value] ?? [];
    return name && text ? { name, value: 'true', text } : undefined;
  }
  return { name: kind, value, text: value };
}

/** Filters an address holds, in its order. */
export const filtersOf = (address: SearchAddress): Filter[] =>
  [...address]
    .filter(([name, value]) => value !== '' && !['q', 'cursor'].includes(name))
    .map(([name, value]) => ({
      name,
      value,
      text: name.startsWith('has_') ? name.replaceAll('_', ' ') : value,
    }));

const toPath = (address: SearchAddress) => (address.size === 0 ? '/agents' : `/agents?${address}`);

/** The address with one filter more, from its first page. */
export function withFilter(address: SearchAddress, { name, value }: Filter): string {
  const next = new URLSearchParams(address);
  next.delete('cursor');
  if (name === 'tag') next.append(name, value);
  else next.set(name, value);
  return toPath(next);
}

/** The address with one filter less, from its first page. */
export function withoutFilter(address: SearchAddress, { name, value }: Filter): string {
  const next = new URLSearchParams(address);
  next.delete('cursor');
  next.delete(name, value);
  return toPath(next);
}

/** The address of the page behind a cursor. */
export function withCursor(address: SearchAddress, cursor: string): string {
  const next = new URLSearchParams(address);
  next.set('cursor', cursor);
  return toPath(next);
}
