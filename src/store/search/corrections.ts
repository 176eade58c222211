import type { Alternative } from '../../evidence/search/alternative.ts';
import { toHalves, toSpellings } from '../../evidence/search/misspelling.ts';
import { synonymsOf } from '../../evidence/search/synonyms/lookup.ts';
import type { Db, SearchIndex, TermCount } from '../engine.ts';

const mostCorrections = 6;
const correctedFactor = 0.9;

/** What an unknown word may be. */
export interface Corrections {
  readonly alternatives: readonly Alternative[];
  /** The same as words. */
  readonly near: readonly string[];
  /** Of the terms of the alternatives that listings have. */
  readonly counts: ReadonlyMap<string, TermCount>;
}

const mostFrequent = (counts: readonly [string, TermCount][]) =>
  counts
    .toSorted(([a, many], [b, more]) => more.listings - many.listings || (a < b ? -1 : 1))
    .slice(0, mostCorrections)
    .map(([term]) => term);

/** Other spellings of an unknown word that listings have, with their synonyms, and the two words it may be. */
export async function readCorrections(db: Db, index: SearchIndex, word: string): Promise<Corrections> {
  const halves = toHalves(word);
  const spellings = toSpellings(word);
  const possible = new Set([...spellings.keys(), ...halves.flatMap(({ terms }) => terms)]);
  const known = await index.readTermCounts(db, [...possible]);
  const likely = mostFrequent([...known].filter(([term]) => spellings.has(term)));
  const split = halves.filter(({ terms }) => terms.every((term) => known.has(term)));
  const meant = likely.flatMap((term) => [{ terms: [term], factor: 1 }, ...synonymsOf(term)]);
  const ofMeant = await index.readTermCounts(
    db,
    meant.flatMap(({ terms }) => terms),
  );
  return {
    alternatives: [
      ...meant.map((one) => ({ ...one, factor: one.factor * correctedFactor })),
      ...split.map(({ terms }) => ({ terms, factor: correctedFactor })),
    ],
    near: [...likely.map((term) => spellings.get(term) ?? term), ...split.map(({ text }) => text)],
    counts: new Map([...known, ...ofMeant]),
  };
}
