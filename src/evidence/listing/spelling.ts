import { distance } from 'fastest-levenshtein';
import { vocabulary } from './vocabulary.ts';

/** Letters that may differ: one in a short word, three in a long one. */
const mostWrong = (word: string) => (word.length <= 4 ? 1 : word.length <= 8 ? 2 : 3);

/** The words that tags are derived from, a small dictionary that is always there. */
export const knownWords: readonly string[] = [
  ...new Set(
    Object.entries(vocabulary)
      .flat(2)
      .filter((word) => !word.includes(' ')),
  ),
];

/** The candidate that a word most likely stands for; undefined where none is near. A word is no candidate for itself. */
export function closestWord(word: string, candidates: Iterable<string>): string | undefined {
  let closest: { readonly candidate: string; readonly far: number } | undefined;
  for (const candidate of candidates) {
    const far = distance(word, candidate);
    if (far > 0 && far <= mostWrong(word) && far < (closest?.far ?? Infinity)) closest = { candidate, far };
  }
  return closest?.candidate;
}
