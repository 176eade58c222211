/**
 * A header of a request of Node's server as `Headers` would give it: repeated ones joined, where `incoming.headers` has
 * only the first. Empty if there is none.
 */
export function headerOf(rawHeaders: readonly string[], lowerName: string): string {
  const values = rawHeaders.filter((_, at) => {
    const name = at % 2 === 1 ? rawHeaders[at - 1] : undefined;
    return name?.length === lowerName.length && name.toLowerCase() === lowerName;
  });
  return values.join(', ');
}
