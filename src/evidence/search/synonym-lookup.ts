import type { Alternative } from './alternative.ts';
import { stem } from './stem.ts';
import { synonyms } from './synonyms.ts';

const synonymFactor = 0.65;

/** A phrase of the table, as stems, and the others of its line. */
interface Entry {
  readonly phrase: readonly string[];
  readonly others: readonly Alternative[];
}

/** Words of a query from a place to another one, which are one word or a phrase of the table. */
export interface Unit {
  readonly from: number;
  readonly to: number;
  readonly synonyms: readonly Alternative[];
}

const toPhrase = (text: string) => text.split(' ').map(stem);

const entries: Entry[] = synonyms.flatMap((line) =>
  line.map((one) => ({
    phrase: toPhrase(one),
    others: line
      .filter((other) => other !== one)
      .map((other) => ({ terms: toPhrase(other), factor: synonymFactor })),
  })),
);
/** The longest phrase first. */
const byStart = Map.groupBy(
  entries.toSorted((a, b) => b.phrase.length - a.phrase.length),
  ({ phrase }) => phrase[0] ?? '',
);

/** Synonyms of one term. */
export const synonymsOf = (term: string): readonly Alternative[] =>
  (byStart.get(term) ?? []).filter(({ phrase }) => phrase.length === 1).flatMap(({ others }) => others);

/** Divides a query, given as stems, into phrases of the table and single words, each with its synonyms. */
export function findSynonyms(stems: readonly string[]): Unit[] {
  const units: Unit[] = [];
  for (let at = 0; at < stems.length; ) {
    const found = (byStart.get(stems[at] ?? '') ?? []).filter(({ phrase }) =>
      phrase.every((part, offset) => stems[at + offset] === part),
    );
    const length = found[0]?.phrase.length ?? 1;
    const same = found.filter(({ phrase }) => phrase.length === length);
    units.push({ from: at, to: at + length, synonyms: same.flatMap(({ others }) => others) });
    at += length;
  }
  return units;
}
