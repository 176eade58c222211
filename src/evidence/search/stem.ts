import { stemmer } from 'stemmer';

/** Words whose stem would be that of another word. */
const unstemmed: ReadonlySet<string> = new Set(['news']);
const mostCached = 40_000;
const stems = new Map<string, string>();

/**
 * The stem that a lower-case word is indexed and searched by; words of three letters, and of other
 * letters than a-z, are their own stem.
 */
export function stem(word: string): string {
  const cached = stems.get(word);
  if (cached !== undefined) return cached;
  const found = /^[a-z]{4,30}$/.test(word) && !unstemmed.has(word) ? stemmer(word) : word;
  if (stems.size >= mostCached) stems.clear();
  stems.set(word, found);
  return found;
}
