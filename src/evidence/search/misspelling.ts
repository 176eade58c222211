import { stem } from './stem.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const shortestCorrected = 4;
const longestCorrected = 24;
const shortestHalf = 3;

/** Whether other spellings of an unknown word are tried. */
export const isCorrectable = (word: string): boolean =>
  word.length >= shortestCorrected && word.length <= longestCorrected && /^[a-z0-9]+$/.test(word);

/** All words that one letter more, less, other or exchanged with its neighbour makes of a word, by their stems. */
export function toSpellings(word: string): Map<string, string> {
  const spellings = new Map<string, string>();
  const add = (spelling: string) => {
    const term = stem(spelling);
    const known = spellings.get(term) ?? '';
    if (term.length >= shortestHalf && spelling.length > known.length) spellings.set(term, spelling);
  };
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    if (after) add(before + after.slice(1));
    if (after.length > 1) add(`${before}${after[1]}${after[0]}${after.slice(2)}`);
    for (const letter of letters) {
      add(before + letter + after);
      if (after) add(before + letter + after.slice(1));
    }
  }
  return spellings;
}

/** Two words that an unknown one may be: their stems, and both as written. */
export interface Halves {
  readonly terms: readonly [string, string];
  readonly text: string;
}

/** The ways to take an unknown word for two. */
export const toHalves = (word: string): Halves[] =>
  [...word].flatMap((_, at) => {
    const [start, end] = [word.slice(0, at), word.slice(at)];
    const isBoth = start.length >= shortestHalf && end.length >= shortestHalf;
    return isBoth ? [{ terms: [stem(start), stem(end)] as const, text: `${start} ${end}` }] : [];
  });
