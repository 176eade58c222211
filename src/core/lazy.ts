/** What `make` answers, made when it is first asked for: a command that does not need it starts sooner. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * What is made once for each key. At most `most` are cached, and one more drops all, so that a hit need not
 * note what was used last.
 */
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
