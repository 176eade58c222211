import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** A listing of a registry copy, as far as questions are made of it. */
export interface CopyListing {
  readonly handle: string;
  readonly title: string;
  readonly description: string;
}

interface Entry {
  readonly server: { readonly name: string; readonly title?: string; readonly description: string };
}

/** The listings of a registry copy: a JSON file of entries, compressed or not. */
export function readCopy(path: string): CopyListing[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const parsed = JSON.parse(text) as Entry[] | { servers: Entry[] };
  const entries = Array.isArray(parsed) ? parsed : parsed.servers;
  const byHandle = new Map(entries.map(({ server }) => [server.name, server]));
  return [...byHandle.values()].map(({ name, title = '', description }) => ({
    handle: name,
    title,
    description,
  }));
}

/** Lower-case runs of letters and digits. */
export const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * The words of four letters or more that at most one description in fifty has: what a searcher would name.
 */
export function findTelling(listings: readonly CopyListing[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { description } of listings)
    for (const word of new Set(wordsOf(description))) counts.set(word, (counts.get(word) ?? 0) + 1);
  const most = Math.max(5, listings.length / 50);
  return new Set(
    [...counts].filter(([word, count]) => /^[a-z]{4,}$/.test(word) && count <= most).map(([word]) => word),
  );
}
