import { lazy } from '../core/lazy.ts';
import tables from './synonyms.json' with { type: 'json' };
import { stem, stopWords } from './words.ts';

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

/** As in queries and descriptions. */
function toPhrase(text: string): string[] {
  const words = text.split(' ');
  const informative = words.filter((word) => !stopWords.has(word));
  return (informative.length > 0 ? informative : words).map(stem);
}

function toEntries(line: string, factor: number) {
  const phrases = new Map(line.split(', ').map((text) => [toPhrase(text).join(' '), toPhrase(text)]));
  return [...phrases.values()].map((phrase) => ({
    phrase,
    others: [...phrases.values()].filter((other) => other !== phrase).map((terms) => ({ terms, factor })),
  }));
}

/**
 * Of a line, phrases mean the same (`same`, `places`), a thing and a kind or part of it (`kinds`), or are
 * often used for each other (`related`). A word may be in several lines.
 */
const linesOf = (table: Readonly<Record<string, readonly string[]>>) => Object.values(table).flat();

/** The longest first, and of these the nearest. */
const byStart = lazy(() => {
  const entries = [
    ...[...linesOf(tables.same), ...linesOf(tables.places)].flatMap((line) => toEntries(line, sameFactor)),
    ...linesOf(tables.kinds).flatMap((line) => toEntries(line, kindFactor)),
    ...linesOf(tables.related).flatMap((line) => toEntries(line, relatedFactor)),
  ];
  return Map.groupBy(
    entries.toSorted((a, b) => b.phrase.length - a.phrase.length),
    ({ phrase }) => phrase[0] ?? '',
  );
});

/** Each once, in its nearest sense. */
function othersOf(entries: ReturnType<typeof toEntries>): Alternative[] {
  const all = entries.flatMap(({ others }) => others).toReversed();
  return [...new Map(all.map((one) => [one.terms.join(' '), one])).values()].toReversed();
}

export const synonymsOf = (term: string): readonly Alternative[] =>
  othersOf((byStart().get(term) ?? []).filter(({ phrase }) => phrase.length === 1));

/** Words, or the longest phrases of the tables. */
export function findSynonyms(stems: readonly string[]) {
  const units: { from: number; to: number; synonyms: Alternative[] }[] = [];
  for (let at = 0; at < stems.length; ) {
    const found = (byStart().get(stems[at] ?? '') ?? []).filter(({ phrase }) =>
      phrase.every((part, offset) => stems[at + offset] === part),
    );
    const length = found[0]?.phrase.length ?? 1;
    const longest = found.filter(({ phrase }) => phrase.length === length);
    units.push({ from: at, to: at + length, synonyms: othersOf(longest) });
    at += length;
  }
  return units;
}
