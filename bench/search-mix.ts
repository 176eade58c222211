import { readDistributions } from './distributions.ts';
import { createPicker, createRandom, type Random } from './random.ts';
import { createSynthetic, type Synthetic } from './synthetic.ts';

/** Kinds of search, and how many of a hundred are of each. */
const mix = [
  ['server', 10],
  ['one word', 25],
  ['prefix', 20],
  ['rare word', 15],
  ['two words', 20],
  ['three words', 10],
] as const;

export type SearchKind = (typeof mix)[number][0];

/** Words as a searcher types them, and of which kind they are. */
export interface Search {
  readonly kind: SearchKind;
  readonly words: readonly string[];
}

const words = readDistributions().words.filter(([word]) => /^[a-z0-9]{3,}$/.test(word));
const listed = new Set(words.map(([word]) => word));
const pickWord = createPicker(words);
const pickKind = createPicker(mix);

/** A word of a listing's description that is none of the frequent ones. */
function findRareWord(synthetic: Synthetic, random: Random): string {
  for (;;) {
    const [entry] = synthetic.entries(Math.floor(random() * synthetic.listings));
    const found = String(entry?.server.description).split(' ').slice(0, -1);
    const rare = found.find((word) => /^[a-z]{6,}$/.test(word) && !listed.has(word));
    if (rare) return rare;
  }
}

/** Searches as people make them, the same ones for the same number of listings. */
export function toSearches(count: number, listings: number): Search[] {
  const random = createRandom(7);
  const synthetic = createSynthetic({ listings });
  const rare = Array.from({ length: 30 }, () => findRareWord(synthetic, random));
  const make: Readonly<Record<SearchKind, () => string[]>> = {
    server: () => ['server'],
    'one word': () => [pickWord(random)],
    prefix: () => [pickWord(random).slice(0, 3 + Math.floor(random() * 2))],
    'rare word': () => [rare[Math.floor(random() * rare.length)] ?? 'rare'],
    'two words': () => [pickWord(random), pickWord(random)],
    'three words': () => [pickWord(random), pickWord(random), pickWord(random)],
  };
  return Array.from({ length: count }, () => {
    const kind = pickKind(random);
    return { kind, words: make[kind]() };
  });
}
