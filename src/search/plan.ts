import type { FacetChoice } from './query.ts';
import type { RankedWord } from './score.ts';
import type { Alternative } from './synonyms.ts';

/** Listings with an atom of each group, all facets and no excluded term, `expected` in all. */
export interface Probe {
  readonly groups: readonly (readonly Atom[])[];
  readonly excluded: readonly string[];
  readonly facets: readonly FacetChoice[];
  readonly limit: number;
  readonly expected: number;
}

/** All terms together, each `isStrong` if `strong`. */
export interface Atom {
  readonly terms: readonly string[];
  readonly strong: boolean;
}

export const enoughCandidates = 400;
export const mostProbes = 8;
const fewListings = 600;
const perProbe = 200;
const mostDriving = 4;
/** Words occur together so much more often than by chance. */
const attraction = 6;

/** `read`: entries, if it finds fewer than the limit. */
interface PlanStep extends Pick<Probe, 'groups' | 'limit' | 'expected'> {
  readonly read: number;
}

/** Nothing that a wider one finds too. */
export function widestOf(alternatives: readonly Alternative[]): Alternative[] {
  const widest: Alternative[] = [];
  for (const one of alternatives.toSorted((a, b) => a.terms.length - b.terms.length))
    if (!widest.some(({ terms }) => terms.every((term) => one.terms.includes(term)))) widest.push(one);
  return widest;
}

const toGroup = (alternatives: readonly Alternative[], strong = false): Atom[] =>
  widestOf(alternatives).map(({ terms }) => ({ terms, strong }));

/** Without words that find the same as an earlier one, as `slides` does after `powerpoint`. */
function distinctOf(words: readonly RankedWord[]): RankedWord[] {
  const keyOf = ({ alternatives }: RankedWord) =>
    widestOf(alternatives)
      .map(({ terms }) => terms.join(' '))
      .toSorted()
      .join();
  return [...Map.groupBy(words, keyOf).values()].flatMap(([first]) => first ?? []);
}

const countOfGroup = (word: RankedWord, strong: boolean): number => (strong ? word.strong : word.listings);

function expectedOf(words: readonly RankedWord[], strong: boolean, total: number): number {
  const shares = words.map((word) => countOfGroup(word, strong) / total);
  const product = shares.reduce((chance, share) => chance * share, total) * attraction ** (shares.length - 1);
  return Math.min(product, ...shares.map((share) => share * total));
}

const toStep = (words: readonly RankedWord[], strong: boolean, total: number): PlanStep => ({
  groups: words.map(({ alternatives }) => toGroup(alternatives, strong)),
  limit: words.length > 1 ? perProbe : enoughCandidates,
  expected: expectedOf(words, strong, total),
  read: Math.min(...words.map((word) => countOfGroup(word, strong))),
});

function subsets(words: readonly RankedWord[]): RankedWord[][] {
  const sets: RankedWord[][] = [];
  for (const word of words) sets.push(...sets.map((set) => [...set, word]), [word]);
  return sets;
}

const sumOfValues = (words: readonly RankedWord[]) => words.reduce((sum, { value }) => sum + value, 0);

function toRare(byRarity: readonly RankedWord[]): RankedWord[] {
  let listings = 0;
  const end = byRarity.findIndex((word) => {
    listings += word.listings;
    return listings > fewListings;
  });
  return byRarity.slice(0, end < 0 ? byRarity.length : end);
}

export const toGroupOfAny = (words: readonly RankedWord[]): Atom[] =>
  toGroup(words.flatMap(({ alternatives }) => alternatives));

const toStepOfAny = (words: readonly RankedWord[]): PlanStep => ({
  groups: [toGroupOfAny(words)],
  limit: fewListings,
  expected: words.reduce((sum, { listings }) => sum + listings, 0),
  read: 0,
});

/**
 * The most promising first: any of the rare words; the next words, all or the first of them strong; several
 * or one of them.
 */
export function toSteps(words: readonly RankedWord[], total: number) {
  const found = words.filter(({ listings }) => listings > 0);
  const byRarity = distinctOf(found.toSorted((a, b) => b.value - a.value));
  const rare = toRare(byRarity);
  const others = byRarity.slice(rare.length, mostDriving);
  const sets = subsets(others).toSorted((a, b) => sumOfValues(b) - sumOfValues(a));
  const strong = [others, others.slice(0, 1)].map((some) => toStep(some, true, total));
  const steps = [
    ...(rare.length > 0 ? [toStepOfAny(rare)] : []),
    ...strong.slice(0, others.length),
    ...sets.map((set) => toStep(set, false, total)),
  ];
  return { steps, hasAllWords: rare.length + others.length === byRarity.length };
}
