import { lazy } from '../core/lazy.ts';
import tables from './synonyms.json' with { type: 'json' };
import { foreignWords, lightWords, questionWords, stem, stopWords, toWords } from './words.ts';

/** `factor` is in relation to the word itself. */
export interface Alternative {
  readonly terms: readonly string[];
  readonly factor: number;
  /** The word itself: one of several spellings or forms, not another word. */
  readonly isWritten?: boolean;
}

const sameFactor = 0.85;
const kindFactor = 0.8;
const relatedFactor = 0.35;

/** It may be about something else, as MySQL is to Postgres. */
export const isOnlyRelated = ({ factor }: Alternative): boolean => factor <= relatedFactor;

/** `between`: what stands before the word and says nothing, as in `text to speech`. */
export type PhraseWord = Readonly<Record<'text' | 'between', string>>;

/** As in queries and descriptions; stop words stay if there are no others. */
export function toPhraseWords<Word extends { readonly text: string }>(words: readonly Word[]) {
  const saysAny = words.some(({ text }) => !stopWords.has(text));
  const kept: (Word & PhraseWord)[] = [];
  let left: string[] = [];
  for (const word of words) {
    const isLeft = (saysAny && stopWords.has(word.text)) || kept.some(({ text }) => text === word.text);
    if (isLeft) left.push(word.text === 'into' ? 'to' : word.text);
    else {
      kept.push({ ...word, between: left.join(' ') });
      left = [];
    }
  }
  return kept;
}

const stemsOf = (words: readonly PhraseWord[]) => words.map(({ text }) => stem(text));

function toEntries(line: string, factor: number) {
  const words = line.split(', ').map((text) => toPhraseWords(toWords(text)));
  const phrases = new Map(words.map((one) => [stemsOf(one).join(' '), { words: one, phrase: stemsOf(one) }]));
  return [...phrases.values()].map((one) => ({
    ...one,
    others: [...phrases.values()]
      .filter((other) => other !== one)
      .map(({ phrase }) => ({ terms: phrase, factor })),
  }));
}

/** English, in `languages`. */
const firstOf = (line: string) => line.slice(0, line.indexOf(','));
/**
 * Of a line, phrases mean the same (`same`, `places`, `languages`), a thing and a kind or part of it
 * (`kinds`), or are often used for each other (`related`). A word may be in several lines.
 */
const linesOf = (table: Readonly<Record<string, readonly string[]>>) => Object.values(table).flat();

/** The longest first, and of these the nearest. */
const byStart = lazy(() => {
  const entries = [
    ...[tables.same, tables.places, tables.languages]
      .flatMap(linesOf)
      .flatMap((line) => toEntries(line, sameFactor)),
    ...linesOf(tables.kinds).flatMap((line) => toEntries(line, kindFactor)),
    ...linesOf(tables.related).flatMap((line) => toEntries(line, relatedFactor)),
  ];
  return Map.groupBy(
    entries.toSorted((a, b) => b.phrase.length - a.phrase.length),
    ({ phrase }) => phrase[0] ?? '',
  );
});

/** No stems, which other languages share (`Termine`, `terminal`). */
const wordsOfLines = (lines: readonly string[]) =>
  new Set(lines.flatMap(toWords).flatMap(({ text }) => [text, `${text}s`]));
const translated = lazy(() => wordsOfLines(linesOf(tables.languages)));
const english = lazy(() => {
  const { languages, ...others } = tables;
  return wordsOfLines([...Object.values(others).flatMap(linesOf), ...linesOf(languages).map(firstOf)]);
});

/** Words of questions and those with synonyms: of more than these only a reader knows the language. */
export const isEnglish = (word: string): boolean =>
  !foreignWords.has(word) &&
  word.length > 2 &&
  ([stopWords, questionWords, lightWords].some((words) => words.has(word)) || english().has(word));

export const isTranslated = (word: string): boolean => translated().has(word) && !english().has(word);

/** Each once, in its nearest sense. */
function othersOf(entries: ReturnType<typeof toEntries>): Alternative[] {
  const all = entries.flatMap(({ others }) => others).toReversed();
  return [...new Map(all.map((one) => [one.terms.join(' '), one])).values()].toReversed();
}

export const synonymsOf = (term: string): readonly Alternative[] =>
  othersOf((byStart().get(term) ?? []).filter(({ phrase }) => phrase.length === 1));

/**
 * For each word, those of it or of its phrase, between whose words is what is there too. `phrase`: the terms
 * of the longest phrase with the word, if it has more than one.
 */
export function findSynonyms(typed: readonly PhraseWord[]) {
  const stems = stemsOf(typed);
  const isAt = (at: number, words: readonly PhraseWord[], phrase: readonly string[]) =>
    phrase.every((part, offset) => {
      const between = offset > 0 && typed[at + offset]?.between;
      return stems[at + offset] === part && (!between || between === words[offset]?.between);
    });
  const found: { phrase: readonly string[] | undefined; synonyms: readonly Alternative[] }[] = [];
  while (found.length < stems.length) {
    const at = found.length;
    const entries = (byStart().get(stems[at] ?? '') ?? []).filter(({ words, phrase }) =>
      isAt(at, words, phrase),
    );
    const length = entries[0]?.phrase.length ?? 1;
    const synonyms = othersOf(entries.filter(({ phrase }) => phrase.length === length));
    const phrase = length > 1 ? stems.slice(at, at + length) : undefined;
    for (let word = 0; word < length; word += 1) found.push({ phrase, synonyms });
  }
  return found;
}
