import { stem } from './stem.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const shortestCorrected = 4;
const longestCorrected = 24;
const shortestHalf = 3;

/** Whether other spellings of an unknown word are tried. */
export const isCorrectable = (word: string): boolean =>
  word.length >= shortestCorrected && word.length <= longestCorrected && /^[a-z0-9]+$/.test(word);

/** Stems of all words that one letter more, less, other or exchanged with its neighbour makes of a word. */
export function toSpellings(word: string): string[] {
  const spellings = new Set<string>();
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    if (after) spellings.add(stem(before + after.slice(1)));
    if (after.length > 1) spellings.add(stem(`${before}${after[1]}${after[0]}${after.slice(2)}`));
    for (const letter of letters) {
      spellings.add(stem(before + letter + after));
      if (after) spellings.add(stem(before + letter + after.slice(1)));
    }
  }
  return [...spellings].filter(({ length }) => length >= shortestHalf);
}

/** The ways to take an unknown word for two. */
export const toHalves = (word: string): [string, string][] =>
  [...word].flatMap((_, at) => {
    const isBoth = at >= shortestHalf && word.length - at >= shortestHalf;
    return isBoth ? [[stem(word.slice(0, at)), stem(word.slice(at))] as [string, string]] : [];
  });
