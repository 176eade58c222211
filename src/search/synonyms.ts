import { lazy } from '../core/lazy.ts';
import tables from './synonyms.json' with { type: 'json' };
import { stem, stopWords } from './words.ts';

/**
 * A way in which a word of a query may occur in a listing: all these terms, and how much that counts beside
 * the word itself.
 */
export interface Alternative {
  readonly terms: readonly string[];
  readonly factor: number;
}

const sameFactor = 0.85;
const relatedFactor = 0.35;

/** Stop words are left out of queries and descriptions, so they are left out here too. */
function toPhrase(text: string): string[] {
  const words = text.split(' ');
  const informative = words.filter((word) => !stopWords.has(word));
  return (informative.length > 0 ? informative : words).map(stem);
}

/** The phrases in a line of a table, as stems. Each has the others as its synonyms. */
function toEntries(line: string, factor: number) {
  const phrases = new Map(line.split(', ').map((text) => [toPhrase(text).join(' '), toPhrase(text)]));
  return [...phrases.values()].map((phrase) => ({
    phrase,
    others: [...phrases.values()].filter((other) => other !== phrase).map((terms) => ({ terms, factor })),
  }));
}

/**
 * The tables have words and phrases of the field in lower case, separated by commas, by subject. A word may
 * be in several lines. `same`: they mean the same (abbreviations, spellings, forms with different stems).
 * `places`: countries and regions with the adjectives and short forms for them. `related`: they are often
 * used for each other but do not mean quite the same.
 */
const linesOf = (table: Readonly<Record<string, readonly string[]>>) => Object.values(table).flat();

/** The phrases by their first word, the longest first. */
const byStart = lazy(() => {
  const entries = [
    ...[...linesOf(tables.same), ...linesOf(tables.places)].flatMap((line) => toEntries(line, sameFactor)),
    ...linesOf(tables.related).flatMap((line) => toEntries(line, relatedFactor)),
  ];
  return Map.groupBy(
    entries.toSorted((a, b) => b.phrase.length - a.phrase.length),
    ({ phrase }) => phrase[0] ?? '',
  );
});

export const synonymsOf = (term: string): readonly Alternative[] =>
  (byStart().get(term) ?? []).filter(({ phrase }) => phrase.length === 1).flatMap(({ others }) => others);

/**
 * Divides a query, given as stems, into single words and phrases of the tables, each with its position, its
 * end and its synonyms.
 */
export function findSynonyms(stems: readonly string[]) {
  const units: { from: number; to: number; synonyms: Alternative[] }[] = [];
  for (let at = 0; at < stems.length; ) {
    const found = (byStart().get(stems[at] ?? '') ?? []).filter(({ phrase }) =>
      phrase.every((part, offset) => stems[at + offset] === part),
    );
    const length = found[0]?.phrase.length ?? 1;
    const longest = found.filter(({ phrase }) => phrase.length === length);
    units.push({ from: at, to: at + length, synonyms: longest.flatMap(({ others }) => others) });
    at += length;
  }
  return units;
}
