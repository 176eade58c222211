export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Each member is made when it is first read. */
export function lazyMembers<T extends object>(makers: { readonly [K in keyof T]: () => T[K] }): T {
  const each = Object.entries(makers as Record<string, () => object>);
  const members = each.map(([name, make]) => [name, { get: lazy(make) }]);
  return Object.defineProperties({}, Object.fromEntries(members)) as T;
}

/** Drops all results when there are `most`; an LRU cache would have to record each hit. */
export function memoize<T extends object | string | boolean>(
  make: (key: string) => T,
  most: number,
): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make(key);
    if (known.size >= most) known.clear();
    known.set(key, made);
    return made;
  };
}
