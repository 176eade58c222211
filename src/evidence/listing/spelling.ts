import { distance } from 'fastest-levenshtein';
import { vocabulary } from './vocabulary.ts';

/** How many letters may differ: one in a short word, three in a long one. */
const maxDistance = (word: string) => (word.length <= 4 ? 1 : word.length <= 8 ? 2 : 3);

/** The words that tags are derived from: a small dictionary that needs no database. */
export const knownWords: readonly string[] = [
  ...new Set(
    Object.entries(vocabulary)
      .flat(2)
      .filter((word) => !word.includes(' ')),
  ),
];

/** The candidate closest to a misspelled word, never the word itself; undefined if none is close enough. */
export function closestWord(word: string, candidates: Iterable<string>): string | undefined {
  let closest: { readonly candidate: string; readonly far: number } | undefined;
  for (const candidate of candidates) {
    const far = distance(word, candidate);
    if (far > 0 && far <= maxDistance(word) && far < (closest?.far ?? Infinity)) closest = { candidate, far };
  }
  return closest?.candidate;
}
