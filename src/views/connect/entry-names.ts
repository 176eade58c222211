import { handleParts } from '../../evidence/handle.ts';

const longest = 40;

const toSlug = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');

/** The publisher's part of a name: the namespace without its top-level domain, or without the forge. */
const publisherOf = (namespace: string) => namespace.replace(/^io\.(github|gitlab)\.|^[^.]+\./i, '');

function nameOf(handle: string): string {
  const { namespace, name } = handleParts(handle);
  const [publisher, own] = [toSlug(publisherOf(namespace)), toSlug(name)];
  return publisher === own || publisher === '' ? own : `${publisher}-${own}`;
}

const lastSegment = (url: string) => toSlug(URL.parse(url)?.pathname.split('/').findLast(Boolean) ?? '');

/**
 * A name that every client accepts for the entry of each of a listing's endpoints, no two alike: publisher and name, and
 * where there are several endpoints the end of each one's path.
 */
export function toEntryNames(handle: string, urls: readonly string[]): string[] {
  const base = nameOf(handle) || 'listing';
  const taken = new Set<string>();
  return urls.map((url) => {
    const end = urls.length > 1 ? lastSegment(url) : '';
    const wanted = (end && !base.endsWith(end) ? `${base}-${end}` : base).slice(0, longest);
    let name = wanted;
    for (let next = 2; taken.has(name); next += 1) name = `${wanted.slice(0, longest - 4)}-${next}`;
    taken.add(name);
    return name;
  });
}
