/** What `make` answers, made when it is first asked for: a command that does not need it starts sooner. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
