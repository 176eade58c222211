/**
 * A header of a request of Node's server as `Headers` would return it: repeated ones are joined, where
 * `incoming.headers` has only the first. Empty if there is none.
 */
export function headerOf(rawHeaders: readonly string[], lowerName: string): string {
  let joined: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length !== lowerName.length || name.toLowerCase() !== lowerName) continue;
    const value = rawHeaders[at + 1] ?? '';
    joined = joined === undefined ? value : `${joined}, ${value}`;
  }
  return joined ?? '';
}
