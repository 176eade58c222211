import { stemmer } from 'stemmer';
import { memoize } from '../core/lazy.ts';
import ownStems from './own-stems.json' with { type: 'json' };
import wordLists from './word-lists.json' with { type: 'json' };

const ascii = /^[ -~\n]*$/;
const asciiRun = /[A-Za-z0-9]+/g;
const run = /[\p{L}\p{N}]+/gu;
/** Without spaces between words, or, in Korean, with endings that are no words. */
const unspaced =
  /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]+/gu;
const camelHump = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
/** Two stop words. */
const toDo = /\bto-do(?=s?\b)/gi;
const shortestPart = 3;
/** PostgreSQL allows 2,046 bytes. */
const longestWord = 100;

/** `parts` in camel case. */
export interface SearchWord {
  readonly text: string;
  readonly parts: readonly string[];
}

const toPlain = (text: string) =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').normalize('NFC').replaceAll('ς', 'σ');

/** Without spaces, neighbouring characters are words. */
function toPairs(text: string): string[] {
  const characters = [...text];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

function toWord(text: string): SearchWord {
  const lower = text.toLowerCase();
  const parts = lower !== text && camelHump.test(text) ? text.split(camelHump) : [];
  return {
    text: lower.slice(0, longestWord),
    parts: parts
      .filter(({ length }) => length >= shortestPart)
      .map((part) => part.toLowerCase().slice(0, longestWord)),
  };
}

function toForeignWords(text: string): SearchWord[] {
  const words: SearchWord[] = [];
  for (const [found] of toPlain(text).matchAll(run)) {
    let at = 0;
    for (const { 0: piece, index } of found.matchAll(unspaced)) {
      if (index > at) words.push(toWord(found.slice(at, index)));
      words.push(...toPairs(piece).map((pair) => ({ text: pair, parts: [] })));
      at = index + piece.length;
    }
    if (at < found.length) words.push(toWord(found.slice(at)));
  }
  return words;
}

/** For index and query: letters and digits without `'s`, or pairs of characters. */
export function toWords(text: string): SearchWord[] {
  const spoken = (text.includes('s') ? text.replace(/['’]s\b/g, '') : text).replace(toDo, 'todo');
  if (ascii.test(spoken)) return (spoken.match(asciiRun) ?? []).map(toWord);
  return toForeignWords(spoken);
}

/** Porter confuses `documentation` with `document`. Each line has the forms of a word, the stem first. */
const stemOf: ReadonlyMap<string, string> = new Map(
  ownStems.map((line) => line.split(' ')).flatMap((words) => words.map((word) => [word, words[0] ?? word])),
);

/** Without `stemOf`, only a word of 4 to 30 letters a-z differs from its stem. */
export const stem = memoize(
  (word) => stemOf.get(word) ?? (/^[a-z]{4,30}$/.test(word) ? stemmer(word) : word),
  10_000,
);

const toSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Not in descriptions, nor in queries with other words. */
export const stopWords = toSet(wordLists.stop);

/** Of Spanish, Portuguese, French, Italian, German and Dutch. One alone may be a name, as in `la`. */
export const foreignWords = toSet(wordLists.foreign);

/** Without these, if there are two or more; undefined otherwise. */
export function withoutForeign(words: readonly SearchWord[]): SearchWord[] | undefined {
  const found = new Set(words.map(({ text }) => text).filter((text) => foreignWords.has(text)));
  return found.size > 1 ? words.filter(({ text }) => !found.has(text)) : undefined;
}

/** Of questions, or with little sense. */
export const questionWords = toSet(wordLists.question);

/** The nouns beside them say more. */
export const verbs = toSet(wordLists.verbs);

/** So frequent that other words say more. */
export const lightWords = toSet(wordLists.light);

/** Of every listing, so that they distinguish no name. */
export const wordsOfAll = toSet(wordLists.all);

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const shortestCorrected = 4;
const longestCorrected = 24;
const shortestHalf = 3;

/** A number is as it was meant. */
export const isCorrectable = (word: string): boolean =>
  word.length >= shortestCorrected && word.length <= longestCorrected && /^(?=.*[a-z])[a-z0-9]+$/.test(word);

const swapsOf = (word: string): string[] =>
  [...word].map((letter, at) => `${word.slice(0, at)}${word[at + 1] ?? ''}${letter}${word.slice(at + 2)}`);

/** Typed in another order, a letter is seldom meant as another one. */
export const swappedStems = (word: string): ReadonlySet<string> => new Set(swapsOf(word).map(stem));

/** Added, removed, replaced or swapped with its neighbour; with repetitions and the word itself. */
export function* oneLetterFrom(word: string): Generator<string> {
  yield* swapsOf(word);
  for (let at = 0; at <= word.length; at++) {
    const before = word.slice(0, at);
    const after = word.slice(at);
    if (after) yield before + after.slice(1);
    for (const letter of letters) {
      yield before + letter + after;
      if (after) yield before + letter + after.slice(1);
    }
  }
}

/** A letter away, by stem, the longest last. */
export const toSpellings = (word: string): Map<string, string[]> =>
  Map.groupBy(
    [...oneLetterFrom(word)]
      .filter((one) => stem(one).length >= shortestHalf)
      .sort((a, b) => a.length - b.length),
    stem,
  );

/** All divisions in two. */
export const toHalves = (word: string) =>
  [...word].flatMap((_, at) => {
    const start = word.slice(0, at);
    const end = word.slice(at);
    const isBoth = [start, end].every((half) => half.length >= shortestHalf && !stopWords.has(half));
    return isBoth ? [{ terms: [stem(start), stem(end)], texts: [start, end] }] : [];
  });

interface Texts {
  readonly handle: string;
  readonly title?: string | null | undefined;
  readonly description?: string | undefined;
  readonly tags?: readonly { readonly tag: string }[];
}

const mostJoined = 3;

/** `caches` may be of `cach` and of `cache`. */
function toBases(word: string): string[] {
  const cut = ['s', 'es', 'ed', 'ing']
    .filter((end) => word.endsWith(end))
    .map((end) => word.slice(0, -end.length));
  const others = cut.flatMap((base) => [`${base}e`, base.replace(/i$/, 'y'), base.replace(/(.)\1$/, '$1')]);
  return [word, ...cut, ...others];
}

/** Of one word, while a stem may be of several, as that of `sever` and `several`. */
export const isInflection = (one: string, other: string): boolean =>
  stem(one) === stem(other) &&
  (stemOf.has(one) || toBases(one).some((base) => toBases(other).includes(base)));

/** How a listing writes stems, one of which may be of several words joined; undefined if it does not. */
export function writtenIn({ handle, title, description, tags = [] }: Texts, terms: readonly string[]) {
  const all = [title ?? '', description ?? '', handle, ...tags.map(({ tag }) => tag)].join(' ');
  const whole = toWords(all);
  const words = whole.flatMap(({ text, parts }) => [text, ...parts]);
  const writtenAs = (term: string, joined = 1): string | undefined => {
    const at = words.findIndex((_, at) => stem(words.slice(at, at + joined).join('')) === term);
    if (at >= 0) return words.slice(at, at + joined).join(' ');
    return joined < mostJoined ? writtenAs(term, joined + 1) : undefined;
  };
  const texts = terms.map((term) => writtenAs(term));
  if (texts.includes(undefined)) return undefined;
  const ways = [words, whole.map(({ text }) => text)];
  // What does not stand together is not quoted as if it did.
  return texts.join(ways.some((one) => one.join(' ').includes(texts.join(' '))) ? ' ' : ' … ');
}
